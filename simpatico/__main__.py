"""`python -m simpatico` is the same as `simpatico`."""

from simpatico.cli import main

if __name__ == "__main__":
    main()

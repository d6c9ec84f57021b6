"""Personal data: patterns that are replaced, pseudonyms, and the key they are made with."""

"""The server core: an application whose every answer is guarded, and the process that runs it.

What it serves is told to it as routes and files; it knows nothing of studies.
"""

"""Good answers made wrong in known ways, to see whether a metric notices."""

"""Model judges audited against people: agreement, stand-in test, consistency, bias, verdict."""

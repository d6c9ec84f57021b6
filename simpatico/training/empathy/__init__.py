"""Perceived empathy: heads for its three parts, and how well they follow people's ratings."""

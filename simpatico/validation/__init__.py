"""Scores against human ratings."""

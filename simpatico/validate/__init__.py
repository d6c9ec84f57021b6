"""Scores against judgements."""

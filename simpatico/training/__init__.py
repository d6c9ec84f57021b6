"""Judgements, questionnaires or logs in, evaluators out."""

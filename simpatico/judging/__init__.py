"""Models as judges: what they are asked, what they answer, and whether they still answer so.

rubric + units ──prompt──▶ bot ──answer──▶ judged.jsonl ──lock──▶ changed verdicts
"""

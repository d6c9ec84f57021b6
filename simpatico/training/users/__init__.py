"""Train models that know the addressed user.

A training makes examples (`continuity/` from logs, `interlocutor/` from ratings), splits them in
time (splits.py), and then either

    fits shared weights (shared_weights.py), chooses hyperparameters of the users' weights
    (search.py), fits these (user_weights.py) and calibrates (fit.py), or
    fine-tunes an encoder that reads speaker tokens (finetuned.py).

Folders are written by folder.py and card.py, updated with new examples by update.py, and forget a
user by forget.py.
"""

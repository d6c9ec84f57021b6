"""Which score would this user give? Trained on ratings by interlocutors: data.py, train.py."""

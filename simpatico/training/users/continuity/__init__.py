"""Will this user reply? Trained on logs: outcomes.py, data.py, baselines.py, train.py."""

"""The names of Plutchik's eight basic emotions."""

EMOTIONS = ("anger", "anticipation", "disgust", "fear", "joy", "sadness", "surprise", "trust")

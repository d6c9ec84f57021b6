"""Train `predicted_rating`: judged conversations in, a small linear model of ratings out."""

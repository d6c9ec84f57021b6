"""Inter-rater agreement, noise ceilings, and ratings made ready for analysis."""

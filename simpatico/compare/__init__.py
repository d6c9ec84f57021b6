"""System against system."""

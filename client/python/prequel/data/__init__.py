"""From arrays and frames to the batches that a model takes, and back."""

"""What the server answers: predictions, scores and drift, a model's description, its parts."""

"""What a table's columns become: the features, the target and the likelihood of a model."""

"""Minibatches in, answers out, each learned once."""

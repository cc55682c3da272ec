"""Draws of several targets: each target's own are as they were, and together they correlate."""

import numpy as np

from prequel.answers.joint import correlation_of, ranks


def test_each_target_takes_every_value_once():
    rng = np.random.default_rng(1)
    correlation = np.array([[[1, 0.9], [0.9, 1]], [[1, 0], [0, 1]]])
    places = ranks(correlation, 50, 50, rng)
    assert places.shape == (2, 2, 50)
    every = np.broadcast_to(np.arange(50), (2, 2, 50))
    np.testing.assert_array_equal(np.sort(places, axis=2), every)


def test_few_of_many_are_spread_evenly():
    places = ranks(np.ones((4000, 1, 1)), 100, 1, np.random.default_rng(2))[:, 0, 0]
    assert abs(places.mean() - 49.5) < 2
    assert abs((places < 10).mean() - 0.1) < 0.02


def test_draws_correlate_as_told():
    rng = np.random.default_rng(3)
    told = np.array([[1, 0.8, -0.5], [0.8, 1, 0], [-0.5, 0, 1]])
    places = ranks(np.broadcast_to(told, (3, 3, 3)), 4000, 4000, rng)
    for row in places:
        # The correlation of the ranks of normal numbers: 6/π asin(ρ/2).
        np.testing.assert_allclose(np.corrcoef(row), 6 / np.pi * np.arcsin(told / 2), atol=0.04)


def test_what_is_noise_is_each_targets_own():
    logits = np.array([[[4.0, 3.0], [3.0, 9.0]]])
    epistemic, aleatoric = np.array([[1.0, 0.25]]), np.array([[3.0, 0.75]])
    told = correlation_of(logits, epistemic, aleatoric)
    # Half of each deviation is shared: ρ of the logits is 3/(2 · 3), and √(1/4) of each counts.
    np.testing.assert_allclose(told, [[[1, 0.125], [0.125, 1]]])
    sure = correlation_of(logits, epistemic, np.zeros((1, 2)))
    np.testing.assert_allclose(sure, [[[1, 0.5], [0.5, 1]]])
    np.linalg.cholesky(correlation_of(np.ones((1, 2, 2)), epistemic, np.zeros((1, 2))))
    nothing = correlation_of(np.zeros((1, 2, 2)), np.zeros((1, 2)), aleatoric)
    np.testing.assert_array_equal(nothing, [np.eye(2)])

"""Draws of counts have the mean that is served, and the variance of the model."""

import numpy as np
import pytest

from prequel.answers.count_samples import drawn, strata


def test_strata_are_of_all_levels():
    levels, widths = strata(np.random.default_rng(0))
    assert np.all(np.diff(levels) > 0)
    assert 0 < levels[0] < 1e-5
    assert 1 - 1e-5 < levels[-1] < 1
    assert widths.sum() == pytest.approx(1)
    ends = np.cumsum(widths)
    assert np.all((ends - widths < levels) & (levels < ends))


def test_draws_keep_the_mean_of_a_factor():
    rng = np.random.default_rng(1)
    quantiles = np.array([[0.0, 1.0, 4.0]])
    uniform = rng.random((1, 200_000))
    draws = drawn(quantiles, np.array([0.5, 0.3, 0.2]), np.array([1.3]), uniform, rng)
    assert draws.mean() == pytest.approx(1.3 * 1.1, rel=0.01)
    assert set(np.unique(draws)) == {0, 1, 2, 5, 6}


@pytest.mark.parametrize("likelihood", ["poisson", "negative_binomial"])
@pytest.mark.parametrize("level", [1.6, -4.6])
def test_means_of_draws_are_those_that_are_served(client, name, likelihood, level):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(2048, 3))
    y = rng.poisson(np.exp(X @ [0.5, 0.3, -0.4] + level))
    model = client.create(name, X, y, likelihood=likelihood)
    model.learn(X, y)
    prediction = model.predict(X[-200:])
    draws = prediction.sample(400, seed=0)
    assert draws.shape == (200, 400)
    np.testing.assert_array_equal(draws, np.floor(draws))
    assert draws.mean() == pytest.approx(prediction.mean.mean(), rel=0.05)
    np.testing.assert_array_equal(draws, prediction.sample(400, seed=0))

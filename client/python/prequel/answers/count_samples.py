"""Draws of counts, of which the rare large ones make the mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_CENTRE = 100  # strata between the tails
_TAIL = 48  # and in each of them
_TAIL_BEGINS = 0.05
_OUTERMOST = 1e-5


def strata(rng: np.random.Generator) -> tuple[Array, Array]:
    """Levels, one at random in each of many strata of (0, 1), and the width of each: narrower
    towards both ends, so that what is rare is there as often as it should be."""
    tail = np.concatenate([[0.0], np.geomspace(_OUTERMOST, _TAIL_BEGINS, _TAIL)])
    centre = np.linspace(_TAIL_BEGINS, 1 - _TAIL_BEGINS, _CENTRE + 1)
    edges = np.concatenate([tail, centre[1:-1], 1 - tail[::-1]])
    widths = np.diff(edges)
    inside = np.clip(rng.random(widths.size), 1e-6, 1 - 1e-6)
    return edges[:-1] + widths * inside, widths


def drawn(
    quantiles: Array, widths: Array, factor: Array, uniform: Array, rng: np.random.Generator
) -> Array:
    """Draws [rows, T, size]: `quantiles` [rows, T, strata] at the levels `uniform`
    [rows, T, size], times `factor` [rows, T], as whole numbers of that mean."""
    ends = np.cumsum(widths)
    places = np.searchsorted(ends, uniform * ends[-1])
    values = np.take_along_axis(quantiles, np.minimum(places, widths.size - 1), axis=-1)
    values = values * factor[..., None]
    whole = np.floor(values)
    return whole + (rng.random(values.shape) < values - whole)

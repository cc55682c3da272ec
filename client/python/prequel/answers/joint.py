"""Draws of several targets of a row that go together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_INDEPENDENT = 1e-9  # the least share of a target's variance that is its own


def correlation_of(logit_covariance: Array, epistemic: Array, aleatoric: Array) -> Array:
    """The correlations of the targets [rows, T, T], given the covariance of their logits
    [rows, T, T] and the two parts of their variances [rows, T]. Noise is each target's own: what
    targets share is what is not known of the weights."""
    deviation = np.sqrt(np.diagonal(logit_covariance, axis1=1, axis2=2))
    total = np.maximum(epistemic + aleatoric, np.finfo(float).tiny)
    share = np.sqrt((1 - _INDEPENDENT) * epistemic / total)
    share = share / np.maximum(deviation, np.finfo(float).tiny)
    correlation = logit_covariance * share[:, :, None] * share[:, None, :]
    diagonal = np.arange(correlation.shape[1])
    correlation[:, diagonal, diagonal] = 1
    return correlation


def ranks(correlation: Array, count: int, size: int, rng: np.random.Generator) -> Array:
    """`size` ranks from 0 to `count` - 1 of each target [rows, T, size], all different: those of
    normal numbers with the `correlation` [rows, T, T] (Iman and Conover 1982).
    REQUIRES: size <= count."""
    factor = np.linalg.cholesky(correlation)
    normal = factor @ rng.standard_normal((*correlation.shape[:2], count))
    return normal.argsort(axis=2).argsort(axis=2)[:, :, :size]

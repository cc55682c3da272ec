"""How far two arrays are apart, and the order in which networks hold their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Case = dict[str, Any]  # of one comparison, as prequel_peers wrote it
Array = NDArray[np.float64]


def array(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.float64)


def apart(ours: ArrayLike, theirs: ArrayLike) -> float:
    """max |ours − theirs| / max |theirs|; NaN, which no bound holds, when their shapes differ."""
    a, b = array(ours), array(theirs)
    if a.shape != b.shape:
        return float("nan")
    return float(np.max(np.abs(a - b)) / np.max(np.abs(b)))


def far(ours: ArrayLike, theirs: ArrayLike) -> float:
    """max |ours − theirs|; NaN, which no bound holds, when their shapes differ."""
    a, b = array(ours), array(theirs)
    if a.shape != b.shape:
        return float("nan")
    return float(np.max(np.abs(a - b)))


def with_ones(inputs: ArrayLike) -> Array:
    """The rows [x 1]: what the weights [w; b] of a linear model are multiplied by."""
    x = array(inputs)
    return np.hstack([x, np.ones((len(x), 1))])


def order_of_torch(widths: list[int]) -> NDArray[np.int64]:
    """Where each of PyTorch's parameters is in our θ.

    Both go layer by layer, weights W (outputs × inputs) before biases; parameters_to_vector has W
    by rows, θ has it by columns.
    """
    order: list[NDArray[np.int64]] = []
    offset = 0
    for inputs, outputs in zip(widths, widths[1:]):
        weights = offset + np.arange(inputs * outputs).reshape(inputs, outputs)
        order += [weights.T.ravel(), offset + inputs * outputs + np.arange(outputs)]
        offset += (inputs + 1) * outputs
    return np.concatenate(order)

"""Inputs that estimators of scikit-learn take and scikit-learn itself does not."""

from __future__ import annotations

from typing import Any

import numpy as np

from prequel import v1
from prequel.data.table import Table
from prequel.inference.schema import infer

_LEAST_CATEGORIES = 32  # where more rows, and other texts, may follow


def is_mixed(data: Any) -> bool:
    """Whether `data` is a frame with a column that holds no numbers."""
    if not hasattr(data, "columns") or not hasattr(data, "shape"):
        return False
    return any(c.kind in ("text", "moment") or c.categorical for c in Table.of(data).columns())


def features_of(data: Any, more_follows: bool) -> list[v1.Feature]:
    """The features that `prequel.Client.create` would make of the frame, each of which may miss
    values. `more_follows`: whether rows with other texts may come."""
    target = np.linspace(0.0, 1.0, len(data))
    features = list(infer(data, target, likelihood="gaussian").config.features)
    for feature in features:
        if feature.kind == v1.Feature.KIND_NUMERIC:
            feature.allow_missing = True
        elif more_follows and feature.hash_buckets == 0:
            feature.max_categories = max(feature.max_categories, _LEAST_CATEGORIES)
    return features


def unmasked(values: Any) -> Any:
    """A masked array as scikit-learn takes missing values: NaN. Anything else as it is."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    floats: Any = values.astype(np.float64)
    return floats.filled(np.nan)


def weights_in_pass(sample_weight: Any, X: Any, passes: int) -> Any:
    """How often rows count in each of so many passes, so that all make `sample_weight`; None: once
    each, in one pass."""
    if sample_weight is None and passes == 1:
        return None
    from sklearn.utils.validation import _check_sample_weight

    return _check_sample_weight(sample_weight, X, ensure_non_negative=True) / passes

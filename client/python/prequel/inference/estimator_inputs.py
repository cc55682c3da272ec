"""Inputs that estimators of scikit-learn take and scikit-learn itself does not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from prequel import v1
from prequel.config import Part
from prequel.data.table import Table
from prequel.errors import DatasetSizeContradicted
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


def weights_in_pass(sample_weight: Any, X: Any, passes: int | None, rule: Part | None) -> Any:
    """How often rows count in each of so many passes, so that all make `sample_weight`; None: once
    each. Of a rule that is told its `dataset_size`, they count as often as they would in one pass,
    and a warning says where that is not the size of X. `passes` None: one, and more rows follow."""
    size = None
    if isinstance(rule, v1.Component) and "dataset_size" in rule.options:
        size = rule.options["dataset_size"]
    if passes and size is not None and size != len(X):
        warnings.warn(
            f"the rule counts the rows as {size:,.0f}, and there are {len(X):,}: dataset_size is "
            "the number of rows in one pass",
            DatasetSizeContradicted,
            stacklevel=4,
        )
    share = 1 if size is not None or not passes else passes
    if sample_weight is None and share == 1:
        return None
    from sklearn.utils.validation import _check_sample_weight

    return _check_sample_weight(sample_weight, X, ensure_non_negative=True) / share

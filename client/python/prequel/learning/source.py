"""What is given to be learned minibatch by minibatch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from prequel.errors import InvalidArgument, kind_of

_PAIR = "a minibatch is a pair (X, y), or a table that holds its targets"


def check_source(minibatches: Any) -> None:
    """Refuses what is one table, and what nothing can be taken from."""
    kind = kind_of(minibatches)
    if isinstance(minibatches, (str, bytes, Mapping, np.ndarray)) or hasattr(
        minibatches, "columns"
    ):
        raise InvalidArgument(
            f"minibatches: {kind} is one table: `learn` cuts it into minibatches; here give "
            "something that goes through them one by one"
        )
    if not hasattr(minibatches, "__iter__") and not hasattr(minibatches, "__aiter__"):
        raise InvalidArgument(f"minibatches: {kind} is not iterable: {_PAIR}")


def pair_of(item: Any) -> tuple[Any, Any]:
    """Inputs and targets of one minibatch; None for targets that stand in the table."""
    if isinstance(item, tuple):
        if len(item) == 2:
            return item
        also = "; rows have no weights" if len(item) == 3 else ""
        raise InvalidArgument(f"{_PAIR}; this tuple has {len(item)} elements{also}")
    if isinstance(item, np.ndarray) and not item.dtype.names:
        raise InvalidArgument(f"{_PAIR}; this one is an array alone")
    if isinstance(item, list) and not all(isinstance(row, Mapping) for row in item):
        raise InvalidArgument(f"{_PAIR}; this one is a list: give the tuple (X, y)")
    return item, None

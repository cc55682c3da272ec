"""How often rows count."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from prequel.data.column import Column, refused
from prequel.errors import InvalidArgument

_MOST = 1e6


def weights_of(column: Column, rows: int) -> npt.NDArray[np.float64]:
    """One number for each row, from 0, which is passed over, to 1,000,000."""
    if len(column) != rows:
        raise InvalidArgument(f"X has {rows} rows and weights has {len(column)}: give each row one")
    missing = column.missing()
    if missing.any():
        raise refused(int(np.argmax(missing)), column.name, "a row must have its weight")
    weights = column.numbers().astype("<f8")
    wrong = ~((weights >= 0) & (weights <= _MOST))
    if wrong.any():
        row = int(np.argmax(wrong))
        what = f"{weights[row]} is no weight: a row counts from 0 to 1,000,000 times"
        raise refused(row, column.name, what)
    return weights

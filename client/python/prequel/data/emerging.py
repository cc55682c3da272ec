"""Features that come and go from one example to the next, in the columns of one model."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from prequel import v1
from prequel.data.column import Column
from prequel.data.table import Table
from prequel.errors import FeatureLeftOut, InvalidArgument

Values = Mapping[Hashable, Sequence[Any]]  # of each feature, one a row; None is missing


class EmergingFeatures:
    """Which feature is in which column: those of the first examples, in the order of their names,
    then room for `spare` numbers that emerge later. Texts are categories."""

    def __init__(self, first: Values, spare: int) -> None:
        names = sorted(first, key=str)
        texts = [name for name in names if _has_text(first[name])]
        self._text = {name: f"t{i}" for i, name in enumerate(texts)}
        numbers = [name for name in names if name not in self._text]
        self._numbers = {name: i for i, name in enumerate(numbers)}
        self._width = max(1, len(numbers) + spare)
        self._left_out: set[Hashable] = set()

    def features(self) -> list[v1.Feature]:
        made = [v1.Feature(name="x", width=self._width, allow_missing=True)]
        kind = v1.Feature.KIND_CATEGORICAL
        return made + [v1.Feature(name=name, kind=kind) for name in self._text.values()]

    def claim(self, values: Values, stacklevel: int) -> None:
        """Gives numbers that were never seen before a column, while there is room; warns of each
        feature that gets none, once."""
        known = self._numbers.keys() | self._text.keys() | self._left_out
        for name in sorted(values.keys() - known, key=str):
            text = _has_text(values[name])
            if not text and len(self._numbers) < self._width:
                self._numbers[name] = len(self._numbers)
                continue
            self._left_out.add(name)
            why = "is text" if text else "finds no column free"
            otherwise = "" if text else ", or give a larger `spare`"
            warnings.warn(
                f"feature {name!r} is left out: it came after the first example and {why}; learn "
                f"an example that has it first (None where it is not known){otherwise}",
                FeatureLeftOut,
                stacklevel=stacklevel,
            )

    def table(self, rows: int, values: Values) -> Table:
        """What `values` does not have is missing; what has no column is left out."""
        numbers = np.full((rows, self._width), np.nan)
        for name, place in self._numbers.items():
            if name in values:
                numbers[:, place] = [_number(name, value) for value in values[name]]
        suffixes = range(self._width) if self._width > 1 else [""]
        columns = [Column(f"x{s}", numbers[:, i]) for i, s in enumerate(suffixes)]
        for name, column in self._text.items():
            columns.append(Column(column, _texts(values.get(name, [None] * rows))))
        return Table(rows, columns, True)


def _has_text(values: Sequence[Any]) -> bool:
    return any(isinstance(value, str) for value in values)


def _number(name: Hashable, value: Any) -> float:
    if value is None:
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        text = isinstance(value, str)
        what = "no number, as it was at first" if text else "neither a number nor text"
        raise InvalidArgument(f"feature {name!r}: {value!r} is {what}") from None


def _texts(values: Sequence[Any]) -> npt.NDArray[Any]:
    texts = np.empty(len(values), dtype=object)
    texts[:] = [None if value is None else str(value) for value in values]
    return texts

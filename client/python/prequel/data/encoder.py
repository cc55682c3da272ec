"""From tables to the batches of one model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from prequel import v1
from prequel.data.column import Column, refused
from prequel.data.labels import AS_THEY_LOOK, label_type_of
from prequel.data.minibatch import Minibatch
from prequel.data.moment import moment_column
from prequel.data.number import (
    is_missing,
    nearest_name,
    parse_number,
    quoted,
)
from prequel.data.table import Table, target_of
from prequel.data.tensor import travelling
from prequel.data.times import times_of
from prequel.data.weights import weights_of
from prequel.errors import InvalidArgument, counted
from prequel.inference.number_advice import number_advice

_CHECKED_ROWS = 65_536  # at once: what is checked is still in the cache, and little is allocated
_NAMES_SHOWN = 12


@dataclass(frozen=True)
class Examples:
    """All rows of one call, as they will travel, to be cut into minibatches.

    inputs: [rows, numeric columns], or None; text: per categorical feature its values; targets:
    [rows] or [rows, width], or None; labels: one per row, or None; times and weights: [rows] each,
    or None; learned_before: whether all rows were.
    """

    rows: int
    inputs: npt.NDArray[Any] | None
    text: list[list[str]]
    targets: npt.NDArray[Any] | None = None
    labels: list[str] | None = None
    times: npt.NDArray[Any] | None = None
    weights: npt.NDArray[Any] | None = None
    learned_before: bool = False

    def minibatch(self, first: int, end: int) -> Minibatch:
        return Minibatch(
            end - first,
            None if self.inputs is None else self.inputs[first:end],
            [values[first:end] for values in self.text],
            None if self.targets is None else self.targets[first:end],
            None if self.labels is None else self.labels[first:end],
            None if self.times is None else self.times[first:end],
            None if self.weights is None else self.weights[first:end],
            self.learned_before,
        )

    def minibatches(self, rows: int) -> Iterator[Minibatch]:
        """One after the other, of `rows` rows each; the last may have fewer."""
        for first in range(0, self.rows, rows):
            yield self.minibatch(first, min(first + rows, self.rows))


class Encoder:
    """Knows which columns a model takes. Safe to share between threads.

    Arrays give columns by their place, in the order of the features. Frames and mappings give them
    by name: a feature of width 1 reads the column of its name; a feature `p` of width W reads `p0`
    to `p{W-1}`, or, when there is no `p0`, `p1` to `pW`; `when:date` reads dates from `when`.
    Columns that the model does not know are ignored.

    Attributes:
        label_type: what labels are given as: as the model's configuration has it, or as the first
            that were encoded here.
    """

    def __init__(self, config: v1.ModelConfig) -> None:
        self._config = config
        self._target = config.target
        self.label_type: int = config.target.label_type
        self._numeric = [f for f in config.features if f.kind != v1.Feature.KIND_CATEGORICAL]
        self._width = sum(max(1, f.width) for f in self._numeric)
        self._categorical = len(config.features) - len(self._numeric)
        # Of each numeric column in its place.
        self._names = [name for feature in self._numeric for name in _names_of(feature)]
        self._may_miss = np.array(
            [f.allow_missing for f in self._numeric for _ in range(max(1, f.width))], dtype=bool
        )

    @property
    def learns_counts(self) -> bool:
        return self._config.likelihood.name in ("poisson", "negative_binomial")

    def encode(
        self, X: Any, y: Any = None, *, targets: bool, times: Any = None, weights: Any = None
    ) -> Examples:
        """`X` as inputs and, where `targets`, `y` as targets: values, or the name of their column
        in `X`; None: the column that the model's target is named after. `times` are when the rows
        happened: numbers or moments, or the name of their column in `X`; `weights` how often each
        counts, or the name of their column.

        Raises:
            InvalidArgument: naming row and column, and what would be right.
        """
        table = Table.of(X)
        examples = self._with_targets(table, y) if targets else self._inputs(table)
        if times is not None:
            column = _column_of_rows(table, times, "times")
            examples = replace(examples, times=times_of(column, examples.rows))
        if weights is not None:
            column = _column_of_rows(table, weights, "weights")
            examples = replace(examples, weights=weights_of(column, examples.rows))
        return examples

    def _with_targets(self, table: Table, y: Any) -> Examples:
        values, table = self._targets_in(table, y)
        rows = len(values)
        if rows != table.rows:
            raise InvalidArgument(
                f"X has {counted(table.rows, 'row')} and y has {rows}: give a target a row"
            )
        inputs = self._inputs(table)
        numbers, labels = self._targets(values)
        return Examples(inputs.rows, inputs.inputs, inputs.text, numbers, labels)

    def _inputs(self, table: Table) -> Examples:
        if table.names is not None:
            return self._by_name(table)
        return self._by_place(table)

    def _by_place(self, table: Table) -> Examples:
        width = self._width + self._categorical
        if table.width != width:
            raise InvalidArgument(
                f"the inputs have {counted(table.width, 'column')}, the model takes {width}: "
                + ", ".join(_features_shown(self._config))
            )
        if table.matrix is not None and not self._categorical:
            inputs = travelling(table.matrix)
            self._check(inputs, self._names)
            return Examples(table.rows, inputs, [])
        columns = iter(table.columns())
        numbers: list[npt.NDArray[Any]] = []
        text: list[list[str]] = []
        for feature in self._config.features:
            if feature.kind == v1.Feature.KIND_CATEGORICAL:
                text.append(_named(next(columns), feature.name).categories())
            else:
                names = _names_of(feature)
                numbers += [_named(next(columns), name).numbers(number_advice) for name in names]
        return self._examples(table.rows, numbers, text, self._names)

    def _by_name(self, table: Table) -> Examples:
        numbers: list[npt.NDArray[Any]] = []
        text: list[list[str]] = []
        names: list[str] = []
        for feature in self._config.features:
            if feature.kind == v1.Feature.KIND_CATEGORICAL:
                text.append(_find(table, feature.name).categories())
                continue
            width = max(1, feature.width)
            moment = moment_column(feature.name, width)
            if moment is not None and table.column(feature.name) is None:
                column, form = moment
                numbers += list(_find(table, column).moments(form).T)
                names += [column] * width
                continue
            for name in _names_in(table, feature.name, width):
                numbers.append(_find(table, name, self._hint()).numbers(number_advice))
                names.append(name)
        return self._examples(table.rows, numbers, text, names)

    def _hint(self) -> str:
        """What to do where a column is not found by its name."""
        if len(self._config.features) > 1 or self._width < 2:
            return ""
        name = self._config.features[0].name
        return (
            f"; the model takes {self._width} columns by their place: give an array, as "
            f"frame.to_numpy(), or call the columns {quoted(name + '0')}, {quoted(name + '1')}, …"
        )

    def _examples(
        self, rows: int, numbers: list[Any], text: list[list[str]], names: list[str]
    ) -> Examples:
        if not numbers:
            return Examples(rows, None, text)
        small = all(values.dtype in (np.float16, np.float32) for values in numbers)
        inputs = np.empty((rows, len(numbers)), dtype="<f4" if small else "<f8")
        for i, values in enumerate(numbers):
            inputs[:, i] = values
        self._check(inputs, names)
        return Examples(rows, inputs, text)

    def _check(self, inputs: npt.NDArray[Any], names: list[str]) -> None:
        """Refuses what is infinite, and NaN where the model allows no missing value."""
        for first in range(0, len(inputs), _CHECKED_ROWS):
            piece = inputs[first : first + _CHECKED_ROWS]
            finite = np.isfinite(piece)
            if finite.all():
                continue
            wrong = np.isinf(piece) | (np.isnan(piece) & ~self._may_miss)
            if wrong.any():
                row, column = (int(i) for i in np.argwhere(wrong)[0])
                raise refused(first + row, names[column], _why(float(piece[row, column])))

    def _targets_in(self, table: Table, y: Any) -> tuple[Any, Table]:
        """The targets, and the table that the inputs are looked for in."""
        if y is not None and not isinstance(y, str):
            return target_of(y, self._target.name or "y"), table
        name = y or self._target.name
        if table.names is None or not name:
            raise InvalidArgument("no targets: give y, or a frame that has their column")
        width = max(1, self._target.width)
        columns = [_find(table, column) for column in _names_in(table, name, width)]
        if width == 1:
            return columns[0], table
        return np.stack([column.numbers() for column in columns], axis=1), table

    def _targets(self, values: Any) -> tuple[npt.NDArray[Any] | None, list[str] | None]:
        """As numbers, or as labels: where the model lists labels, or the values are text."""
        width = max(1, self._target.width)
        given = values.shape[1] if isinstance(values, np.ndarray) else 1
        if given != width:
            raise InvalidArgument(
                f"y has {counted(given, 'column')}, the model's target has {width}"
            )
        if not isinstance(values, Column):
            self._check_targets(values)
            return travelling(values), None
        if self.label_type == AS_THEY_LOOK:
            self.label_type = label_type_of(values)
        known_words = {label for label in self._target.labels if is_missing(label)}
        as_labels = bool(self._target.labels) or (
            values.kind in ("text", "moment") and not _are_numbers(values)
        )
        if not as_labels:
            numbers = travelling(values.numbers(number_advice))
            self._check_targets(numbers)
            return numbers, None
        self._check_classes(values)
        return None, self._labels(values, known_words)

    def _check_classes(self, values: Column) -> None:
        likelihood = self._config.likelihood.name
        if likelihood in ("", "bernoulli", "categorical"):
            return
        for row, text in enumerate(values.texts()):
            if not is_missing(text):
                what = f"{quoted(text)} is no number, and the model learns values (likelihood "
                what += f'{likelihood}); one of likelihood="categorical" learns labels'
                raise refused(row, values.name, what)

    def _labels(self, values: Column, known_words: set[str]) -> list[str]:
        labels = values.categories()
        gone = {text for text in set(labels) if is_missing(text) and text not in known_words}
        if gone and not self._target.allow_missing:
            row = next(i for i, text in enumerate(labels) if text in gone)
            raise refused(row, values.name, _no_target())
        return ["" if text in gone else text for text in labels] if gone else labels

    def _check_targets(self, numbers: npt.NDArray[Any]) -> None:
        finite = np.isfinite(numbers)
        if finite.all():
            return
        wrong = np.isinf(numbers) | (np.isnan(numbers) & (not self._target.allow_missing))
        if wrong.any():
            row = int(np.argwhere(wrong)[0][0])
            infinite = bool(np.isinf(numbers[row]).any())
            what = "an infinite target: mend it, or leave the row out" if infinite else _no_target()
            raise refused(row, self._target.name or "y", what)


def _no_target() -> str:
    return (
        "no target, and the model does not allow missing ones: leave the row out, or create the "
        "model with allow_missing_target=True"
    )


def _why(value: float) -> str:
    if value != value:
        return (
            "no value, and the model does not allow missing ones here: fill it, or create the "
            "model with this input as 'NAME?', or from data that has missing values there"
        )
    return f"{value} is infinite: mend it, or make it NaN where missing values are allowed"


def _named(column: Column, name: str) -> Column:
    return replace(column, name=name)


def _names_of(feature: v1.Feature) -> list[str]:
    width = max(1, feature.width)
    return [feature.name] if width == 1 else [f"{feature.name}{i}" for i in range(width)]


def _names_in(table: Table, name: str, width: int) -> list[str]:
    if width == 1:
        return [name]
    listed = name.split(",")
    if len(listed) == width:
        return listed
    first = 0 if table.column(f"{name}0") is not None else 1
    if first == 1 and table.column(f"{name}1") is None:
        first = 0
    return [f"{name}{i + first}" for i in range(width)]


def _column_of_rows(table: Table, given: Any, what: str) -> Column:
    column = _find(table, given) if isinstance(given, str) else target_of(given, what)
    if not isinstance(column, Column):
        raise InvalidArgument(f"{what}: give one for each row")
    return column


def _find(table: Table, name: str, hint: str = "") -> Column:
    column = table.column(name)
    if column is not None:
        return column
    names = table.names or []
    nearest = nearest_name(name, names)
    if nearest:
        raise InvalidArgument(f"no column {quoted(name)}; did you mean {quoted(nearest)}?{hint}")
    shown = ", ".join(quoted(n) for n in names[:_NAMES_SHOWN])
    more = ", …" if len(names) > _NAMES_SHOWN else ""
    raise InvalidArgument(f"no column {quoted(name)}; there are {shown}{more}{hint}")


def _features_shown(config: v1.ModelConfig) -> list[str]:
    shown = [
        f"{f.name} ({f.width} columns)" if f.width > 1 else f.name
        for f in config.features[:_NAMES_SHOWN]
    ]
    return shown + (["…"] if len(config.features) > _NAMES_SHOWN else [])


def _are_numbers(column: Column) -> bool:
    """Whether the first text that is a value is a number: then all are."""
    for text in column.values if column.kind == "text" else ():
        if text is not None and not is_missing(text):
            return parse_number(text) is not None
    return column.kind == "text" and len(column) > 0

"""Rows and columns, whatever library holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from prequel.data.column import Column, column_of
from prequel.data.frame import Reader, is_pandas, narwhals_columns, pandas_columns
from prequel.data.number import quoted
from prequel.errors import InvalidArgument, counted


@dataclass(frozen=True)
class Unread:
    """A column that nobody has asked for yet: a model may not know it, whatever it holds."""

    name: str
    read: Reader


class Table:
    """Columns of one length; or a matrix, whose columns have a place and no name.

    Attributes:
        rows: how many there are.
        names: of the columns; None where they have places alone.
        matrix: numbers [rows, columns] as they were given, where that is what was given.
    """

    def __init__(
        self,
        rows: int,
        columns: Sequence[Column | Unread],
        named: bool,
        matrix: npt.NDArray[Any] | None = None,
    ) -> None:
        self.rows = rows
        self.matrix = matrix
        self._columns = list(columns)
        self.names = [column.name for column in columns] if named else None
        self._places = {column.name: place for place, column in enumerate(columns)}

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.matrix.shape[1] if self.matrix is not None else len(self._columns)

    def column(self, name: str) -> Column | None:
        """The column of that name, if there is one.

        Raises:
            InvalidArgument: where it holds what no model takes, or has another number of rows.
        """
        place = self._places.get(name) if self.names is not None else None
        return None if place is None else self._read(place)

    def columns(self) -> list[Column]:
        """All columns; those without a name are called x0, x1, …."""
        if self.matrix is not None:
            return [column_of(f"x{i}", self.matrix[:, i]) for i in range(self.width)]
        return [self._read(place) for place in range(len(self._columns))]

    def without(self, name: str) -> Table:
        """This table with all columns but one."""
        kept = [column for column in self._columns if column.name != name]
        return Table(self.rows, kept, True)

    def with_names(self) -> Table:
        """This table; its columns are called x0, x1, … where they have places alone."""
        return self if self.names is not None else Table(self.rows, self.columns(), True)

    def _read(self, place: int) -> Column:
        column = self._columns[place]
        if isinstance(column, Unread):
            column = column.read()
            if len(column) != self.rows:
                raise InvalidArgument(
                    f"column {quoted(column.name)} has {counted(len(column), 'row')}, and others "
                    f"have {self.rows}"
                )
            self._columns[place] = column
        return column

    @staticmethod
    def of(data: Any) -> Table:
        """A table on `data`: an array of two dimensions, a mapping of names to columns (or to the
        values of one row), a sequence of rows, a pandas frame, or with narwhals any frame that
        narwhals knows.

        Raises:
            InvalidArgument: for anything else, saying what would do.
        """
        if isinstance(data, Table):
            return data
        if hasattr(data, "tocsr") or hasattr(data, "tocoo"):
            raise InvalidArgument("a sparse matrix: give X.toarray(), in pieces if it is large")
        if _is_array(data):
            return _of_array(np.asanyarray(data))
        if isinstance(data, Mapping):
            return _of_mapping(data)
        if is_pandas(data):
            return _of_unread(len(data), pandas_columns(data))
        if isinstance(data, (list, tuple)):
            return _of_rows(data)
        return _of_unread(*narwhals_columns(data))


def target_of(data: Any, name: str = "y") -> Column | npt.NDArray[Any]:
    """The targets that `data` holds: a column of them, or a matrix [rows, width]."""
    if hasattr(data, "tocsr") or hasattr(data, "tocoo"):
        raise InvalidArgument("the targets are sparse: give y.toarray()")
    if _is_array(data):
        data = np.asanyarray(data)
    if isinstance(data, Mapping):
        return _single(_of_mapping(data))
    if _is_single(data):
        data = [_plain(data)]
    if isinstance(data, np.ndarray) and data.ndim == 2:
        if data.shape[1] == 1:
            return column_of(name, data[:, 0])
        return _matrix(data)
    if isinstance(data, np.ndarray) and data.ndim != 1:
        raise InvalidArgument(f"the targets have shape {data.shape}: give [rows] or [rows, width]")
    if isinstance(data, (np.ndarray, list, tuple, range)):
        if isinstance(data, (list, tuple)) and data and isinstance(data[0], (list, tuple)):
            return _matrix(_rows_of_targets(data))
        return column_of(name, data)
    if is_pandas(data):
        frame = data if hasattr(data, "columns") else data.to_frame(name)
        return _single(_of_unread(len(frame), pandas_columns(frame)))
    return _single(_of_unread(*narwhals_columns(data, name)))


def _rows_of_targets(data: Sequence[Any]) -> npt.NDArray[Any]:
    try:
        return np.array(data, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument("the targets are no rows of numbers, all of one length") from None


def _single(table: Table) -> Column | npt.NDArray[Any]:
    columns = table.columns()
    if len(columns) == 1:
        return columns[0]
    return np.stack([column.numbers() for column in columns], axis=1)


def _matrix(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype.kind not in "fiub":
        raise InvalidArgument(f"targets of dtype {array.dtype} and several columns: give numbers")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _of_array(array: npt.NDArray[Any]) -> Table:
    if array.dtype.names:
        return _of_columns([(name, array[name]) for name in array.dtype.names])
    if array.ndim != 2:
        raise InvalidArgument(
            f"the inputs have shape {array.shape}: give [rows, columns], as X.reshape(-1, 1) for "
            "one column and X.reshape(1, -1) for one row"
        )
    if array.dtype.kind in "fiub" and not isinstance(array, np.ma.MaskedArray):
        wide = array.dtype == np.longdouble or array.dtype.kind != "f"
        return Table(len(array), [], False, array.astype(np.float64) if wide else array)
    columns = [column_of(f"x{i}", array[:, i]) for i in range(array.shape[1])]
    return Table(len(array), columns, False)


def _of_mapping(data: Mapping[Any, Any]) -> Table:
    single = [name for name, values in data.items() if _is_single(values)]
    if single and len(single) < len(data):
        raise InvalidArgument(
            f"column {quoted(str(single[0]))} has one value, and other columns have several: give "
            "each a list, one value a row"
        )
    if single:
        data = {name: [_plain(value)] for name, value in data.items()}
    return _of_columns([(str(name), values) for name, values in data.items()])


def _is_single(values: Any) -> bool:
    """Whether it is one value, and no column."""
    if isinstance(values, np.ndarray):
        return values.ndim == 0
    return isinstance(values, (str, bytes, np.generic)) or not isinstance(values, Iterable)


def _plain(value: Any) -> Any:
    return value[()] if isinstance(value, np.ndarray) else value


def _of_columns(items: list[tuple[str, Any]]) -> Table:
    """A table of columns as they were given, all of one length."""
    columns = [(name, v if hasattr(v, "__len__") else list(v)) for name, v in items]
    rows = len(columns[0][1]) if columns else 0
    for name, values in columns:
        if len(values) != rows:
            raise InvalidArgument(
                f"column {quoted(name)} has {counted(len(values), 'row')}, and "
                f"{quoted(columns[0][0])} has {rows}"
            )

    def reader(name: str, values: Any) -> Reader:
        return lambda: column_of(name, values)

    return _of_unread(rows, [(name, reader(name, values)) for name, values in columns])


def _of_unread(rows: int, columns: list[tuple[str, Reader]]) -> Table:
    if not columns:
        raise InvalidArgument("the inputs have no column")
    names = {name for name, _ in columns}
    if len(names) < len(columns):
        twice = next(n for n in names if sum(name == n for name, _ in columns) > 1)
        raise InvalidArgument(f"two columns are called {quoted(twice)}: rename one")
    return Table(rows, [Unread(name, read) for name, read in columns], True)


def _of_rows(data: Sequence[Any]) -> Table:
    if not data:
        raise InvalidArgument("no rows: give at least one, or an array of shape [0, columns]")
    if all(isinstance(row, Mapping) for row in data):
        names = list(dict.fromkeys(name for row in data for name in row))
        return _of_columns([(str(n), [row.get(n) for row in data]) for n in names])
    widths = {len(row) if hasattr(row, "__len__") else -1 for row in data}
    if widths == {-1}:
        raise InvalidArgument("the inputs are one-dimensional: give a row of columns for each")
    if len(widths) > 1:
        raise InvalidArgument("the rows have different lengths")
    rows = [list(row) for row in data]
    columns = [column_of(f"x{i}", [row[i] for row in rows]) for i in range(widths.pop())]
    if all(column.kind in ("number", "bool") for column in columns):
        return _of_array(np.array(rows, dtype=np.float64))
    return Table(len(rows), columns, False)


def _is_array(data: Any) -> bool:
    """Of numpy, or of a library whose arrays numpy takes. Frames and their columns are none."""
    if isinstance(data, np.ndarray):
        return True
    frames = ("pandas", "polars", "pyarrow", "narwhals")
    return hasattr(data, "__array__") and type(data).__module__.split(".")[0] not in frames

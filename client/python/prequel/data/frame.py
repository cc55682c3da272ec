"""Columns of frames: of pandas, and with narwhals of any library that narwhals knows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from prequel.data.column import Column, column_of
from prequel.data.number import quoted
from prequel.errors import InvalidArgument, kind_of

Reader = Callable[[], Column]  # raises InvalidArgument for what a model cannot take


def is_pandas(data: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, (pandas.DataFrame, pandas.Series))


def pandas_columns(frame: Any) -> list[tuple[str, Reader]]:
    """The columns of a pandas.DataFrame, each with what reads it."""
    if not hasattr(frame, "columns"):
        raise InvalidArgument(
            "a series is one column: give a frame, as series.to_frame(), or series.to_dict() if it "
            "is one row"
        )

    def reader(place: int, name: str) -> Reader:
        return lambda: _pandas_column(name, frame.iloc[:, place])

    return [(str(name), reader(i, str(name))) for i, name in enumerate(frame.columns)]


def _pandas_column(name: str, series: Any) -> Column:
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        return _categories(name, series.cat.categories.to_numpy(), series.cat.codes.to_numpy())
    arrow = getattr(dtype, "pyarrow_dtype", None)
    if arrow is not None and str(arrow).startswith("dictionary"):
        texts = [None if v is None else v for v in series.array.__arrow_array__().to_pylist()]
        return _as_categories(name, texts)
    kind = getattr(dtype, "kind", "O")
    if kind == "M" and (getattr(dtype, "tz", None) or getattr(arrow, "tz", None)) is not None:
        wall = series.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
        instants = series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
        return Column(name, wall, offsets=wall - instants)
    if not isinstance(dtype, np.dtype) and kind in "fiu":
        if kind in "iu" and not series.isna().any():
            return column_of(name, series.to_numpy(dtype=np.uint64 if kind == "u" else np.int64))
        return column_of(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    if isinstance(dtype, np.dtype) or kind == "M":
        return column_of(name, series.to_numpy())
    return column_of(name, series.astype(object).to_numpy())


def narwhals_columns(data: Any, series_name: str = "x") -> tuple[int, list[tuple[str, Reader]]]:
    """The number of rows, and the columns, each with what reads it."""
    try:
        import narwhals as nw
    except ImportError:
        raise InvalidArgument(
            f"{kind_of(data)} is no array and no pandas frame; other frames are read with "
            "narwhals: pip install narwhals"
        ) from None
    if hasattr(data, "collect") and not hasattr(data, "__len__"):
        raise InvalidArgument(f"{kind_of(data)} holds no rows yet: give data.collect()")
    try:
        frame = nw.from_native(data, eager_only=True, allow_series=True)
    except TypeError:
        raise InvalidArgument(
            f"{kind_of(data)} is neither an array, a mapping of columns nor a frame"
        ) from None
    if isinstance(frame, nw.Series):
        frame = frame.alias(frame.name or series_name).to_frame()

    def reader(name: str) -> Reader:
        return lambda: _narwhals_column(nw, name, frame[name])

    return len(frame), [(name, reader(name)) for name in frame.columns]


def _narwhals_column(nw: Any, name: str, series: Any) -> Column:
    dtype = series.dtype
    if dtype.is_numeric():
        if series.is_null().any():
            return column_of(name, series.cast(nw.Float64).fill_null(float("nan")).to_numpy())
        return column_of(name, series.to_list() if dtype == nw.Decimal else series.to_numpy())
    if dtype == nw.Datetime and getattr(dtype, "time_zone", None):
        wall = _microseconds(series.dt.replace_time_zone(None))
        instants = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return Column(name, wall, offsets=wall - _microseconds(instants))
    if dtype in (nw.Datetime, nw.Date):
        return Column(name, _microseconds(series))
    if dtype in (nw.Categorical, nw.Enum):
        return _as_categories(name, series.to_list())
    # Arrow's date64 and its column of nothing but nulls are of no type that narwhals names.
    if dtype in (nw.String, nw.Boolean, nw.Time, nw.Object, nw.Unknown):
        values = np.empty(len(series), dtype=object)
        values[:] = series.to_list()
        return column_of(name, values)
    raise InvalidArgument(f"column {quoted(name)} is of type {dtype}: give numbers or text")


def _microseconds(series: Any) -> npt.NDArray[Any]:
    return np.asarray(series.to_numpy(), dtype="datetime64[us]")


def _as_categories(name: str, values: list[Any]) -> Column:
    known: dict[Any, int] = {None: -1}
    codes = [known.setdefault(value, len(known) - 1) for value in values]
    distinct = np.empty(len(known) - 1, dtype=object)
    distinct[:] = [value for value in known if value is not None]
    return _categories(name, distinct, np.array(codes, dtype=np.int64))


def _categories(name: str, categories: npt.NDArray[Any], codes: npt.NDArray[Any]) -> Column:
    """A column of the texts of `categories`, whatever they are, by `codes`; −1 is missing."""
    texts = np.empty(len(categories) + 1, dtype=object)
    texts[:-1] = column_of(name, categories).texts()
    return Column(name, texts[codes], categorical=True)

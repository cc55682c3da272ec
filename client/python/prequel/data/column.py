"""One column of what was given: numbers, truth values, moments or text."""

from __future__ import annotations

import datetime
import decimal
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
import numpy.typing as npt

from prequel.data.moment import MomentForm, moment_numbers, parse_moment
from prequel.data.number import (
    MAX_TEXT_BYTES,
    is_missing,
    parse_number,
    quoted,
    text_of_number,
    trim,
)
from prequel.errors import InvalidArgument, kind_of

_NUMBERS = (int, float, np.integer, np.floating, decimal.Decimal)


def refused(row: int, column: str, what: str) -> InvalidArgument:
    """Names the place: rows are counted from 0, as arrays and frames have them."""
    return InvalidArgument(f"row {row}, column {quoted(column)}: {what}")


@dataclass(frozen=True)
class Column:
    """`values` is one of: floats or integers (NaN is missing), bool, datetime64 (NaT is missing) by
    the clock on the wall, or an object array of str and None (missing).

    categorical: whether the column was given as one of categories, whatever they look like.
    offsets: of moments with a zone, how far each is ahead of UTC; None without one.
    """

    name: str
    values: npt.NDArray[Any]
    categorical: bool = False
    offsets: npt.NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def kind(self) -> str:
        """ "number", "bool", "moment" or "text"."""
        return {"f": "number", "i": "number", "u": "number", "b": "bool", "M": "moment"}.get(
            self.values.dtype.kind, "text"
        )

    def missing(self) -> npt.NDArray[np.bool_]:
        """Which rows have no value. Words for none, such as "NA", are not looked at."""
        if self.values.dtype.kind == "f":
            return np.isnan(self.values)
        if self.kind == "moment":
            return np.isnat(self.values)
        if self.kind == "text":
            return np.array([v is None for v in self.values], dtype=bool)
        return np.zeros(len(self), dtype=bool)

    def texts(self) -> list[str]:
        """The cells as a CSV file would have them, without blanks around; missing: "". Whole floats
        are their integers: 7.0 is "7"."""
        if self.kind == "text":
            return ["" if v is None else trim(v) for v in self.values]
        if self.kind == "moment":
            return self._moment_texts()
        return ["" if v != v else text_of_number(v) for v in self.values.tolist()]

    def categories(self) -> list[str]:
        """`texts`, each no longer than a category or a label may be."""
        texts = self.texts()
        if self.kind != "text":
            return texts
        for text in set(texts):
            try:
                size = len(text) if text.isascii() else len(text.encode())
            except UnicodeEncodeError:
                raise refused(
                    texts.index(text), self.name, f"{quoted(text)} cannot be written as UTF-8"
                ) from None
            if size > MAX_TEXT_BYTES:
                what = f"a text of {size} bytes; the longest has {MAX_TEXT_BYTES}"
                raise refused(texts.index(text), self.name, what)
        return texts

    def numbers(self, advice: Callable[[str], str] = lambda _: "") -> npt.NDArray[Any]:
        """The values as floats, NaN where one is missing; `advice` says of a text that is no number
        what is wrong with it, or ""."""
        if self.kind in ("number", "bool"):
            return self.values if self.values.dtype.kind == "f" else self.values.astype(np.float64)
        if self.kind == "moment":
            what = f"{self.texts()[0]} is a moment, and the model learns a number here"
            raise refused(0, self.name, what)
        known: dict[str | None, float] = {None: np.nan}
        for row, value in enumerate(self.values):
            if value not in known:
                number = np.nan if is_missing(value) else parse_number(value)
                if number is None:
                    number = {"true": 1.0, "false": 0.0}.get(trim(value).lower())
                if number is None:
                    what = f"{quoted(value)} {advice(value) or 'is not a number'}"
                    raise refused(row, self.name, what)
                known[value] = number
        return np.array([known[v] for v in self.values], dtype=np.float64)

    def moments(self, form: MomentForm) -> npt.NDArray[np.float64]:
        """The numbers of `form` for each row, [rows, form.width]; NaN where one is missing."""
        days = np.zeros(len(self), dtype=np.int64)
        seconds = np.zeros(len(self), dtype=np.float64)
        missing = self.missing()
        if self.kind == "moment" and form.kind != "time":
            known = self.values[~missing]
            days[~missing] = known.astype("datetime64[D]").astype(np.int64)
            rest = known - known.astype("datetime64[D]")
            seconds[~missing] = rest / np.timedelta64(1, "s")
        else:
            self._parse_moments(form, days, seconds, missing)
        out = moment_numbers(days, seconds, form)
        out[missing] = np.nan
        return out

    def _parse_moments(self, form: MomentForm, days: Any, seconds: Any, missing: Any) -> None:
        known: dict[str, tuple[int, float] | None] = {}
        for row, text in enumerate(self.texts()):
            if text not in known:
                known[text] = None if is_missing(text) else parse_moment(text, form)
                if known[text] is None and not is_missing(text):
                    kind = "time of day" if form.kind == "time" else "date"
                    what = f"{quoted(text)} is no {kind} as the model has learned them here: write "
                    raise refused(row, self.name, what + form.example)
            moment = known[text]
            missing[row] = moment is None
            if moment is not None:
                days[row], seconds[row] = moment

    def _moment_texts(self) -> list[str]:
        missing = self.missing()
        known = self.values[~missing]
        dates_only = bool((known == known.astype("datetime64[D]")).all())
        unit = "datetime64[D]" if dates_only else "datetime64[us]"
        return [
            "" if value is None else str(value)[:10] if dates_only else _clock(value)
            for value in self.values.astype(unit).tolist()
        ]


def column_of(name: str, values: Any) -> Column:
    """A column of whatever holds one value per row: an array, or a sequence of Python objects."""
    array = values if isinstance(values, np.ndarray) else _array_of(values)
    if array.ndim != 1:
        raise InvalidArgument(f"column {quoted(name)} has {array.ndim} dimensions: give it one")
    if array.dtype.kind == "T":  # numpy's StringDType
        array = array.astype(object)
    if isinstance(array, np.ma.MaskedArray):
        floats = array.dtype.kind in "fiu"
        masked: Any = array.astype(np.float64 if floats else object)
        array = masked.filled(np.nan if floats else None)
    kind = array.dtype.kind
    if kind in "fiubM":
        return Column(name, array.astype(np.float64) if array.dtype == np.longdouble else array)
    if kind == "U":
        return Column(name, array.astype(object))
    if kind == "O":
        return _of_objects(name, array)
    what = {"c": "complex numbers", "m": "durations", "S": "bytes", "V": "records"}.get(kind, kind)
    advice = {"c": "give real and imaginary part a column each", "m": "divide them by a unit",
              "S": "decode them to text"}.get(kind, "give numbers or text")  # fmt: skip
    raise InvalidArgument(f"column {quoted(name)} holds {what}: {advice}")


def _array_of(values: Any) -> npt.NDArray[Any]:
    values = list(values)
    types = set(map(type, values))
    if types <= {int, float}:
        return np.array(values, dtype=np.float64 if float in types else None)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _of_objects(name: str, array: npt.NDArray[Any]) -> Column:
    """What Python objects stand for: numbers, moments, or texts and None."""
    types = set(map(type, array.tolist()))
    if types == {str}:
        return Column(name, array)
    missing = np.array([_is_missing_object(v) for v in array], dtype=bool)
    present = array[~missing]
    if all(isinstance(v, _NUMBERS) and not isinstance(v, bool) for v in present):
        return Column(name, _numbers_of(name, array, present, missing))
    if all(isinstance(v, (bool, np.bool_)) for v in present) and not missing.any():
        return Column(name, array.astype(bool))
    if all(isinstance(v, (datetime.date, np.datetime64)) for v in present):
        return _moments_of(name, array, missing)
    out = np.empty(len(array), dtype=object)
    for row, value in enumerate(array):
        if not missing[row]:
            out[row] = _text_of(name, row, value)
    return Column(name, out)


def _numbers_of(name: str, array: Any, present: Any, missing: Any) -> npt.NDArray[Any]:
    if all(isinstance(v, (int, np.integer)) for v in present) and not missing.any():
        try:
            return array.astype(np.int64)
        except OverflowError:
            pass
    out = np.full(len(array), np.nan)
    try:
        out[~missing] = [float(v) for v in present]
    except OverflowError:
        raise InvalidArgument(f"column {quoted(name)} has an integer beyond 1e308") from None
    return out


def _moments_of(name: str, array: Any, missing: Any) -> Column:
    wall = np.full(len(array), np.datetime64("NaT", "us"), dtype="datetime64[us]")
    offsets = np.zeros(len(array), dtype="timedelta64[us]")
    zoned = False
    for row in np.flatnonzero(~missing):
        value = array[row]
        if isinstance(value, datetime.datetime):
            offset = value.utcoffset()
            if offset is not None:
                zoned = True
                offsets[row] = offset
            value = value.replace(tzinfo=None)
        wall[row] = np.datetime64(value, "us")
    return Column(name, wall, offsets=offsets if zoned else None)


def _text_of(name: str, row: int, value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, _NUMBERS) and not isinstance(value, bool):
        return text_of_number(value)
    if isinstance(value, (bool, np.bool_, datetime.date, datetime.time)):
        return str(value)
    what = f"{kind_of(value)} is no value; give numbers, text, dates or None"
    raise refused(row, name, what)


def _is_missing_object(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant"):
        return True
    if isinstance(value, np.datetime64):
        return bool(np.isnat(value))
    return isinstance(value, (float, np.floating, decimal.Decimal)) and bool(value != value)


def _clock(value: datetime.datetime) -> str:
    text = value.isoformat(sep=" ")
    return text.rstrip("0").rstrip(".") if "." in text else text

"""What was seen of one column."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from prequel.data.column import Column
from prequel.data.moment import FORMS, MomentForm, looks_like_moment, offset_of, parse_moment
from prequel.data.number import (
    MAX_MAGNITUDE,
    MAX_TEXT_BYTES,
    is_missing,
    parse_number,
    prefix,
    text_of_number,
)
from prequel.inference.number_advice import number_advice

_TEXT_KEPT = 80
_INTEGER = re.compile(r"([+-]?)(\d+)", re.A)
_COMPACT_DATE = re.compile(r"(?:19\d\d|20\d\d|2100)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", re.A)
_MONTH = re.compile(r"(?:19\d\d|20\d\d|2100)-(?:0[1-9]|1[0-2])", re.A)
_KEPT_VALUES = 101  # different values of a target


@dataclass(frozen=True)
class SeenCell:
    """A cell to name in a message; its text may be cut. Rows are counted from 0."""

    row: int
    text: str


@dataclass
class ColumnSummary:
    """Counts and a few cells. Cells are seen without the blanks around them.

    values: cells that are not missing, of which `numbers`, `almost_numbers` (number_advice knows
    how to write them), `moments` and, of the numbers, `integers`. distinct: different texts, the
    empty one and words for no value included. content: equal for equal columns.
    """

    values: int = 0
    numbers: int = 0
    almost_numbers: int = 0
    moments: int = 0
    integers: int = 0
    compact_dates: int = 0  # of the integers: eight digits such as 20260131
    months: int = 0  # texts such as 2026-01
    missing: int = 0
    missing_words: int = 0  # of them, not empty
    distinct: int = 0
    content: bytes = b""
    categorical: bool = False  # given as one of categories, whatever they look like
    fits: set[MomentForm] = field(default_factory=lambda: set(FORMS))
    offset: float | None = None  # of the first moment
    # The first cell that is …
    value: SeenCell | None = None
    not_a_number: SeenCell | None = None  # a value, and none
    almost_number: SeenCell | None = None
    other_offset: SeenCell | None = None  # a moment of another offset than the first one
    misfit: SeenCell | None = None  # of no form that all values before it are of
    missing_word: SeenCell | None = None  # missing, and not empty
    leading_zero: SeenCell | None = None  # an integer that begins with a zero, with more digits
    inexact: SeenCell | None = None  # an integer beyond 2**53, which floats do not tell apart
    too_large: SeenCell | None = None  # a number beyond MAX_MAGNITUDE
    too_long: SeenCell | None = None  # a text beyond MAX_TEXT_BYTES

    @property
    def numeric(self) -> bool:
        return 0 < self.values == self.numbers

    @property
    def integral(self) -> bool:
        return 0 < self.values == self.integers


def summarize(column: Column) -> ColumnSummary:
    if column.kind == "number":
        return _of_numbers(column.values)
    texts = column.texts()
    summary = ColumnSummary(
        content=_digest("text", "\0".join(texts).encode("utf-8", "replace")),
        categorical=column.categorical,
    )
    first: dict[str, int] = {}
    for row, text in enumerate(texts):
        first.setdefault(text, row)
    counts = Counter(texts)
    summary.distinct = len(counts)
    offsets = np.array([]) if column.offsets is None else column.offsets[~column.missing()]
    if len(offsets) and (offsets != offsets[0]).any():
        row = int(np.flatnonzero(~column.missing())[int(np.argmax(offsets != offsets[0]))])
        summary.other_offset = SeenCell(row, texts[row])
    # In the order in which they are first seen; a repeat changes nothing but counts.
    for text, row in first.items():
        _see(summary, text, counts[text], row)
    return summary


@dataclass
class TargetSummary:
    """A target's column: its different values as text (the first 101) and how often each came, in
    the order of their bytes; and its finite numbers."""

    column: ColumnSummary
    values: dict[str, int]
    numbers: npt.NDArray[np.float64]

    @property
    def is_cut(self) -> bool:
        return len(self.values) >= _KEPT_VALUES

    def distinct_numbers(self) -> list[float]:
        """Ascending. Requires a numeric column."""
        return sorted({parse_number(text) or 0.0 for text in self.values})


def summarize_target(column: Column) -> TargetSummary:
    if column.kind == "number":
        known = column.values[~column.missing()]
        unique, first, counts = np.unique(known, return_index=True, return_counts=True)
        order = np.argsort(first)[:_KEPT_VALUES]
        texts = {text_of_number(unique[i].item()): int(counts[i]) for i in order}
        numbers = known[np.isfinite(known)].astype(np.float64)
    else:
        counted = Counter(t for t in column.texts() if not is_missing(t))
        texts = dict(list(counted.items())[:_KEPT_VALUES])
        repeated = [(parse_number(text), count) for text, count in counted.items()]
        finite = [(n, c) for n, c in repeated if n is not None and math.isfinite(n)]
        numbers = np.repeat([n for n, _ in finite], [c for _, c in finite]).astype(np.float64)
    values = {text: texts[text] for text in sorted(texts, key=lambda text: text.encode())}
    return TargetSummary(summarize(column), values, numbers)


def _digest(kind: str, data: bytes) -> bytes:
    return hashlib.blake2b(data, person=kind.encode()).digest()


def _see(summary: ColumnSummary, text: str, count: int, row: int) -> None:
    cell = SeenCell(row, prefix(text, _TEXT_KEPT))
    if len(text) > MAX_TEXT_BYTES or len(text.encode("utf-8", "replace")) > MAX_TEXT_BYTES:
        summary.too_long = summary.too_long or cell
    if is_missing(text):
        summary.missing += count
        if text:
            summary.missing_words += count
            summary.missing_word = summary.missing_word or cell
        return
    summary.values += count
    summary.value = summary.value or cell
    number = parse_number(text)
    if number is None:
        _see_text(summary, text, count, cell)
        return
    summary.fits.clear()
    summary.misfit = summary.misfit or cell
    summary.numbers += count
    if math.isinf(number) or number == math.floor(number):
        summary.integers += count
        _see_integer(summary, text, count, cell)
    if not abs(number) <= MAX_MAGNITUDE:
        summary.too_large = summary.too_large or cell


def _see_integer(summary: ColumnSummary, text: str, count: int, cell: SeenCell) -> None:
    """What makes one doubt that an integer is meant as a number."""
    match = _INTEGER.fullmatch(text)
    if not match:
        return
    sign, digits = match.groups()
    if len(digits) > 1 and digits[0] == "0":
        summary.leading_zero = summary.leading_zero or cell
    if int(digits) > 2**53:
        summary.inexact = summary.inexact or cell
    if not sign and _COMPACT_DATE.fullmatch(digits):
        summary.compact_dates += count


def _see_text(summary: ColumnSummary, text: str, count: int, cell: SeenCell) -> None:
    summary.not_a_number = summary.not_a_number or cell
    summary.fits = {form for form in summary.fits if parse_moment(text, form) is not None}
    if summary.fits:
        offset = offset_of(text, min(summary.fits, key=FORMS.index)) or 0.0
        if summary.offset is None:
            summary.offset = offset
        elif offset != summary.offset:
            summary.other_offset = summary.other_offset or cell
    if not summary.fits:
        summary.misfit = summary.misfit or cell
    if _MONTH.fullmatch(text):
        summary.months += count
    if looks_like_moment(text):
        summary.moments += count
    elif number_advice(text):
        summary.almost_numbers += count
        summary.almost_number = summary.almost_number or cell


def _doubt(summary: ColumnSummary, values: npt.NDArray[Any], known: npt.NDArray[np.bool_]) -> None:
    """Looks at numbers as `_see_integer` does at texts."""
    if values.dtype.kind in "iu":
        inexact = values > 2**53
        if values.dtype.kind == "i":
            inexact |= values < -(2**53)
        if inexact.any():
            row = int(np.argmax(inexact))
            summary.inexact = SeenCell(row, str(values[row].item()))
    present = values[known].astype(np.float64)
    present = present[np.isfinite(present)]
    year, month, day = present // 10_000, present // 100 % 100, present % 100
    dates = (present == np.floor(present)) & (year >= 1900) & (year <= 2100)
    dates &= (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    summary.compact_dates = int(dates.sum())


def _of_numbers(values: npt.NDArray[Any]) -> ColumnSummary:
    known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
    present = values[known]
    summary = ColumnSummary(values=len(present), numbers=len(present), fits=set())
    summary.missing = len(values) - len(present)
    summary.integers = int((present == np.floor(present)).sum())
    summary.distinct = len(np.unique(present)) + (summary.missing > 0)
    _doubt(summary, values, known)
    kind = "float" if values.dtype.kind == "f" else "integer"
    summary.content = _digest(kind, values.astype(np.float64).tobytes())
    if len(present):
        row = int(np.argmax(known))
        summary.value = summary.misfit = SeenCell(row, str(values[row].item()))
        large = known & ~(np.abs(values) <= MAX_MAGNITUDE)
        if large.any():
            row = int(np.argmax(large))
            summary.too_large = SeenCell(row, str(values[row].item()))
    return summary

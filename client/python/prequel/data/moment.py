"""Dates and times, and the numbers that a model gets for them."""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from prequel.data.number import trim

_DAY = 86_400.0
_MAX_BYTES = 64  # no moment is written longer
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip


@dataclass(frozen=True)
class MomentForm:
    """How a column writes its moments.

    kind: "date", "datetime" or "time". order: "" for the year first, "dmy" or "mdy" for the day or
    the month first; "" for times of day.
    """

    kind: str
    order: str = ""

    @property
    def width(self) -> int:
        """How many numbers a model gets for a moment."""
        return {"time": 2, "date": 5, "datetime": 7}[self.kind]

    @property
    def word(self) -> str:
        return f"{self.kind}-{self.order}" if self.order else self.kind

    @property
    def example(self) -> str:
        if self.kind == "time":
            return "10:15:00"
        date = {"": "2024-01-31", "dmy": "31/1/2024", "mdy": "1/31/2024"}[self.order]
        return date if self.kind == "date" else date + " 10:15:00"


# Of those that fit all cells of a column the first is meant.
FORMS = (
    MomentForm("time"),
    MomentForm("date"),
    MomentForm("datetime"),
    MomentForm("date", "dmy"),
    MomentForm("date", "mdy"),
    MomentForm("datetime", "dmy"),
    MomentForm("datetime", "mdy"),
)

_YEAR_FIRST = r"(?P<a>\d{4})([-/.])(?P<b>\d{1,2})\2(?P<c>\d{1,2})"
_YEAR_LAST = r"(?P<a>\d{1,2})([-/.])(?P<b>\d{1,2})\2(?P<c>\d{4})"
_TIME = (
    r"(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2})(?:[.,](?P<f>\d+))?)?(?: ?(?P<half>[aApP])[mM])?"
)
_OFFSET = r"(?P<offset>[zZ]|[+-]\d{2}(?::\d{2}|\d{2})?)?"
_LIKE_DATE = re.compile(
    r"(?:(?=.{2}\d{2}.)\d{4}[/-]\d{1,2}[/-]\d{1,2}|\d{1,4}[/-]\d{1,2}[/-]\d{2,4})(?:[ T].*)?",
    re.S | re.A,
)


def _pattern(form: MomentForm) -> re.Pattern[str]:
    if form.kind == "time":
        return re.compile(_TIME, re.A)
    date = _YEAR_LAST if form.order else _YEAR_FIRST
    return re.compile(date if form.kind == "date" else rf"{date}(?:[Tt ]{_TIME}{_OFFSET})?", re.A)


_PATTERNS = {form: _pattern(form) for form in FORMS}


def parse_moment(text: str, form: MomentForm) -> tuple[int, float] | None:
    """Days since 1970-01-01 and seconds since midnight, as the clock on the wall had them; nothing
    when all of `text` is not of this form, or there is no such day or time."""
    text = trim(text)
    match = _PATTERNS[form].fullmatch(text) if len(text.encode()) <= _MAX_BYTES else None
    if not match:
        return None
    day = 0 if form.kind == "time" else _day(match, form.order)
    seconds = 0.0 if form.kind == "date" or match["h"] is None else _seconds(match)
    return None if day is None or seconds is None else (day, seconds)


def parse_instant(text: str, form: MomentForm) -> float | None:
    """Seconds since 1970 of a moment whose form has a date: in UTC where the text has an offset,
    else by the clock on the wall."""
    moment = parse_moment(text, form)
    if moment is None:
        return None
    return _DAY * moment[0] + moment[1] - (offset_of(text, form) or 0.0)


def offset_of(text: str, form: MomentForm) -> float | None:
    """Seconds that the clock of `text` is ahead of UTC; None where the text does not say."""
    match = _PATTERNS[form].fullmatch(trim(text)) if form.kind == "datetime" else None
    offset = match["offset"] if match else None
    if not offset:
        return None
    digits = re.sub(r"\D", "", offset).ljust(4, "0")
    seconds = 3600.0 * int(digits[:2]) + 60.0 * int(digits[2:])
    return -seconds if offset[0] == "-" else seconds


def looks_like_moment(text: str) -> bool:
    """Whether a person would take `text` for a date or a time, in whatever form."""
    text = trim(text)
    if not text or len(text.encode()) > _MAX_BYTES or not re.search(r"\d", text, re.A):
        return False
    separated = any(separator in text for separator in "-/.:")
    if separated and any(parse_moment(text, form) for form in FORMS):
        return True
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in _MONTHS:
            return True
        if 3 <= len(word) <= 4 and any(month.startswith(word) for month in _MONTHS):
            return True
    return separated and bool(_LIKE_DATE.fullmatch(text))


def moment_numbers(
    days: npt.NDArray[np.int64], seconds: npt.NDArray[np.float64], form: MomentForm
) -> npt.NDArray[np.float64]:
    """What a model gets for moments: [rows, form.width].

    Of dates the days since 1970-01-01 with the fraction of the day, then sine and cosine of the
    part of the year and of the part of the week (from Monday on) that is over; of what has a time,
    sine and cosine of the part of the day.
    """
    part_of_day = seconds / _DAY
    columns: list[npt.NDArray[np.float64]] = []
    if form.kind != "time":
        columns.append(days + part_of_day)
        years = days.astype("datetime64[D]").astype("datetime64[Y]")
        first = years.astype("datetime64[D]").astype(np.int64)
        following = years + np.timedelta64(1, "Y")
        length = following.astype("datetime64[D]").astype(np.int64) - first
        columns += _angle((days - first + part_of_day) / length)
        columns += _angle(((days + 3) % 7 + part_of_day) / 7)  # 1970-01-01 was a Thursday
    if form.kind != "date":
        columns += _angle(part_of_day)
    return np.stack(columns, axis=1)


def feature_name(column: str, form: MomentForm) -> str:
    """The form travels with the model in the name of a numeric feature of `form.width` columns."""
    return f"{column}:{form.word}"


def moment_column(name: str, width: int) -> tuple[str, MomentForm] | None:
    """Column and form of a feature of this name; nothing unless it is such a name and width."""
    column, _, word = name.rpartition(":")
    for form in FORMS:
        if column and word == form.word and width == form.width:
            return column, form
    return None


def _day(match: re.Match[str], order: str) -> int | None:
    a, b, c = int(match["a"]), int(match["b"]), int(match["c"])
    year, month, day = {"": (a, b, c), "dmy": (c, b, a), "mdy": (c, a, b)}[order]
    try:
        return datetime.date(year, month, day).toordinal() - 719_163
    except ValueError:
        return None


def _seconds(match: re.Match[str]) -> float | None:
    hour, minute, second = int(match["h"]), int(match["m"]), float(match["s"] or 0)
    unit = 0.1
    for digit in match["f"] or "":
        second += unit * int(digit)
        unit /= 10
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (0 if match["half"] in "aA" else 12)
    if hour > 23 or minute > 59 or second >= 61:  # leap seconds
        return None
    return min(3600.0 * hour + 60.0 * minute + second, _DAY - 1e-6)


def _angle(turns: npt.NDArray[np.float64]) -> list[Any]:
    # Those of libm, as the C++ client has them: numpy's own may differ in the last bit.
    angles = (2 * np.pi * turns).tolist()
    return [np.array([f(angle) for angle in angles]) for f in (math.sin, math.cos)]

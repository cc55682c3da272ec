"""When rows happened."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from prequel.data.column import Column, refused
from prequel.data.moment import MomentForm, parse_instant
from prequel.data.number import parse_number, quoted
from prequel.errors import InvalidArgument


def times_of(column: Column, rows: int) -> npt.NDArray[np.float64]:
    """One number for each row: moments and their texts, the year first, as seconds since 1970; of
    those that say how far they are ahead of UTC, since 1970 in UTC."""
    if len(column) != rows:
        raise InvalidArgument(f"X has {rows} rows and times has {len(column)}: give each row one")
    missing = column.missing()
    if missing.any():
        raise refused(int(np.argmax(missing)), column.name, "a row must say when it happened")
    if column.kind == "moment":
        since = column.values - np.datetime64(0, "s")
        if column.offsets is not None:
            since = since - column.offsets
        return np.asarray(since / np.timedelta64(1, "s"), dtype="<f8")
    if column.kind == "text":
        return np.array([_seconds(column, row) for row in range(rows)], dtype="<f8")
    times = column.numbers().astype("<f8")
    wrong = ~np.isfinite(times)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise refused(row, column.name, f"{times[row]} is no time: it must be finite")
    return times


def _seconds(column: Column, row: int) -> float:
    text = column.values[row]
    for kind in ("datetime", "date"):
        instant = parse_instant(text, MomentForm(kind))
        if instant is not None:
            return instant
    number = parse_number(text)
    if number is None:
        what = f"{quoted(text)} is neither a number nor a moment such as 2024-01-31 10:15:00"
        raise refused(row, column.name, what)
    return number

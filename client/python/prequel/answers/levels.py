"""Levels of quantiles and intervals: numbers between 0 and 1."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any, Union

from prequel.errors import InvalidArgument

Levels = Union[float, Iterable[float]]


def check_level(level: Any) -> float:
    """`level` as a number; InvalidArgument unless it is one, between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, numbers.Real):
        raise InvalidArgument(f"level: {level!r} is not one number between 0 and 1")
    number = float(level)
    if not 0 < number < 1:
        meant = f"; did you mean {number / 100:g}?" if 1 < number < 100 else ""
        raise InvalidArgument(f"level: {level} is not between 0 and 1{meant}")
    return number


def round_level(level: float) -> float:
    """`level` to 12 digits, as it is sent and remembered: (1 - 0.9) / 2 is 0.05. One that would
    become 0 or 1 is left as it is."""
    level = check_level(level)
    near = float(f"{level:.12g}")
    return near if 0 < near < 1 else level


def round_levels(levels: Levels) -> list[float]:
    """Each once, in ascending order."""
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        levels = [levels]
    return sorted({round_level(level) for level in levels})


def ends_of(level: float) -> tuple[float, float]:
    """The levels of the quantiles between which the central interval of `level` lies."""
    level = check_level(level)
    return round_level((1 - level) / 2), round_level((1 + level) / 2)

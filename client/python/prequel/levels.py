"""Levels of quantiles and intervals: numbers between 0 and 1."""

from __future__ import annotations

from collections.abc import Iterable


def round_level(level: float) -> float:
    """`level` to 12 digits, as it is sent and remembered: (1 - 0.9) / 2 is 0.05. One that would
    become 0 or 1 is left as it is."""
    near = float(f"{level:.12g}")
    return near if 0 < near < 1 else float(level)


def round_levels(levels: Iterable[float]) -> list[float]:
    """Each once, in ascending order."""
    return sorted({round_level(level) for level in levels})


def ends_of(level: float) -> tuple[float, float]:
    """The levels of the quantiles between which the central interval of `level` lies."""
    return round_level((1 - level) / 2), round_level((1 + level) / 2)

"""Numbers and names as text, read as `prequel learn` reads the cells of a CSV file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

MAX_MAGNITUDE = 1e100  # of an input or a target
MAX_TEXT_BYTES = 1024  # of a category or a class label

_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan(?:\(\w*\))?)", re.I | re.A
)
_MISSING_WORDS = frozenset(
    ["", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NULL", "null", "None", "?"]
)
_SHOWN_BYTES = 60


def trim(text: str) -> str:
    """`text` without the blanks around it, which are none of a cell."""
    return text.strip(" \t")


def parse_number(text: str) -> float | None:
    """The number that all of `text` is, or nothing."""
    text = trim(text)
    if not _NUMBER.fullmatch(text):
        return None
    return float("nan") if "(" in text else float(text)


def text_of_number(value: Any) -> str:
    """`value` as text; a whole number without a point: 7.0 is "7"."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def is_missing(text: str) -> bool:
    """Whether `text` means that there is no value."""
    text = trim(text)
    if text in _MISSING_WORDS:
        return True
    number = parse_number(text)
    return number is not None and number != number


def rounded(value: float, digits: int) -> str:
    return f"{value:.{digits}g}"


def prefix(text: str, size: int) -> str:
    """The first `size` bytes of `text` at most, cut between characters."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= size else data[:size].decode("utf-8", "ignore")


def quoted(text: str) -> str:
    """`text` in quotes for a message: cut, and with control characters escaped."""
    shown = prefix(text, _SHOWN_BYTES)
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    escaped = "".join(
        short.get(c, f"\\x{ord(c):02X}" if ord(c) < 0x20 or ord(c) == 0x7F else c) for c in shown
    )
    return f"'{escaped}{'…' if len(shown) < len(text) else ''}'"


def nearest_name(wanted: str, names: Sequence[str]) -> str:
    """The name that a misspelt `wanted` may have meant; "" when none is near."""
    best, nearest = 257, ""
    for name in names:
        if max(len(wanted), len(name)) > 256:
            continue
        distance = 1 if _one_swap_apart(wanted, name) else _edit_distance(wanted, name)
        longer = max(len(wanted), len(name))
        if distance < best and distance <= 3 and distance <= longer // 3:
            best, nearest = distance, name
    return nearest


def _one_swap_apart(a: str, b: str) -> bool:
    if len(a) != len(b):
        return False
    at = [i for i in range(len(a)) if a[i] != b[i]]
    return len(at) == 2 and at[1] == at[0] + 1 and a[at[0]] == b[at[1]] and a[at[1]] == b[at[0]]


def _edit_distance(a: str, b: str) -> int:
    """Levenshtein 1966, the case of letters ignored."""
    a, b = a.lower(), b.lower()
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a):
        diagonal, row[0] = row[0], i + 1
        for j, other in enumerate(b):
            replaced = diagonal + (letter != other)
            diagonal = row[j + 1]
            row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
    return row[len(b)]

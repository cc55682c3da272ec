"""Numbers as people write them and programs do not read them."""

from __future__ import annotations

import re

from prequel.data.number import parse_number, trim

_MAX_BYTES = 40  # of what a person would call a number
_UNITS = ("$", "€", "£", "¥", "%")
# Both when "1,234" is 1.234: three digits behind one comma are a group, as most would read it.
_SEPARATORS = (",", " ", "'", "’", "\u00a0", "\u202f")
_GROUPED = {
    separator: re.compile(rf"([+-]?)(\d{{1,3}}(?:{re.escape(separator)}\d{{3}})+)(?!\d)", re.A)
    for separator in (*_SEPARATORS, ".")
}


def number_advice(text: str) -> str:
    """What keeps `text` from being a number and how to write it, for example "has a separator of
    thousands: write 1234"; "" when it is a number, or no more like one than any other text."""
    text = trim(text)
    if not text or len(text.encode("utf-8", "replace")) > _MAX_BYTES:
        return ""
    if parse_number(text) is not None:
        return ""
    amount = _without_unit(text)
    if len(amount) < len(text):
        if parse_number(amount) is not None:
            return f"is a number with a unit: write {amount}"
        if number_advice(amount):
            return "is a number with a unit and separators: write 1234.5"
        return ""
    for separator in _SEPARATORS:
        joined = _without_groups(text, separator)
        if joined:
            return f"has a separator of thousands: write {joined}"
    pointed = _with_point(text)
    if pointed:
        return f"has a decimal comma: write {pointed}"
    joined = _without_groups(text, ".")
    return f"has a separator of thousands: write {joined}" if joined else ""


def _without_groups(text: str, separator: str) -> str:
    """ "1234.5" of "1,234.5" with separator ","; "" when the groups are not of three digits."""
    match = _GROUPED[separator].match(text) if separator in text else None
    if not match or text.startswith(separator, match.end()):
        return ""
    rest = text[match.end() :]
    joined = match[1] + match[2].replace(separator, "") + rest
    return joined if parse_number(joined) is not None and not rest.startswith("e") else ""


def _with_point(text: str) -> str:
    """ "1234.5" of "1234,5" and of "1.234,5"; "" of anything else."""
    whole, comma, decimals = text.partition(",")
    if not comma or not re.fullmatch(r"\d+", decimals, re.A):
        return ""
    joined = _without_groups(whole, ".") or whole
    if not re.search(r"\d$", joined, re.A) or "." in joined:
        return ""
    joined += "." + decimals
    return joined if parse_number(joined) is not None else ""


def _without_unit(text: str) -> str:
    for unit in _UNITS:
        if text.startswith(unit):
            return trim(text[len(unit) :])
        if text.endswith(unit):
            return trim(text[: -len(unit)])
    return text

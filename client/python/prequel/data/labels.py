"""Labels, which travel as text, as what they were given as."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from prequel import v1
from prequel.data.column import Column
from prequel.data.number import parse_number

AS_THEY_LOOK = v1.Target.LABEL_TYPE_UNSPECIFIED
_WHOLE = re.compile(r"0|-?[1-9]\d*", re.A)
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)\.\d+", re.A)
_TRUTH = {"true": True, "false": False}


def label_type_of(values: Any) -> v1.Target.LabelType:
    """What targets of classes are given as."""
    if not isinstance(values, Column):
        return AS_THEY_LOOK
    if values.kind == "text":
        return v1.Target.LABEL_TYPE_TEXT
    kinds = {
        "b": v1.Target.LABEL_TYPE_BOOL,
        "i": v1.Target.LABEL_TYPE_INTEGER,
        "u": v1.Target.LABEL_TYPE_INTEGER,
    }
    kind = values.values.dtype.kind
    if kind == "f" and bool(np.isnan(values.values).any()):
        # Integers among which some are missing are floats in numpy.
        known = values.values[~np.isnan(values.values)]
        return kinds["i"] if bool((known == np.floor(known)).all()) else AS_THEY_LOOK
    return kinds.get(kind, v1.Target.LABEL_TYPE_FLOAT if kind == "f" else AS_THEY_LOOK)


def unlike_its_looks(values: Any, texts: Sequence[str]) -> v1.Target.LabelType:
    """What targets of classes, whose labels are `texts`, are given as, where that cannot be seen by
    the labels; else AS_THEY_LOOK."""
    label_type = label_type_of(values)
    return AS_THEY_LOOK if label_type == _look(texts) else label_type


def typed_labels(texts: Sequence[str], label_type: int) -> tuple[Any, ...]:
    """`texts` as values of that type. Where it is not known they are integers if all look like
    integers, else numbers if all look like numbers, else truth values if all look like these."""
    if label_type == AS_THEY_LOOK:
        label_type = _look(texts)
    return tuple(_typed(text, label_type) for text in texts)


def _look(texts: Iterable[str]) -> int:
    texts = list(texts)
    if all(_WHOLE.fullmatch(text) for text in texts):
        return v1.Target.LABEL_TYPE_INTEGER
    if all(_WHOLE.fullmatch(text) or _PLAIN.fullmatch(text) for text in texts):
        return v1.Target.LABEL_TYPE_FLOAT
    if all(text.lower() in _TRUTH for text in texts):
        return v1.Target.LABEL_TYPE_BOOL
    return v1.Target.LABEL_TYPE_TEXT


def _typed(text: str, label_type: int) -> Any:
    if label_type in (AS_THEY_LOOK, v1.Target.LABEL_TYPE_TEXT):
        return text
    if label_type == v1.Target.LABEL_TYPE_BOOL:
        return {"1": True, "0": False, **_TRUTH}.get(text.lower(), text)
    if _WHOLE.fullmatch(text):
        return int(text) if label_type == v1.Target.LABEL_TYPE_INTEGER else float(text)
    number = parse_number(text)
    return text if number is None else number

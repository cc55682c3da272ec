"""What a column becomes as the target of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prequel import v1
from prequel.data.number import MAX_TEXT_BYTES, parse_number, quoted, rounded
from prequel.errors import InvalidArgument
from prequel.inference.count_evidence import CountEvidence
from prequel.inference.feature_choice import check_readable, moment_form
from prequel.inference.summary import TargetSummary

_MAX_INTEGER_CLASSES = 20
_MAX_TEXT_CLASSES = 100
_AMBIGUOUS = 10  # so few whole numbers may be classes, counts or values
_MAX_ROOM = 8


@dataclass(frozen=True)
class TargetWish:
    """What was asked for beforehand; empty or 0 where nothing was."""

    likelihood: str = ""
    labels: Sequence[str] = ()
    classes: int = 0


def choose_target(
    name: str, summary: TargetSummary, wish: TargetWish
) -> tuple[v1.Target, str, str]:
    """The target, the likelihood, and a note: what was chosen, and what chooses otherwise.

    Raises:
        InvalidArgument: for a target that cannot be learned so.
    """
    if not isinstance(wish.classes, int) or wish.classes < 0:
        raise InvalidArgument(f"classes: {wish.classes!r} is no number of classes")
    _check_column(name, summary)
    counted = bool(wish.labels) or wish.classes > 0
    target = v1.Target(name=name, allow_missing=summary.column.missing > 0)
    if wish.likelihood:
        classes = wish.likelihood in ("bernoulli", "categorical")
    else:
        classes = counted or _looks_like_classes(summary)
    if classes:
        _check_classes(name, summary, counted)
    else:
        _check_values(name, summary, wish.likelihood or "gaussian")
    distinct = _distinct_of(summary)
    likelihood, note = wish.likelihood, ""
    if not likelihood:
        count = max(len(wish.labels), wish.classes) or distinct
        values = "negative_binomial" if _are_overdispersed(summary) else "gaussian"
        likelihood = ("bernoulli" if count == 2 else "categorical") if classes else values
        least = "at least " if summary.is_cut else ""
        note = f"target {quoted(name)} has {least}{distinct} distinct values: likelihood "
        note += likelihood
    room = _set_classes(summary, likelihood, target) if classes and not counted else ""
    if note:
        note += room + _otherwise(summary, classes) + _missing_note(summary)
    return target, likelihood, note


def _distinct_of(summary: TargetSummary) -> int:
    """Floats tell whole numbers apart up to 2**53 only; texts tell "1" from "1.0"."""
    if not summary.column.numeric:
        return len(summary.values)
    numbers = summary.distinct_numbers()
    return len(numbers) if max(map(abs, numbers)) < 2**53 else len(summary.values)


def _looks_like_classes(summary: TargetSummary) -> bool:
    if not summary.column.numeric or summary.column.categorical:
        return True
    numbers = summary.distinct_numbers()
    if not summary.column.integral or len(numbers) > _MAX_INTEGER_CLASSES:
        return False
    return numbers == [0, 1] or 5 * len(numbers) <= summary.column.values


def _are_counts(summary: TargetSummary) -> bool:
    return summary.column.integral and summary.distinct_numbers()[0] >= 0


def _are_overdispersed(summary: TargetSummary) -> bool:
    return summary.column.integral and CountEvidence(summary.numbers).overdispersed()


def _set_classes(summary: TargetSummary, likelihood: str, target: v1.Target) -> str:
    """Classes by number where they are 0 … C−1, by place where they are texts and may be more, by
    label otherwise. Returns what to add to the note."""
    numeric = summary.column.numeric
    numbers = summary.distinct_numbers() if summary.column.integral else []
    if numbers and numbers[0] == 0 and numbers[-1] == len(numbers) - 1:
        # Two classes 0 and 1 are what bernoulli means; naming their number adds nothing.
        if likelihood != "bernoulli":
            target.num_classes = len(numbers)
        return ""
    if numeric or summary.column.numbers > 0 or likelihood == "bernoulli":
        labels = list(summary.values)
        if numeric:
            labels.sort(key=lambda label: parse_number(label) or 0.0)
        target.labels.extend(labels)
        if numeric or likelihood != "bernoulli":
            return ""
        return '; a third label will be refused (likelihood="categorical" has room for one)'
    # Good (1953): the share of rows with a label that was never seen before is about that of rows
    # with a label that was seen once. So a place for each of those, and one more.
    once = sum(count == 1 for count in summary.values.values())
    room = min(once + 1, _MAX_ROOM)
    target.num_classes = len(summary.values) + room
    return (
        f", with room for {room} new {'label' if room == 1 else 'labels'} (`labels` lists them "
        "instead, and refuses others)"
    )


def _otherwise(summary: TargetSummary, classes: bool) -> str:
    """What chooses otherwise."""
    if not summary.column.integral:
        return ""
    if not classes and _are_overdispersed(summary):
        counts = CountEvidence(summary.numbers)
        return (
            f", since they look like counts: of mean {rounded(counts.mean, 3)} and variance "
            f'{rounded(counts.variance, 3)}; as values they are learned with likelihood="gaussian",'
            ' as counts that vary no more than their mean with "poisson"'
        )
    counts_too = ', as counts with "poisson" or "negative_binomial"'
    counts_text = counts_too if _are_counts(summary) else ""
    distinct = _distinct_of(summary)
    if classes and distinct > 2:
        return f'; as values they are learned with likelihood="gaussian"{counts_text}'
    if not classes and distinct <= _AMBIGUOUS:
        return f'; as classes they are learned with likelihood="categorical"{counts_text}'
    if not classes and _are_counts(summary):
        return '; as counts they are learned with likelihood="poisson" or "negative_binomial"'
    return ""


def _missing_note(summary: TargetSummary) -> str:
    word = summary.column.missing_word
    if word is None or summary.column.numeric:
        return ""
    rows = summary.column.missing_words
    many = f"{rows} rows, the first in " if rows > 1 else ""
    return f"; {quoted(word.text)} ({many}row {word.row}) means not known, unless `labels` lists it"


def _check_classes(name: str, summary: TargetSummary, counted: bool) -> None:
    too_long = summary.column.too_long
    if too_long is not None:
        raise _refused(
            name,
            f"has a text of more than {MAX_TEXT_BYTES} bytes in row {too_long.row}: too long for a "
            "label",
        )
    if counted:
        return
    if len(summary.values) > _MAX_TEXT_CLASSES:
        raise _refused(
            name,
            f"has more than {_MAX_TEXT_CLASSES} distinct values; name a likelihood, or is it the "
            "wrong column?",
        )
    if _distinct_of(summary) < 2:
        only = quoted(next(iter(summary.values)))
        raise _refused(name, f"has one value in every row: {only}{_missing_note(summary)}")


def _check_values(name: str, summary: TargetSummary, likelihood: str) -> None:
    cell = summary.column.not_a_number
    if cell is not None:
        raise _refused(
            name,
            f"has {quoted(cell.text)} in row {cell.row}, which is no number, and likelihood "
            f"{likelihood} learns numbers",
        )


def _check_column(name: str, summary: TargetSummary) -> None:
    """Before any choice: what no likelihood could mean. Few texts between numbers may be
    classes."""
    column = summary.column
    if column.value is None:
        raise _refused(name, "has no value in any row")
    if moment_form(column) is not None:
        raise _refused(
            name,
            f"has dates or times, such as {quoted(column.value.text)}: predict a number or a "
            "class, for example the days until then",
        )
    few = len(summary.values) <= _MAX_INTEGER_CLASSES and column.almost_numbers == 0
    if column.numeric or not few:
        check_readable(name, column, "; a target that is not known is None")


def _refused(name: str, what: str) -> InvalidArgument:
    return InvalidArgument(f"the target {quoted(name)} {what}")

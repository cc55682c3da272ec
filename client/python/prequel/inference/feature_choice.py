"""What a column becomes as an input of a model."""

from __future__ import annotations

from prequel import v1
from prequel.data.moment import FORMS, MomentForm, feature_name
from prequel.data.number import MAX_TEXT_BYTES, quoted
from prequel.errors import InvalidArgument
from prequel.inference.number_advice import number_advice
from prequel.inference.summary import ColumnSummary, SeenCell

MAX_CATEGORIES = 256
_HASH_BUCKETS = 64
_LEAST_ROOM = 2  # slots for texts that the data does not have


def choose_feature(name: str, summary: ColumnSummary, as_text: bool) -> tuple[v1.Feature, str]:
    """The feature, and a note (mostly ""). Requires a value.

    Numbers are numeric, and allow missing values where the column has some; dates and times are
    numeric as `moment_numbers` has it; anything else, and everything `as_text`, is categorical: a
    table of as many slots as there are texts and an eighth more, at least two, at most 256 in all;
    more than those that are met first are hashed into 64 columns.

    Raises:
        InvalidArgument: naming row and column, as `check_readable`.
    """
    made = v1.Feature(
        name=name, kind=v1.Feature.KIND_NUMERIC, allow_missing=summary.missing > 0
    )  # fmt: skip
    if not as_text:
        otherwise = "; `text` takes the column for text, `ignore` leaves it out"
        check_readable(name, summary, otherwise)
        if summary.numeric:
            return made, _numeric_note(name, summary)
        form = moment_form(summary)
        if form is not None and summary.value is not None:
            made.name = feature_name(name, form)
            made.width = form.width
            kind = "times" if form.kind == "time" else "dates"
            note = (
                f"column {quoted(name)} has {kind} such as {quoted(summary.value.text)}: feature "
                f"{quoted(made.name)}, {form.width} numbers"
            )
            if summary.other_offset is not None:
                note += (
                    f"; its offsets differ ({quoted(summary.other_offset.text)} in row "
                    f"{summary.other_offset.row}): as an input it is read by the clock on the "
                    "wall, and as `times` by instants"
                )
            return made, note
    if summary.too_long is not None:
        what = f"the text exceeds {MAX_TEXT_BYTES} bytes, too long for a category; `ignore` "
        raise _refused(summary.too_long, name, what + "leaves the column out")
    return _categorical(name, summary), _categorical_note(name, summary, as_text)


def check_readable(name: str, summary: ColumnSummary, otherwise: str) -> None:
    """Refuses a column that is nearly one of numbers, or one of dates, and has cells that cannot be
    read as such. `otherwise` ends the advice: what to do with a column that is meant to be so."""
    if summary.numeric:
        if summary.too_large is not None:
            what = f"{quoted(summary.too_large.text)} is infinite or beyond 1e100: mend it, or "
            raise _refused(summary.too_large, name, what + "leave the cell empty")
        return
    numbers = summary.numbers + summary.almost_numbers
    if summary.almost_number is not None and _are_most(numbers, summary):
        text = summary.almost_number.text
        what = f"{quoted(text)} {number_advice(text)}{otherwise}"
        raise _refused(summary.almost_number, name, what)
    if summary.not_a_number is not None and _are_most(summary.numbers, summary):
        what = (
            f"{quoted(summary.not_a_number.text)} is not a number, as {summary.numbers} of the "
            f"{summary.values} values are: mend it, or leave the cell empty{otherwise}"
        )
        raise _refused(summary.not_a_number, name, what)
    _check_moments(name, summary, otherwise)


def moment_form(summary: ColumnSummary) -> MomentForm | None:
    """The form of all its values, if there is one, and only one order of day and month."""
    forms = [form for form in FORMS if form in summary.fits] if summary.values else []
    return forms[0] if forms and len({form.order for form in forms}) == 1 else None


def _check_moments(name: str, summary: ColumnSummary, otherwise: str) -> None:
    if not _are_most(summary.moments, summary) or moment_form(summary) is not None:
        return
    if summary.fits and summary.value is not None:
        what = (
            f"{quoted(summary.value.text)} may have the day first or the month first, and no row "
            f"decides: write 2024-01-31{otherwise}"
        )
        raise _refused(summary.value, name, what)
    if summary.misfit is not None:
        what = (
            f"{quoted(summary.misfit.text)} stands among dates or times, and is none of a form "
            "that is known and fits the rest: write 2024-01-31, 2024-01-31 10:15 or 10:15"
            f"{otherwise}"
        )
        raise _refused(summary.misfit, name, what)


def _categorical(name: str, summary: ColumnSummary) -> v1.Feature:
    texts = summary.distinct
    made = v1.Feature(name=name, kind=v1.Feature.KIND_CATEGORICAL)
    if texts > MAX_CATEGORIES:
        made.max_categories = MAX_CATEGORIES
        made.hash_buckets = _HASH_BUCKETS
    else:
        made.max_categories = min(texts + max(_LEAST_ROOM, texts // 8), MAX_CATEGORIES)
    return made


def _categorical_note(name: str, summary: ColumnSummary, as_text: bool) -> str:
    texts = summary.distinct
    if texts > MAX_CATEGORIES:
        own = ", in most rows one of their own" if 2 * texts > summary.values else ""
        return (
            f"column {quoted(name)} has {texts} different texts{own}: the first {MAX_CATEGORIES} "
            f"get a column each, all others are hashed into {_HASH_BUCKETS}, which they share; "
            "`ignore` leaves it out"
        )
    if not as_text and summary.value is not None and summary.months == summary.values:
        return (
            f"column {quoted(name)} has months such as {quoted(summary.value.text)}, and is taken "
            "for text: each month that is new is a new category; with a day, as 2024-01-31, they "
            "are dates"
        )
    if as_text or summary.numbers == 0 or summary.not_a_number is None:
        return ""
    return (
        f"column {quoted(name)} has numbers, and in row {summary.not_a_number.row} "
        f"{quoted(summary.not_a_number.text)}: all are taken for text"
    )


def _numeric_note(name: str, summary: ColumnSummary) -> str:
    """Of a numeric feature whose cells may not be meant as numbers."""
    column, text = f"column {quoted(name)}", "`text` takes it for text"
    if summary.leading_zero is not None:
        such = _such_as(summary.leading_zero)
        return (
            f"{column} has numbers with zeros before them,{such}, and is taken for numbers; {text}"
        )
    if summary.inexact is not None:
        such = _such_as(summary.inexact)
        return f"{column} has integers beyond 2^53,{such}, which numbers do not tell apart; {text}"
    if summary.compact_dates == summary.values and summary.value is not None:
        return (
            f"{column} has numbers that look like dates,{_such_as(summary.value)}, and is taken "
            f"for numbers; written as 2024-01-31 they are dates, {text}"
        )
    return ""


def _such_as(cell: SeenCell) -> str:
    return f" such as {quoted(cell.text)} (row {cell.row})"


def _are_most(count: int, summary: ColumnSummary) -> bool:
    return summary.values > 0 and 10 * count >= 9 * summary.values


def _refused(cell: SeenCell, name: str, what: str) -> InvalidArgument:
    return InvalidArgument(f"row {cell.row}, column {quoted(name)}: {what}")

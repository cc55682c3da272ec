"""What a table looks like, as the start of a model's config."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prequel import v1
from prequel.config import target_name
from prequel.data.column import Column
from prequel.data.labels import unlike_its_looks
from prequel.data.number import nearest_name, quoted
from prequel.data.table import Table, target_of
from prequel.errors import InvalidArgument, counted
from prequel.inference.feature_choice import choose_feature
from prequel.inference.number_advice import number_advice
from prequel.inference.summary import ColumnSummary, summarize, summarize_target
from prequel.inference.target_choice import TargetWish, choose_target

_MAX_NOTES = 20
_TEXT = ":text"


@dataclass(frozen=True)
class Schema:
    """config: features, target and likelihood, nothing else; notes: what a person should know, one
    sentence each; rows: of the data."""

    config: v1.ModelConfig
    notes: tuple[str, ...]
    rows: int


def infer(
    data: Any,
    y: Any = None,
    *,
    target: str | Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    text: Sequence[str] = (),
    ignore: Sequence[str] = (),
    likelihood: str = "",
    labels: Sequence[str] = (),
    classes: int = 0,
) -> Schema:
    """The same choices as `prequel create --from-csv` makes of a file with the same cells; a matrix
    of numbers becomes one feature `x`. Messages count rows from 0.

    Raises:
        InvalidArgument: naming the column, and where it is one the row.
    """
    table = Table.of(data)
    if table.rows == 0:
        raise InvalidArgument("no rows: there is nothing to infer from")
    values, name, table = _target_column(table, y, target)
    schema = v1.ModelConfig()
    notes: list[str] = []
    if isinstance(values, Column):
        if len(values) != table.rows:
            raise InvalidArgument(f"X has {counted(table.rows, 'row')} and y has {len(values)}")
        wish = TargetWish(likelihood, tuple(labels), classes)
        summary = summarize_target(values)
        chosen, likelihood, note = choose_target(name, summary, wish)
        schema.target.CopyFrom(chosen)
        if likelihood in ("bernoulli", "categorical"):
            schema.target.label_type = unlike_its_looks(values, list(summary.values))
        notes += [note] if note else []
    else:
        likelihood = likelihood or "gaussian"
        missing = bool(np.isnan(values).any())
        schema.target.CopyFrom(v1.Target(name=name, width=values.shape[1], allow_missing=missing))
    schema.likelihood.name = likelihood
    if table.matrix is not None and not (inputs or text or ignore):
        _add_matrix(schema, table.matrix)
    else:
        table = table.with_names()
        parts = _parts(table, inputs, text, ignore, name)
        of_target = summarize(values) if isinstance(values, Column) else None
        _add_features(schema, table, parts, of_target, notes)
    if len(notes) > _MAX_NOTES:
        notes[_MAX_NOTES:] = [f"and {len(notes) - _MAX_NOTES} notes like these"]
    return Schema(schema, tuple(notes), table.rows)


def _target_column(
    table: Table, y: Any, target: str | Sequence[str] | None
) -> tuple[Any, str, Table]:
    """The targets, their name, and the table without them."""
    if target is not None and not isinstance(target, str):
        name = target_name(target)
        if y is not None:
            return target_of(y, name), name, table
        if len(target) > 1:
            columns = [_find(table, one).numbers(number_advice) for one in target]
            for one in target:
                table = table.without(one)
            return np.stack(columns, axis=1), name, table
        target = target[0]
    if y is not None and not isinstance(y, str):
        values = target_of(y, target or "y")
        given = values.name if isinstance(values, Column) else ""
        return values, target or given or "y", table
    name = y or target or ""
    if not name:
        raise InvalidArgument("which target? give y, or target= the name of its column")
    if table.names is None:
        raise InvalidArgument(f"an array has no column {quoted(name)}: give the targets as y")
    return _find(table, name), name, table.without(name)


def _find(table: Table, name: str) -> Column:
    column = table.column(name)
    if column is not None:
        return column
    nearest = nearest_name(name, table.names or [])
    hint = f"; did you mean {quoted(nearest)}?" if nearest else ""
    raise InvalidArgument(f"no column {quoted(name)}{hint}")


def _parts(
    table: Table,
    inputs: Sequence[str] | None,
    text: Sequence[str],
    ignore: Sequence[str],
    target: str,
) -> dict[str, bool]:
    """The columns that become inputs, and whether as text."""
    names = table.names or []
    wished = [str(name) for name in inputs] if inputs is not None else names
    # "a:text" is the column "a" as text, unless it is a column's name as it stands.
    marked = [n[: -len(_TEXT)] for n in wished if n.endswith(_TEXT) and n not in names]
    as_text = [*text, *marked]
    plain = [n for n in wished if not n.endswith(_TEXT) or n in names]
    for name in [*plain, *as_text, *ignore]:
        if name not in names and name != target:
            _find(table, name)
    kept = {*plain, *as_text} - {*ignore}
    return {name: name in as_text for name in names if name in kept}


def _add_matrix(schema: v1.ModelConfig, matrix: Any) -> None:
    if matrix.shape[1] == 0:
        raise InvalidArgument("the inputs have no column")
    infinite = np.argwhere(np.isinf(matrix))
    if len(infinite):
        row, column = infinite[0]
        raise InvalidArgument(f"row {row}, column {column}: an infinite input: mend it")
    missing = bool(np.isnan(matrix).any())
    width = matrix.shape[1] if matrix.shape[1] > 1 else 0
    schema.features.add(
        name="x", kind=v1.Feature.KIND_NUMERIC, width=width, allow_missing=missing
    )  # fmt: skip


def _add_features(
    schema: v1.ModelConfig,
    table: Table,
    parts: dict[str, bool],
    target: ColumnSummary | None,
    notes: list[str],
) -> None:
    by_content: dict[bytes, str] = {}
    for place, name in enumerate(table.names or []):
        if name not in parts:
            continue
        if not name:
            notes.append(f"column {place + 1} has no name: left out")
            continue
        column = _find(table, name)
        summary = summarize(column)
        if summary.values == 0:
            notes.append(f"column {quoted(column.name)} is always empty: left out")
            continue
        chosen, note = choose_feature(name, summary, parts[name] or column.categorical)
        schema.features.append(chosen)
        notes += [note] if note else []
        if table.rows >= 2:
            notes += _repetition(column.name, summary, target, by_content)
    if not schema.features:
        raise InvalidArgument("no input column is left beside the target")


def _repetition(
    name: str, summary: ColumnSummary, target: ColumnSummary | None, by_content: dict[bytes, str]
) -> list[str]:
    """Columns that say nothing, or nothing new, are kept: a stream may go on otherwise than its
    sample."""
    column = f"column {quoted(name)} is "
    if summary.distinct == 1 and summary.value is not None:
        return [f"{column}{quoted(summary.value.text)} in every row; `ignore` leaves it out"]
    if target is not None and summary.content == target.content:
        return [f"{column}the target in every row and gives it away; `ignore` leaves it out"]
    first = by_content.setdefault(summary.content, name)
    if first == name:
        return []
    return [f"{column}the same as {quoted(first)} in every row; `ignore` leaves it out"]

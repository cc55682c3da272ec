"""Tables of plain text."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], numbers: bool = False) -> str:
    """`rows` of one length with their columns under each other; with `numbers` all columns but the
    first end under each other."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        right = [cell.rjust(n) if numbers else cell.ljust(n) for cell, n in zip(row, widths)]
        lines.append("  ".join([row[0].ljust(widths[0]), *right[1:]]).rstrip())
    return "\n".join(lines)

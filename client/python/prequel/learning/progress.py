"""How far learning has come, on one line of the standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO, Union

from prequel.learning.ack import Ack, Tally

Progress = Union[bool, Callable[[Tally], None]]

_EVERY = 0.1  # seconds


class ProgressLine:
    """Rewrites its line ten times a second at most; as a context, it ends the line."""

    def __init__(self, total: int | None = None, out: TextIO | None = None) -> None:
        self._total = total
        self._out = out or sys.stderr
        self._shown = 0.0
        self._width = 0

    def show(self, tally: Tally, last: bool = False) -> None:
        now = time.monotonic()
        if not last and now - self._shown < _EVERY:
            return
        self._shown = now
        text = f"{tally.rows:,} rows"
        if self._total:
            text = f"{100 * min(1.0, tally.rows / self._total):3.0f} %  {text}"
        if tally.seconds > 0:
            text += f"  {tally.rows / tally.seconds:,.0f} rows/s"
        scores = tally.scores
        for name in ("nll", "accuracy", "rmse"):
            if name in scores:
                text += f"  {name} {scores[name]:.4f}"
        self._out.write("\r" + text.ljust(self._width) + ("\n" if last else ""))
        self._out.flush()
        self._width = len(text)


class ProgressReport:
    """Counts answers in `tally` and shows how far that is, as `progress` asks for it: not at all,
    on a line, or by a function that is called with the tally."""

    def __init__(self, progress: Progress, total: int | None, tally: Tally) -> None:
        self._tally = tally
        self._line = ProgressLine(total) if progress is True else None
        self._show = progress if callable(progress) else self._line.show if self._line else None

    def add(self, ack: Ack) -> None:
        self._tally.add(ack)
        if self._show is not None:
            self._show(self._tally)

    def close(self) -> None:
        """Ends the line, if there is one."""
        if self._line is not None:
            self._line.show(self._tally, last=True)

"""The answers to minibatches, one by one and all together."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field

from prequel import v1
from prequel.answers.scores import RefusedRow, RunningScores, Scores
from prequel.errors import PrequelError, RowsRefused, counted

_KEPT = 1_000  # refusals that a result remembers


@dataclass(frozen=True)
class Ack:
    """The answer to one minibatch: it is on disk and folded in, or `error` says why it is not.

    Attributes:
        index: of the minibatch in its stream, from 0; sequence: among its producer's, from 1.
        revision: of the model after it.
        scores: of predictions of it before it was learned.
        rows, skipped_rows, refused_rows: learned; without a target; with a label that is no class.
        repeated: it had been learned before, and this is the answer of then.
        unseen_categories: values of a category that the model had not met, or had no room for.
        report: all that the update says of itself.
    """

    index: int
    sequence: int
    revision: int = 0
    scores: Scores = field(default_factory=lambda: Scores(0, {}))
    rows: int = 0
    skipped_rows: int = 0
    refused_rows: int = 0
    repeated: bool = False
    report: v1.StepReport = field(default_factory=v1.StepReport)
    error: PrequelError | None = None
    unseen_categories: int = 0

    @staticmethod
    def of(index: int, sequence: int, message: v1.LearnResponse) -> Ack:
        """`message`: a LearnResponse, or a PredictThenLearnResponse."""
        report = message.report
        return Ack(
            index,
            sequence,
            message.revision,
            Scores.of(message.scores),
            report.rows,
            report.skipped_rows,
            report.refused_rows,
            message.repeated,
            report,
            unseen_categories=report.unseen_categories,
        )


@dataclass(frozen=True)
class LearnResult:
    """What became of all that was sent.

    Attributes:
        revision: of the model after the last minibatch that was learned; where the producer had
            sent all of them before, of the model as it is; 0 when there were none.
        rows, minibatches: learned, in this call.
        resumed_minibatches: passed over, since the producer had sent them before.
        scores: of this call's minibatches together, each predicted before it was learned.
        skipped_rows: without a target.
        refused_rows: how many labels were no class; first_refused_rows: the first of them.
        refused: minibatches that were refused as a whole, by their index; at most 1,000.
        unseen_categories: values of a category that was new to the model, or had no room.
        seconds: that it took.
    """

    revision: int
    rows: int
    minibatches: int
    resumed_minibatches: int
    scores: Scores
    skipped_rows: int
    refused_rows: int
    first_refused_rows: tuple[RefusedRow, ...]
    refused: dict[int, PrequelError]
    seconds: float
    unseen_categories: int = 0

    @property
    def rows_per_second(self) -> float:
        return self.rows / self.seconds if self.seconds > 0 else 0.0


class Tally:
    """Counts answers as they come."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._scores = RunningScores()
        self._refused_rows: list[RefusedRow] = []
        self._num_refused_rows = 0
        self._skipped = self._unseen = 0
        self.refused: dict[int, PrequelError] = {}
        self.revision = self.rows = self.minibatches = self.resumed = 0

    def add(self, ack: Ack) -> None:
        if ack.error is not None:
            if len(self.refused) < _KEPT:
                self.refused[ack.index] = ack.error
            return
        self.revision = ack.revision
        self.rows += ack.rows
        self.minibatches += 1
        self._skipped += ack.skipped_rows
        self._unseen += ack.unseen_categories
        self._num_refused_rows += ack.refused_rows
        for row in ack.report.first_refused_rows:
            if len(self._refused_rows) < _KEPT:
                self._refused_rows.append(RefusedRow(ack.index, row.row, row.label, row.reason))
        self._scores.add(ack.scores)

    @property
    def scores(self) -> Scores:
        return self._scores.average()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def result(self, stacklevel: int = 3) -> LearnResult:
        """All that was counted; warns of rows that were refused."""
        if self._num_refused_rows:
            one = self._num_refused_rows == 1
            text = f"{counted(self._num_refused_rows, 'row')} {'was' if one else 'were'} not "
            text += f"learned: {'its' if one else 'their'} label is no class"
            if self._refused_rows:
                first = self._refused_rows[0]
                text += f"; the first is {first.label}: {first.reason}"
            warnings.warn(text, RowsRefused, stacklevel=stacklevel)
        return LearnResult(
            self.revision,
            self.rows,
            self.minibatches,
            self.resumed,
            self.scores,
            self._skipped,
            self._num_refused_rows,
            tuple(self._refused_rows),
            dict(self.refused),
            self.seconds,
            self._unseen,
        )

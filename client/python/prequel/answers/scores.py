"""Proper scores and calibration of predictions that were made before learning."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prequel import v1
from prequel.answers.aligned import aligned
from prequel.answers.drift import Alarm, Drift
from prequel.errors import RowsRefused, counted


class Scores(Mapping[str, float]):
    """Scores by name, averages over `examples` examples (a weighted count): nll (nats per example)
    of any model; rmse, mae, crps, coverage50, coverage90, coverage95, below05, above95 of
    values; accuracy, brier, ece of classes."""

    def __init__(self, examples: float, values: Mapping[str, float]) -> None:
        self.examples = examples
        self._values = dict(values)

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:.4g}" for name, value in self.items())
        return f"Scores({self.examples:g} examples{': ' + shown if shown else ''})"

    @staticmethod
    def of(message: v1.Scores) -> Scores:
        return Scores(message.examples, {score.name: score.value for score in message.scores})


# Averages over examples. Any other score is left out rather than averaged wrongly, `ece` among
# them: errors of calibration cancel between minibatches.
_MEANS = (
    "nll",
    "mae",
    "crps",
    "coverage50",
    "coverage90",
    "coverage95",
    "below05",
    "above95",
    "accuracy",
    "brier",
)


class RunningScores:
    """The scores of all minibatches together, of those that can be told from each one's."""

    def __init__(self) -> None:
        self._examples = 0.0
        self._sums: dict[str, tuple[float, float]] = {}

    def add(self, scores: Scores) -> None:
        if scores.examples <= 0:
            return
        self._examples += scores.examples
        for name, value in scores.items():
            if name not in _MEANS and name != "rmse":
                continue
            total, examples = self._sums.get(name, (0.0, 0.0))
            square = value * value if name == "rmse" else value
            self._sums[name] = (total + square * scores.examples, examples + scores.examples)

    def average(self) -> Scores:
        means = {name: total / examples for name, (total, examples) in self._sums.items()}
        if "rmse" in means:
            means["rmse"] = math.sqrt(means["rmse"])
        return Scores(self._examples, means)


@dataclass(frozen=True)
class RefusedRow:
    """A row whose label is no class of the model; the rest of its minibatch is not concerned.

    minibatch: its place in what was sent, from 0; row: in the minibatch, from 0.
    """

    minibatch: int
    row: int
    label: str
    reason: str


class BatchScores(Scores):
    """How predictions of rows came true that were not learned, each as if it were the next one.

    revision: of the model that predicted; skipped_rows: whose target was missing; unscored_rows:
    all, of a model that has not learned yet what its targets are; unseen_categories: values of a
    category that is new to the model, or has no room; refused_rows: whose label is no class that
    the model knows; first_refused_rows: some of them, each by its request and the row there. Of
    rows that took more than one request `ece` is left out.
    """

    def __init__(self, answers: Sequence[v1.PredictResponse]) -> None:
        parts = [answer.scores for answer in answers]
        running = RunningScores()
        for part in parts:
            running.add(Scores.of(part.scores))
        scores = running.average() if len(parts) > 1 else Scores.of(parts[0].scores)
        super().__init__(scores.examples, scores)
        self.revision = answers[0].revision
        self.skipped_rows = sum(part.skipped_rows for part in parts)
        self.unscored_rows = sum(part.unscored_rows for part in parts)
        self.unseen_categories = sum(part.unseen_categories for part in parts)
        self.refused_rows = sum(part.refused_rows for part in parts)
        self.first_refused_rows = tuple(
            RefusedRow(index, row.row, row.label, row.reason)
            for index, part in enumerate(parts)
            for row in part.first_refused_rows
        )

    def __repr__(self) -> str:
        counts = {
            "skipped": self.skipped_rows,
            "unscored": self.unscored_rows,
            "refused": self.refused_rows,
            "values of unseen categories": self.unseen_categories,
        }
        left_out = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        return f"Batch{super().__repr__()[:-1]}{'; ' + left_out if left_out else ''})"

    def warned(self, stacklevel: int) -> BatchScores:
        """Itself; warns of rows whose label is no class of the model."""
        if self.first_refused_rows:
            first = self.first_refused_rows[0]
            text = f"{counted(self.refused_rows, 'row')} not scored, whose label is no class; "
            text += f"the first is {first.label}: {first.reason}"
            warnings.warn(text, RowsRefused, stacklevel=stacklevel)
        return self


_LABELS_KNOWN = (
    "Scores are as if each label were known before the next question: where labels come late,\n"
    "they are of another question than the one that was asked."
)


@dataclass(frozen=True)
class Comparison:
    """Scores of another predictor on the same rows, as those of Evaluation."""

    cumulative: Scores
    window: Scores


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The server's prequential evaluation of a model at `revision`; `print` shows its tables.

    Scores are as if each label were known before the next question: where labels come late, they
    are of another question than the one that was asked.

    cumulative: over all data; window: over the last `window_length` examples or so, exponentially
    weighted; skipped_rows: whose target was missing; unscored_rows: learned before a predictive
    existed, or again; unseen_categories: values of a category that was new to the model, or had no
    room; comparisons: by name, such as "raw", the model before calibration, and "last" and
    "average", which know no inputs; drift: None of a model that does not drift; alarms: by cause,
    those that a model like this one has, raised or not.
    """

    revision: int
    cumulative: Scores
    window: Scores
    window_length: float
    skipped_rows: int
    unscored_rows: int
    comparisons: Mapping[str, Comparison] = field(default_factory=dict)
    drift: Drift | None = None
    alarms: Mapping[str, Alarm] = field(default_factory=dict)
    unseen_categories: int = 0

    def __repr__(self) -> str:
        return f"<Evaluation at revision {self.revision}: window={self.window!r}>"

    def __str__(self) -> str:
        recent = f"last ~{self.window_length:,.0f}"
        rows = [["", "all", recent]]
        rows.append(
            ["examples", f"{self.cumulative.examples:,.0f}", f"{self.window.examples:,.0f}"]
        )
        for name in self.cumulative:
            rows.append([name, _cell(self.cumulative, name), _cell(self.window, name)])
        text = f"revision {self.revision}\n{aligned(rows, numbers=True)}\n{_LABELS_KNOWN}"
        if self.comparisons and self.window:
            text += f"\n\n{recent}, beside others on the same rows\n{self._beside()}"
        for count, what in (
            (self.skipped_rows, "skipped: without a target"),
            (self.unscored_rows, "unscored: learned again, or before a predictive existed"),
        ):
            text += f"\n{counted(count, 'row')} {what}" if count else ""
        if self.unseen_categories:
            values = counted(self.unseen_categories, "value")
            text += f"\n{values} of a category that was new, or had no room"
        text += f"\n\n{self.drift}" if self.drift else ""
        for alarm in self.alarms.values():
            text += f"\n{alarm}" if alarm.raised else ""
        return text

    def _beside(self) -> str:
        names = list(self.window)
        rows = [["", *names], ["the model", *(_cell(self.window, name) for name in names)]]
        for other, scores in self.comparisons.items():
            rows.append([other, *(_cell(scores.window, name) for name in names)])
        return aligned(rows, numbers=True)

    @staticmethod
    def of(message: v1.GetEvaluationResponse) -> Evaluation:
        return Evaluation(
            message.revision,
            Scores.of(message.cumulative),
            Scores.of(message.window),
            message.window_length,
            message.skipped_rows,
            message.unscored_rows,
            {
                other.name: Comparison(Scores.of(other.cumulative), Scores.of(other.window))
                for other in message.comparisons
            },
            Drift.of(message.drift) if message.HasField("drift") else None,
            {alarm.cause: Alarm.of(alarm) for alarm in message.alarms},
            message.unseen_categories,
        )


def _cell(scores: Scores, name: str) -> str:
    return f"{scores[name]:.4f}" if name in scores else "-"

"""One model of a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from prequel import connection, operations, v1
from prequel.answers.info import ModelInfo, Revisions, Snapshot
from prequel.answers.prediction import Prediction, joined, queries_of
from prequel.answers.scores import BatchScores, Evaluation
from prequel.config import Config, is_whole, merged, replaced
from prequel.connection import Connection
from prequel.data.encoder import Encoder, Examples
from prequel.data.minibatch import Minibatch
from prequel.errors import InvalidArgument
from prequel.learning.ack import Ack, LearnResult, Tally
from prequel.learning.progress import Progress, ProgressReport
from prequel.learning.refusal import refusal
from prequel.learning.source import check_source, pair_of
from prequel.learning.stream import LearnStream


class Model:
    """A model by its name; `Client.model` and `Client.create` make it. Thread-safe.

    Inputs are an array [rows, columns], or anything with named columns: a mapping, a pandas frame,
    or (with narwhals) a polars frame, an Arrow table and others. Missing values are NaN or None.

    Every method raises what is in `prequel.errors`: InvalidArgument for input that the model does
    not take, NotFound when there is no such model, Unavailable when there is no server, and so on.
    """

    def __init__(
        self, connection: Connection, name: str, config: v1.ModelConfig | None = None
    ) -> None:
        self._connection = connection
        self.name = operations.resource_name(name)
        self._encoder = None if config is None else Encoder(config)
        self.notes: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self._connection, self.name)

    def __repr__(self) -> str:
        return f"<Model {self.name} at {self._connection.endpoint.server}>"

    def describe(self) -> ModelInfo:
        """The model as it is now. `print` shows it as `prequel describe` does."""
        return self._connection.run(operations.describe(self.name))

    def evaluation(self) -> Evaluation:
        """The server's prequential evaluation: each minibatch predicted before it was learned."""
        return self._connection.run(operations.evaluation(self.name))

    def watch(self, interval: float = 0.0) -> Iterator[Evaluation]:
        """The evaluation now, and again when the model has learned: always the newest, at most once
        in `interval` seconds and as often as the server allows. Goes on until the loop over it is
        left; ends with NotFound when the model is deleted, Unavailable when the server stops."""
        request = operations.watch_request(self.name, interval)
        for message in self._connection.listen(connection.WATCH, request):
            yield Evaluation.of(message)

    def revisions(self) -> Revisions:
        """Which revisions are kept."""
        return self._connection.run(operations.revisions(self.name))

    def snapshot(self) -> Snapshot:
        """Stores the model as it is, for the next restart; the server does it by itself, too."""
        return self._connection.run(operations.snapshot(self.name))

    def rollback(self, revision: int) -> ModelInfo:
        """Goes on from the state of an earlier revision, as a new revision. OutOfRange when it is
        no longer kept."""
        return self._connection.run(operations.rollback(self.name, revision))

    def fork(self, name: str, revision: int | None = None, config: Config | None = None) -> Model:
        """A new model that begins where this one is, or was at `revision`; with another `config`,
        one that has learned the same data by it.

        `config` has what is to be different, such as {"dynamics": {"name": "static"}}: a part with
        all of its options, or {} for the server's default. The rest is this model's, defaults as
        they were filled in. A `config` with features is a whole one, as `Client.create` takes it.
        """
        made = None
        if config is not None and is_whole(config):
            made = merged(config=config)
        elif config is not None:
            made = replaced(self.describe().config, config)
        info = self._connection.run(operations.fork(self.name, name, revision, made))
        return Model(self._connection, info.name, info.config)

    def export(self, path: str | os.PathLike[str], revision: int | None = None) -> None:
        """Writes the model to a file that `Client.import_model` reads. The file is there only once
        it is whole."""
        request = operations.export_request(self.name, revision)
        partial = Path(f"{os.fspath(path)}.partial")
        try:
            with partial.open("wb") as file:
                for piece in self._connection.download(connection.EXPORT, request):
                    file.write(piece.data)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    def delete(self) -> None:
        """Removes the model and all it learned."""
        self._connection.run(operations.delete(self.name))

    def learn(
        self,
        X: Any,
        y: Any = None,
        *,
        times: Any = None,
        weights: Any = None,
        learned_before: bool = False,
        batch_size: int = 64,
        producer: str = "",
        progress: Progress = False,
        max_in_flight: int = 256,
        retry: float = 60.0,
    ) -> LearnResult:
        """Learns rows, minibatch by minibatch, each of which is predicted and scored first.

        `y` holds the targets, or names their column in `X`; without it, the column that is named
        as the model's target is. `times` are when the rows happened, numbers or moments that do
        not decrease, or name their column: then time passes by them, and not by rows. `weights` are
        how often each row counts, numbers from 0, or name their column. With `learned_before`, as
        in a second pass over the rows, nothing is scored, and calibration learns nothing.
        `producer`, `progress`, `max_in_flight` and `retry` are as in `learn_stream`. Everything is
        checked before anything is sent.
        """
        operations.check_positive("batch_size", batch_size)
        examples = replace(self._encode(X, y, times, weights), learned_before=bool(learned_before))
        if examples.rows == 0:
            raise InvalidArgument("no rows to learn")
        if examples.rows <= batch_size and not producer and not progress:
            return self._learn_one(examples)
        return self._learn_minibatches(
            examples.minibatches(batch_size),
            examples.rows,
            producer,
            progress,
            max_in_flight,
            retry,
            on_refused="raise",
        )

    def learn_stream(
        self,
        minibatches: Iterable[Any],
        *,
        producer: str = "",
        progress: Progress = False,
        max_in_flight: int = 256,
        retry: float = 60.0,
        on_refused: str = "raise",
    ) -> LearnResult:
        """Learns minibatches as they come: pairs (X, y), or tables that hold their targets.

        Each is learned once, whatever happens to the connection or the server. With a `producer`
        (a name of at most 128 bytes that nobody else sends as), what this producer has sent before
        is passed over: a program that was killed goes on where it was when it is run again and
        feeds the same minibatches from the start.

        Args:
            progress: True shows a line on the standard error; a function is called with the Tally
                after each answer.
            max_in_flight: minibatches sent and not yet answered; they are kept until they are.
            retry: seconds that a server which has gone away is waited for.
            on_refused: "raise" ends at the first minibatch that is refused, once all before it
                are answered; "collect" goes on, and lists them in the result.
        """
        if on_refused not in ("raise", "collect"):
            raise InvalidArgument(f"on_refused: {on_refused!r} is neither 'raise' nor 'collect'")
        check_source(minibatches)
        encoded = (self._minibatch(item) for item in minibatches)
        return self._learn_minibatches(
            encoded, None, producer, progress, max_in_flight, retry, on_refused
        )

    def open_stream(
        self,
        *,
        producer: str = "",
        max_in_flight: int = 256,
        retry: float = 60.0,
        on_ack: Callable[[Ack], None] | None = None,
    ) -> LearnStream:
        """A stream to send minibatches on, one by one; `on_ack` is given each answer."""
        return LearnStream(
            self._connection,
            self._known_encoder(),
            self.name,
            producer=producer,
            max_in_flight=max_in_flight,
            retry=retry,
            on_ack=on_ack,
        )

    def predict_then_learn(
        self,
        X: Any,
        y: Any = None,
        *,
        times: Any = None,
        weights: Any = None,
        quantiles: Sequence[float] | float | None = None,
        queries: Sequence[str | v1.Query] | None = None,
        samples: int = 0,
        raw: bool = False,
    ) -> tuple[Prediction | None, Ack]:
        """Predicts one minibatch and learns it, in one atomic step. The prediction is None where it
        was lost with the connection, and where `predict` would have failed."""
        examples = self._encode(X, y, times, weights)
        options = operations.options(queries_of(quantiles, queries), samples, raw)
        answer, ack = self._connection.run(
            operations.predict_then_learn(self.name, examples.minibatch(0, examples.rows), options)
        )
        if answer is None:
            return None, ack
        return joined([answer], None, self._known_encoder().label_type), ack

    def predict(
        self,
        X: Any,
        *,
        times: Any = None,
        quantiles: Sequence[float] | float | None = None,
        queries: Sequence[str | v1.Query] | None = None,
        samples: int = 0,
        raw: bool = False,
        revision: int | None = None,
        min_revision: int = 0,
    ) -> Prediction:
        """The predictive of each row.

        Args:
            times: when the rows would happen, as in `learn`: the later, the less sure.
            quantiles: levels that are wanted; `Prediction.quantile` also asks for them when it is
                called.
            queries: by name; None: those that are answered by default.
            samples: Monte Carlo over the weights with this many samples, instead of the predictive
                that matches the rule; 0: matched.
            raw: as the model predicts before its probabilities, intervals, quantiles and means of
                counts are calibrated.
            revision: an earlier one; None: the newest.
            min_revision: waits until the model has come to this one.
        """
        encoder = self._known_encoder()
        examples = encoder.encode(X, targets=False, times=times)
        pieces = operations.predict_pieces(examples)
        options = operations.options(queries_of(quantiles, queries), samples, raw)
        first = self._connection.run(
            operations.predict(self.name, pieces[0], options, revision, min_revision)
        )
        rest = self._predict_at(first.revision, pieces[1:], options)

        def ask(more: Sequence[v1.Query]) -> Prediction:
            again = operations.options(more, samples, raw)
            return joined(self._predict_at(first.revision, pieces, again), None)

        def own(more: Sequence[v1.Query]) -> Prediction:
            again = operations.options(more, samples, raw=True)
            return joined(self._predict_at(first.revision, pieces, again), None)

        return joined(
            [first, *rest], ask, encoder.label_type, own if encoder.learns_counts else None
        )

    def score(
        self,
        X: Any,
        y: Any = None,
        *,
        times: Any = None,
        weights: Any = None,
        revision: int | None = None,
        min_revision: int = 0,
    ) -> BatchScores:
        """Scores of predictions of rows whose targets are known, all by one revision, each row as
        if it were the next one. Nothing is learned. Arguments as those of `learn` and `predict`."""
        pieces = operations.score_pieces(self._encode(X, y, times, weights))
        answers: list[v1.PredictResponse] = []
        for piece in pieces:
            operation = operations.score(self.name, piece, revision, min_revision)
            answers.append(self._connection.run(operation))
            revision = answers[0].revision
        return BatchScores(answers).warned(stacklevel=3)

    def _predict_at(
        self, revision: int, pieces: Sequence[Minibatch], options: v1.PredictOptions | None
    ) -> list[Prediction]:
        """By that very revision: the newest while it still is, else from the past."""
        answers = []
        past: int | None = None
        for piece in pieces:
            answer = self._connection.run(operations.predict(self.name, piece, options, past, 0))
            if answer.revision != revision:
                past = revision
                answer = self._connection.run(
                    operations.predict(self.name, piece, options, past, 0)
                )
            answers.append(answer)
        return answers

    def _known_encoder(self) -> Encoder:
        if self._encoder is None:
            self._encoder = Encoder(self.describe().config)
        return self._encoder

    def _encode(self, X: Any, y: Any = None, times: Any = None, weights: Any = None) -> Examples:
        return self._known_encoder().encode(X, y, targets=True, times=times, weights=weights)

    def _minibatch(self, item: Any) -> Minibatch:
        if isinstance(item, Minibatch):
            return item
        X, y = pair_of(item)
        examples = self._encode(X, y)
        return examples.minibatch(0, examples.rows)

    def _learn_one(self, examples: Examples) -> LearnResult:
        tally = Tally()
        minibatch = examples.minibatch(0, examples.rows)
        tally.add(self._connection.run(operations.learn(self.name, minibatch)))
        return tally.result(stacklevel=4)

    def _learn_minibatches(
        self,
        minibatches: Iterable[Minibatch],
        total: int | None,
        producer: str,
        progress: Progress,
        max_in_flight: int,
        retry: float,
        on_refused: str,
    ) -> LearnResult:
        tally = Tally()
        report = ProgressReport(progress, total, tally)
        stream = self.open_stream(
            producer=producer, max_in_flight=max_in_flight, retry=retry, on_ack=report.add
        )
        try:
            _feed(stream, minibatches, tally, on_refused)
        finally:
            stream.close()
            report.close()
        if on_refused == "raise" and tally.refused:
            raise refusal(tally)
        if tally.resumed and not tally.minibatches:
            tally.revision = self.describe().revision or 0
        return tally.result(stacklevel=4)


def _feed(
    stream: LearnStream, minibatches: Iterable[Minibatch], tally: Tally, on_refused: str
) -> None:
    """Sends what the producer has not sent before. What was sent is answered, also when the
    minibatches end in an error."""
    source = iter(minibatches)
    due = stream.next_sequence()
    for _ in range(due - 1):
        if next(source, None) is None:
            break
        tally.resumed += 1
    while not (tally.refused and on_refused == "raise"):
        try:
            minibatch = next(source, None)
        except Exception:
            stream.finish()
            raise
        if minibatch is None:
            break
        stream.send_minibatch(minibatch)
    stream.finish()

"""One model of a server, for asyncio."""

from __future__ import annotations

import os
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from prequel import connection, operations, v1
from prequel.aio.connection import AsyncConnection
from prequel.aio.stream import AsyncLearnStream
from prequel.answers.info import ModelInfo, Revisions, Snapshot
from prequel.answers.prediction import Prediction, joined, queries_of
from prequel.answers.scores import BatchScores, Evaluation
from prequel.config import Config, is_whole, merged, replaced
from prequel.data.encoder import Encoder, Examples
from prequel.data.minibatch import Minibatch
from prequel.errors import InvalidArgument
from prequel.learning.ack import Ack, LearnResult, Tally
from prequel.learning.progress import Progress, ProgressReport
from prequel.learning.refusal import refusal
from prequel.learning.source import check_source, pair_of


class AsyncModel:
    """As Model; `AsyncClient.model` and `AsyncClient.create` make it. A Prediction that was awaited
    asks for no more levels: give those that are wanted to `predict`."""

    def __init__(
        self, connection: AsyncConnection, name: str, config: v1.ModelConfig | None = None
    ) -> None:
        self._connection = connection
        self.name = operations.resource_name(name)
        self._encoder = None if config is None else Encoder(config)
        self.notes: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return AsyncModel, (self._connection, self.name)

    def __repr__(self) -> str:
        return f"<AsyncModel {self.name} at {self._connection.endpoint.server}>"

    async def describe(self) -> ModelInfo:
        return await self._connection.run(operations.describe(self.name))

    async def evaluation(self) -> Evaluation:
        return await self._connection.run(operations.evaluation(self.name))

    async def watch(self, interval: float = 0.0) -> AsyncIterator[Evaluation]:
        """As Model.watch: `async for evaluation in model.watch(): …`."""
        request = operations.watch_request(self.name, interval)
        async for message in self._connection.listen(connection.WATCH, request):
            yield Evaluation.of(message)

    async def revisions(self) -> Revisions:
        return await self._connection.run(operations.revisions(self.name))

    async def snapshot(self) -> Snapshot:
        return await self._connection.run(operations.snapshot(self.name))

    async def rollback(self, revision: int) -> ModelInfo:
        return await self._connection.run(operations.rollback(self.name, revision))

    async def fork(
        self, name: str, revision: int | None = None, config: Config | None = None
    ) -> AsyncModel:
        """As Model.fork."""
        made = None
        if config is not None and is_whole(config):
            made = merged(config=config)
        elif config is not None:
            made = replaced((await self.describe()).config, config)
        info = await self._connection.run(operations.fork(self.name, name, revision, made))
        return AsyncModel(self._connection, info.name, info.config)

    async def export(self, path: str | os.PathLike[str], revision: int | None = None) -> None:
        request = operations.export_request(self.name, revision)
        partial = Path(f"{os.fspath(path)}.partial")
        try:
            with partial.open("wb") as file:
                async for piece in self._connection.download(connection.EXPORT, request):
                    file.write(piece.data)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    async def delete(self) -> None:
        await self._connection.run(operations.delete(self.name))

    async def learn(
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
        """As Model.learn."""
        operations.check_positive("batch_size", batch_size)
        encoded = await self._encode(X, y, times, weights)
        examples = replace(encoded, learned_before=bool(learned_before))
        if examples.rows == 0:
            raise InvalidArgument("no rows to learn")
        return await self._learn_minibatches(
            examples.minibatches(batch_size),
            examples.rows,
            producer,
            progress,
            max_in_flight,
            retry,
            on_refused="raise",
        )

    async def learn_stream(
        self,
        minibatches: Iterable[Any] | AsyncIterable[Any],
        *,
        producer: str = "",
        progress: Progress = False,
        max_in_flight: int = 256,
        retry: float = 60.0,
        on_refused: str = "raise",
    ) -> LearnResult:
        """As Model.learn_stream; the minibatches may come asynchronously."""
        if on_refused not in ("raise", "collect"):
            raise InvalidArgument(f"on_refused: {on_refused!r} is neither 'raise' nor 'collect'")
        check_source(minibatches)
        return await self._learn_minibatches(
            minibatches, None, producer, progress, max_in_flight, retry, on_refused
        )

    async def open_stream(
        self,
        *,
        producer: str = "",
        max_in_flight: int = 256,
        retry: float = 60.0,
        on_ack: Callable[[Ack], None] | None = None,
    ) -> AsyncLearnStream:
        """As Model.open_stream."""
        return AsyncLearnStream(
            self._connection,
            await self._known_encoder(),
            self.name,
            producer=producer,
            max_in_flight=max_in_flight,
            retry=retry,
            on_ack=on_ack,
        )

    async def predict_then_learn(
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
        """As Model.predict_then_learn."""
        examples = await self._encode(X, y, times, weights)
        minibatch = examples.minibatch(0, examples.rows)
        options = operations.options(queries_of(quantiles, queries), samples, raw)
        answer, ack = await self._connection.run(
            operations.predict_then_learn(self.name, minibatch, options)
        )
        if answer is None:
            return None, ack
        return joined([answer], None, (await self._known_encoder()).label_type), ack

    async def predict(
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
        """As Model.predict."""
        encoder = await self._known_encoder()
        pieces = operations.predict_pieces(encoder.encode(X, targets=False, times=times))
        options = operations.options(queries_of(quantiles, queries), samples, raw)
        answers: list[Prediction] = []
        for piece in pieces:
            at_least = 0 if answers else min_revision
            answer = await self._connection.run(
                operations.predict(self.name, piece, options, revision, at_least)
            )
            if answers and answer.revision != answers[0].revision:
                revision = answers[0].revision
                answer = await self._connection.run(
                    operations.predict(self.name, piece, options, revision, 0)
                )
            answers.append(answer)
        return joined(answers, None, encoder.label_type)

    async def score(
        self,
        X: Any,
        y: Any = None,
        *,
        times: Any = None,
        weights: Any = None,
        revision: int | None = None,
        min_revision: int = 0,
    ) -> BatchScores:
        """As Model.score."""
        pieces = operations.score_pieces(await self._encode(X, y, times, weights))
        answers: list[v1.PredictResponse] = []
        for piece in pieces:
            operation = operations.score(self.name, piece, revision, min_revision)
            answers.append(await self._connection.run(operation))
            revision = answers[0].revision
        return BatchScores(answers).warned(stacklevel=3)

    async def _known_encoder(self) -> Encoder:
        if self._encoder is None:
            self._encoder = Encoder((await self.describe()).config)
        return self._encoder

    async def _encode(
        self, X: Any, y: Any = None, times: Any = None, weights: Any = None
    ) -> Examples:
        encoder = await self._known_encoder()
        return encoder.encode(X, y, targets=True, times=times, weights=weights)

    async def _minibatch(self, item: Any) -> Minibatch:
        if isinstance(item, Minibatch):
            return item
        X, y = pair_of(item)
        examples = await self._encode(X, y)
        return examples.minibatch(0, examples.rows)

    async def _learn_minibatches(
        self,
        minibatches: Iterable[Any] | AsyncIterable[Any],
        total: int | None,
        producer: str,
        progress: Progress,
        max_in_flight: int,
        retry: float,
        on_refused: str,
    ) -> LearnResult:
        tally = Tally()
        report = ProgressReport(progress, total, tally)
        stream = await self.open_stream(
            producer=producer, max_in_flight=max_in_flight, retry=retry, on_ack=report.add
        )
        try:
            await self._feed(stream, minibatches, tally, on_refused)
        finally:
            await stream.close()
            report.close()
        if on_refused == "raise" and tally.refused:
            raise refusal(tally)
        if tally.resumed and not tally.minibatches:
            tally.revision = (await self.describe()).revision or 0
        return tally.result(stacklevel=4)

    async def _feed(
        self, stream: AsyncLearnStream, minibatches: Any, tally: Tally, on_refused: str
    ) -> None:
        """Sends what the producer has not sent before, and waits for the answers."""
        passed = await stream.next_sequence() - 1
        async for item in _each(minibatches):
            if tally.resumed < passed:
                tally.resumed += 1
                continue
            await stream.send_minibatch(await self._minibatch(item))
            if tally.refused and on_refused == "raise":
                break
        await stream.finish()


async def _each(items: Any) -> Any:
    if hasattr(items, "__aiter__"):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item

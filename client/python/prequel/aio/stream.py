"""Learning without waiting for each answer, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any

import grpc
import grpc.aio

from prequel.aio.connection import AsyncConnection
from prequel.connection import LEARN_STREAM
from prequel.data.encoder import Encoder
from prequel.data.minibatch import Minibatch
from prequel.errors import (
    DeadlineExceeded,
    FailedPrecondition,
    Internal,
    PrequelError,
    Unavailable,
    from_rpc,
    is_transient,
)
from prequel.learning.ack import Ack
from prequel.learning.conversation import Conversation, Lost


class _Call:
    """One call of LearnStream, with a task that reads and one that writes."""

    def __init__(self, connection: AsyncConnection, hello: bytes) -> None:
        self._server = connection.endpoint.server
        self._inbox: asyncio.Queue[Any] = asyncio.Queue()
        self._outbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.say(hello)
        self._call = connection.bound(LEARN_STREAM)(metadata=connection.endpoint.metadata)
        self._tasks = [asyncio.ensure_future(self._read()), asyncio.ensure_future(self._write())]

    def say(self, request: bytes | None) -> None:
        self._outbox.put_nowait(request)

    def hear_nowait(self) -> Any:
        return self._inbox.get_nowait()

    async def hear(self, timeout: float) -> Any:
        return await asyncio.wait_for(self._inbox.get(), timeout)

    async def close(self) -> None:
        self._call.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _read(self) -> None:
        try:
            while (answer := await self._call.read()) is not grpc.aio.EOF:
                self._inbox.put_nowait(answer)
            # How it ended: read says EOF for errors, too.
            if await self._call.code() is grpc.StatusCode.OK:
                self._inbox.put_nowait(None)
                return
            code, details = await self._call.code(), await self._call.details()
            trailers = await self._call.trailing_metadata()
            self._end(grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailers, details))
        except grpc.aio.AioRpcError as error:
            self._end(error)

    def _end(self, error: grpc.aio.AioRpcError) -> None:
        ended = from_rpc(error, self._server)
        # What grpc.aio says of a write on a connection that is gone.
        if ended.message == "Internal error from Core":
            ended = Unavailable(f"no answer from {self._server}", from_call=True)
        self._inbox.put_nowait(ended)

    async def _write(self) -> None:
        try:
            while (request := await self._outbox.get()) is not None:
                await self._call.write(request)
            await self._call.done_writing()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass  # the reader says why


class AsyncLearnStream:
    """As LearnStream. For one task; `on_ack` is called inside `send` and `finish`."""

    def __init__(
        self,
        connection: AsyncConnection,
        encoder: Encoder,
        name: str,
        *,
        producer: str = "",
        max_in_flight: int = 256,
        retry: float = 60.0,
        on_ack: Callable[[Ack], None] | None = None,
    ) -> None:
        self._connection = connection
        self._encoder = encoder
        self._on_ack = on_ack
        self._conversation = Conversation(name, producer, max_in_flight, retry)
        self._closed = False
        self._call = self._open()

    @property
    def producer(self) -> str:
        return self._conversation.producer

    @property
    def sent(self) -> int:
        """Minibatches sent."""
        return self._conversation.sent

    @property
    def answered(self) -> int:
        """Minibatches answered."""
        return self._conversation.answered

    async def next_sequence(self) -> int:
        """The number of the next minibatch, from 1."""
        await self._await(lambda: self._conversation.known)
        return self._conversation.next_sequence

    async def send(self, X: Any, y: Any = None, times: Any = None, weights: Any = None) -> None:
        """Sends one minibatch; waits while `max_in_flight` are unanswered."""
        examples = self._encoder.encode(X, y, targets=True, times=times, weights=weights)
        await self.send_minibatch(examples.minibatch(0, examples.rows))

    async def send_minibatch(self, minibatch: Minibatch) -> None:
        """`send` of what has been encoded."""
        await self._await(lambda: self._conversation.has_room)
        request = self._conversation.add(minibatch)
        if self._conversation.resumed:
            self._call.say(request)
        await self._await(lambda: True)

    async def finish(self) -> None:
        """Sends nothing more and waits for every answer."""
        await self._await(lambda: self._conversation.resumed and not self._conversation.unanswered)
        self._call.say(None)
        try:
            ended = await self._hear()
        finally:
            await self.close()
        if isinstance(ended, PrequelError) and not is_transient(ended):
            raise ended

    async def close(self) -> None:
        """Ends the stream where it is."""
        if not self._closed:
            self._closed = True
            await self._call.close()

    async def __aenter__(self) -> AsyncLearnStream:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None and not self._closed:
                await self.finish()
        finally:
            await self.close()

    def _open(self) -> _Call:
        return _Call(self._connection, self._conversation.hello())

    async def _await(self, ready: Callable[[], bool]) -> None:
        if self._closed:
            raise FailedPrecondition("the stream has ended: open another")
        try:
            while True:
                try:
                    answer = self._call.hear_nowait()
                except asyncio.QueueEmpty:
                    if ready():
                        return
                    answer = await self._hear()
                await self._take(answer)
        except PrequelError:
            await self.close()
            raise

    async def _hear(self) -> Any:
        timeout = self._connection.endpoint.timeout
        try:
            return await self._call.hear(timeout)
        except asyncio.TimeoutError:
            raise DeadlineExceeded(
                f"the server answered nothing for {timeout:g} s; "
                f"{self._conversation.unanswered} minibatches are unanswered",
                from_call=True,
            ) from None

    async def _take(self, answer: Any) -> None:
        if answer is None:
            raise Internal(
                f"the server ended the stream with {self._conversation.unanswered} minibatches "
                "unanswered",
                from_call=True,
            )
        if isinstance(answer, PrequelError):
            await self._recover(answer)
            return
        was_resumed = self._conversation.resumed
        try:
            ack = self._conversation.take(answer, self._connection.endpoint.server)
        except Lost as lost:
            await self._recover(lost.error)
            return
        if not was_resumed:
            for request in self._conversation.unsaid():
                self._call.say(request)
        if ack is not None and self._on_ack is not None:
            self._on_ack(ack)

    async def _recover(self, error: PrequelError) -> None:
        pause = self._conversation.pause(error, self._connection.reached)
        await self._call.close()
        await asyncio.sleep(pause)
        self._call = self._open()

"""Learning without waiting for each answer."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

import grpc

from prequel.connection import LEARN_STREAM, Connection
from prequel.data.encoder import Encoder
from prequel.data.minibatch import Minibatch
from prequel.errors import (
    Cancelled,
    DeadlineExceeded,
    FailedPrecondition,
    Internal,
    PrequelError,
    from_rpc,
    is_transient,
)
from prequel.learning.ack import Ack
from prequel.learning.conversation import Conversation, Lost

_END = None  # in a call's outbox: nothing more is said


class _Call:
    """One call of LearnStream, read ahead by a thread of its own. What it holds is bounded by what
    is in flight."""

    def __init__(self, connection: Connection, hello: bytes) -> None:
        self._server = connection.endpoint.server
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.say(hello)
        self._call = connection.converse(LEARN_STREAM, self._requests())
        self._reader = threading.Thread(target=self._read, name="prequel-learn", daemon=True)
        self._reader.start()

    def say(self, request: bytes | None) -> None:
        self._outbox.put(request)

    def hear(self, timeout: float) -> Any:
        """An answer, or how the call ended: an error, or None. Raises queue.Empty."""
        return self._inbox.get(timeout=timeout) if timeout > 0 else self._inbox.get_nowait()

    def cancel(self) -> None:
        self._outbox.put(_END)
        self._call.cancel()

    def close(self) -> None:
        self.cancel()
        self._reader.join()

    def _requests(self) -> Iterator[bytes]:
        while (request := self._outbox.get()) is not _END:
            yield request

    def _read(self) -> None:
        try:
            for answer in self._call:
                self._inbox.put(answer)
        except grpc.RpcError as error:
            self._inbox.put(from_rpc(error, self._server))
        except Exception as error:  # an answer that cannot be parsed
            self._inbox.put(Internal(f"the learning stream failed: {error}", from_call=True))
        else:
            self._inbox.put(None)


class LearnStream:
    """Minibatches in, answers back in order, a bounded number in flight. Open it with
    `Model.open_stream`, and use it as a context: it then ends with `finish`.

    When the server goes away the stream waits for it and goes on where it was: no minibatch is lost
    or learned twice. For one thread; `on_ack` is called on it, inside `send` and `finish`. A stream
    that is closed without `finish` may or may not have had its unanswered minibatches learned.
    """

    def __init__(
        self,
        connection: Connection,
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

    def next_sequence(self) -> int:
        """The number of the next minibatch, from 1: what the producer has sent before, in this
        stream or an earlier one, is behind it. Blocks until the server has said so."""
        self._await(lambda: self._conversation.known)
        return self._conversation.next_sequence

    def send(self, X: Any, y: Any = None, times: Any = None, weights: Any = None) -> None:
        """Sends one minibatch; blocks while `max_in_flight` are unanswered.

        Raises:
            InvalidArgument: for what the model does not take; nothing was sent.
            PrequelError: the stream has ended, for example Unavailable: the server has gone for
                good. Every answer that arrived has been handed over.
        """
        examples = self._encoder.encode(X, y, targets=True, times=times, weights=weights)
        self.send_minibatch(examples.minibatch(0, examples.rows))

    def send_minibatch(self, minibatch: Minibatch) -> None:
        """`send` of what has been encoded."""
        self._await(lambda: self._conversation.has_room)
        request = self._conversation.add(minibatch)
        if self._conversation.resumed:
            self._call.say(request)
        self._await(lambda: True)

    def finish(self) -> None:
        """Sends nothing more and waits for every answer."""
        self._await(lambda: self._conversation.resumed and not self._conversation.unanswered)
        self._call.say(_END)
        try:
            ended = self._hear()
        finally:
            self.close()
        # All is answered: it does not matter that the server was in a hurry.
        if isinstance(ended, PrequelError) and not is_transient(ended):
            raise ended

    def close(self) -> None:
        """Ends the stream where it is."""
        if not self._closed:
            self._closed = True
            self._call.close()

    def __del__(self) -> None:
        # A stream that was forgotten: its threads end, too.
        if not getattr(self, "_closed", True) and hasattr(self, "_call"):
            self._call.cancel()

    def __enter__(self) -> LearnStream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None and not self._closed:
                self.finish()
        finally:
            self.close()

    def _open(self) -> _Call:
        return _Call(self._connection, self._conversation.hello())

    def _await(self, ready: Callable[[], bool]) -> None:
        """Takes the answers that have come, and goes on until `ready`."""
        if self._closed:
            raise FailedPrecondition("the stream has ended: open another")
        try:
            while True:
                try:
                    answer = self._call.hear(0)
                except queue.Empty:
                    if ready():
                        return
                    answer = self._hear()
                self._take(answer)
        except PrequelError:
            self.close()
            raise

    def _hear(self) -> Any:
        timeout = self._connection.endpoint.timeout
        try:
            return self._call.hear(timeout)
        except queue.Empty:
            raise DeadlineExceeded(
                f"the server answered nothing for {timeout:g} s; "
                f"{self._conversation.unanswered} minibatches are unanswered",
                from_call=True,
            ) from None

    def _take(self, answer: Any) -> None:
        if answer is None:
            raise Internal(
                f"the server ended the stream with {self._conversation.unanswered} minibatches "
                "unanswered",
                from_call=True,
            )
        if isinstance(answer, PrequelError):
            return self._recover(answer)
        was_resumed = self._conversation.resumed
        try:
            ack = self._conversation.take(answer, self._connection.endpoint.server)
        except Lost as lost:
            return self._recover(lost.error)
        if not was_resumed:
            for request in self._conversation.unsaid():
                self._call.say(request)
        if ack is not None and self._on_ack is not None:
            self._on_ack(ack)
        return None

    def _recover(self, error: PrequelError) -> None:
        if isinstance(error, Cancelled) and self._closed:
            raise error
        pause = self._conversation.pause(error, self._connection.reached)
        self._call.close()
        time.sleep(pause)
        self._call = self._open()

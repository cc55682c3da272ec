"""What is said on a learning stream, whoever carries it: no I/O here."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Iterator

import numpy as np

from prequel import v1
from prequel.data.minibatch import Minibatch
from prequel.errors import (
    Aborted,
    FailedPrecondition,
    Internal,
    InvalidArgument,
    PrequelError,
    Unimplemented,
    from_status,
    is_transient,
)
from prequel.learning.ack import Ack
from prequel.learning.backoff import Backoff

MAX_PRODUCER_BYTES = 128


class Lost(Exception):
    """The present call cannot go on; a new one may. Holds why."""

    def __init__(self, error: PrequelError) -> None:
        super().__init__(str(error))
        self.error = error


class Conversation:
    """A producer's side of LearnStream.

    Minibatches are numbered 1, 2, 3, … in the name of a producer, and kept until they are answered.
    When a call is lost, a new one says `hello` again; the server answers with the number that is
    due, and what is unanswered is said again: repeats get the answers that were lost.
    """

    def __init__(self, name: str, producer: str, max_in_flight: int, retry: float) -> None:
        if not isinstance(max_in_flight, (int, np.integer)) or max_in_flight < 1:
            raise InvalidArgument(f"max_in_flight: {max_in_flight!r} is not a number above 0")
        if not isinstance(retry, (int, float, np.number)):
            raise InvalidArgument(f"retry: {retry!r} is no number of seconds")
        if not isinstance(producer, str):
            raise InvalidArgument(f"producer: {producer!r} is no text")
        if len(producer.encode()) > MAX_PRODUCER_BYTES:
            raise InvalidArgument(f"producer: has more than {MAX_PRODUCER_BYTES} bytes")
        self.name = name
        self.producer = producer or secrets.token_hex(16)
        self.max_in_flight = max_in_flight
        self.answered = 0
        self._first = 0  # sequence of the first minibatch; 0: not known yet
        self._unanswered: deque[bytes] = deque()
        self._backoff = Backoff(retry)
        self._index = 0  # of the next answer of the present call
        self.resumed = False  # the server has said where to resume, in the present call

    @property
    def known(self) -> bool:
        """Whether the server has ever said where to resume."""
        return self._first > 0

    @property
    def next_sequence(self) -> int:
        """The number of the next minibatch. Requires `known`."""
        return self._first + self.sent

    @property
    def sent(self) -> int:
        return self.answered + len(self._unanswered)

    @property
    def unanswered(self) -> int:
        return len(self._unanswered)

    @property
    def has_room(self) -> bool:
        return self.known and len(self._unanswered) < self.max_in_flight

    def hello(self) -> bytes:
        """The first request of a new call."""
        self._index = 0
        self.resumed = False
        message = v1.LearnStreamRequest(name=self.name, producer=self.producer)
        return message.SerializeToString()

    def add(self, minibatch: Minibatch) -> bytes:
        """The request for the next minibatch. Requires `known`."""
        request = minibatch.request(v1.LearnStreamRequest(sequence=self.next_sequence))
        self._unanswered.append(request)
        return request

    def unsaid(self) -> Iterator[bytes]:
        """What a call that has just been resumed is to say first."""
        return iter(tuple(self._unanswered))

    def take(self, answer: v1.LearnStreamResponse, server: str) -> Ack | None:
        """The answer to a minibatch; None for the answer to `hello`.

        Raises:
            Lost: the call is of no more use, but a new one may be.
            PrequelError: the stream cannot go on.
        """
        if answer.index != self._index or (self.resumed and not self._unanswered):
            raise Internal(
                f"the server answered request {answer.index} where {self._index} was due",
                from_call=True,
            )
        self._index += 1
        error = from_status(answer.error, server) if answer.HasField("error") else None
        if error is not None and is_transient(error):
            raise Lost(error)
        if not self.resumed:
            self._resume(answer, error)
            return None
        self._unanswered.popleft()
        index, sequence = self.answered, self._first + self.answered
        self.answered += 1
        self._backoff.reset()
        if error is not None:
            return Ack(index, sequence, error=error)
        return Ack.of(index, sequence, answer.learned)

    def pause(self, error: PrequelError, reached: bool = False) -> float:
        """The seconds to wait before the next call, after one that ended with `error`; raises it
        when no other call would help. `reached`: the server has answered other calls before."""
        # A server that was never reached is more likely misspelt than restarting; one that gives a
        # reason is there.
        known = self.known or reached or error.reason
        pause = self._backoff.next() if known and is_transient(error) else None
        if pause is None:
            raise error
        return pause

    def _resume(self, answer: v1.LearnStreamResponse, error: PrequelError | None) -> None:
        if error is not None:
            raise error
        due = answer.resume.next_sequence
        if due < 1:
            raise Unimplemented("the server does not say where to resume", from_call=True)
        if not self.known:
            self._first = due
        if due < self._first + self.answered:
            raise FailedPrecondition(
                f"the server no longer knows this producer: it is to go on with {due} and has had "
                f"answers up to {self._first + self.answered - 1}"
            )
        if due > self._first + self.sent:
            raise Aborted(f"somebody else sends as producer {self.producer}")
        self.resumed = True

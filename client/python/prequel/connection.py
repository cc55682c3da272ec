"""The way to a server: address, encryption, token, and the methods that can be called."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, Union

import grpc

from prequel import v1
from prequel.errors import (
    Cancelled,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    PrequelError,
    Unavailable,
    from_rpc,
    is_transient,
)
from prequel.learning.backoff import Backoff
from prequel.unreachable import is_this_machine

T = TypeVar("T")
Pem = Union[bytes, str, Path]

DEFAULT_SERVER = "127.0.0.1:8081"

_CHANNEL_PAUSE = 1.3  # seconds between attempts to connect: the longest below, and gRPC's jitter

_OPTIONS: list[tuple[str, Any]] = [
    # Requests and answers are bounded by the server.
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    # A server that comes back is found soon.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # In spite of its name: how long a connection may take to be made.
    ("grpc.min_reconnect_backoff_ms", 5_000),
]


@dataclass(frozen=True)
class TLS:
    """Encryption, and who the two sides are. Each is PEM: its bytes, or the path of a file.

    Attributes:
        ca: the certificates that the server's is to be signed by; None: those that gRPC trusts.
        cert, key: this client's certificate chain and private key, where the server asks for them.
        server_name: the name in the server's certificate, when it is not the one that is called.
    """

    ca: Pem | None = None
    cert: Pem | None = None
    key: Pem | None = None
    server_name: str = ""

    def credentials(self) -> Any:
        if (self.cert is None) != (self.key is None):
            raise InvalidArgument("tls: cert and key go together: give both, or neither")
        return grpc.ssl_channel_credentials(_pem(self.ca), _pem(self.key), _pem(self.cert))


@dataclass(frozen=True)
class Endpoint:
    """Where the server is, and how it is spoken to."""

    server: str  # HOST:PORT, or unix:PATH
    timeout: float = 30.0  # seconds, of each call
    token: str = ""
    tls: TLS | None = None
    token_file: str | Path | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the token, which is a secret: it is looked for where the copy is made."""
        key = None if self.tls is None else self.tls.key
        if isinstance(key, bytes) or (isinstance(key, str) and "-----BEGIN" in key):
            raise InvalidArgument(
                "tls: the private key is a secret, which is not pickled: give the path of its file"
            )
        return Endpoint.of, (self.server, self.timeout, None, self.token_file, self.tls)

    @staticmethod
    def of(
        server: str | None,
        timeout: float,
        token: str | None,
        token_file: str | Path | None,
        tls: TLS | str | Path | bool | None,
    ) -> Endpoint:
        server = server or os.environ.get("PREQUEL_SERVER") or DEFAULT_SERVER
        if not isinstance(server, str):
            raise InvalidArgument(f"server: give HOST:PORT, as {DEFAULT_SERVER!r}, not {server!r}")
        if token is not None and token_file is not None:
            raise InvalidArgument("token and token_file: give one of them")
        if token_file is not None:
            token = _read_token("token_file", token_file)
        token = _token_of_environment() if token is None else token
        if server.startswith(("http://", "https://", "grpc://", "grpcs://", "tcp://")):
            raise InvalidArgument(
                f"server: give HOST:PORT of the gRPC port, not {server!r}; https is tls=True"
            )
        if not isinstance(timeout, (int, float)) or not timeout > 0:
            raise InvalidArgument(f"timeout: {timeout!r} is not a number of seconds above 0")
        if (
            not isinstance(token, str)
            or not token.isascii()
            or not token.isprintable()
            or " " in token
        ):
            raise InvalidArgument("token: has characters that no token has; was it read whole?")
        if token and not tls and not is_this_machine(server):
            raise InvalidArgument(
                f"a token is sent without TLS only to this machine, and {server} is another: give "
                "tls=True, or prequel.TLS(…)"
            )
        if isinstance(tls, (str, Path)):
            tls = TLS(ca=tls)
        return Endpoint(server, timeout, token, TLS() if tls is True else tls or None, token_file)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    def channel(self, module: Any = grpc) -> Any:
        """A channel of gRPC: `grpc`, or `grpc.aio`."""
        options = list(_OPTIONS)
        if is_this_machine(self.server):
            # gRPC would ask the proxy of http_proxy for this very machine.
            options.append(("grpc.enable_http_proxy", 0))
        if self.tls is None:
            return module.insecure_channel(self.server, options=options)
        if self.tls.server_name:
            options.append(("grpc.ssl_target_name_override", self.tls.server_name))
        return module.secure_channel(self.server, self.tls.credentials(), options=options)


@dataclass(frozen=True)
class Method:
    """A method of the service. Requests are given as bytes."""

    path: str
    kind: str  # "unary_unary", "unary_stream", "stream_unary" or "stream_stream"
    response: Callable[[bytes], Any]

    def bind(self, channel: Any) -> Any:
        return getattr(channel, self.kind)(self.path, response_deserializer=self.response)


def _method(service: str, name: str, response: Any, kind: str = "unary_unary") -> Method:
    return Method(f"/{service}/{name}", kind, getattr(response, "FromString", response))


_MODELS, _LEARNING = "prequel.v1.ModelService", "prequel.v1.LearningService"

CREATE = _method(_MODELS, "CreateModel", v1.Model)
GET = _method(_MODELS, "GetModel", v1.Model)
LIST = _method(_MODELS, "ListModels", v1.ListModelsResponse)
DELETE = _method(_MODELS, "DeleteModel", bytes)
SNAPSHOT = _method(_MODELS, "CreateSnapshot", v1.Snapshot)
REVISIONS = _method(_MODELS, "ListRevisions", v1.ListRevisionsResponse)
PARTS = _method("prequel.v1.PartService", "ListParts", v1.ListPartsResponse)
ROLLBACK = _method(_MODELS, "RollbackModel", v1.Model)
FORK = _method(_MODELS, "ForkModel", v1.Model)
EXPORT = _method(_MODELS, "ExportModel", v1.ModelFilePiece, "unary_stream")
IMPORT = _method(_MODELS, "ImportModel", v1.Model, "stream_unary")
LEARN = _method(_LEARNING, "Learn", v1.LearnResponse)
LEARN_STREAM = _method(_LEARNING, "LearnStream", v1.LearnStreamResponse, "stream_stream")
PREDICT = _method(_LEARNING, "Predict", v1.PredictResponse)
PREDICT_THEN_LEARN = _method(_LEARNING, "PredictThenLearn", v1.PredictThenLearnResponse)
EVALUATION = _method(_LEARNING, "GetEvaluation", v1.GetEvaluationResponse)
WATCH = _method(_LEARNING, "WatchEvaluation", v1.GetEvaluationResponse, "unary_stream")
# Its answer is one enum, and 1 is SERVING.
HEALTH = _method("grpc.health.v1.Health", "Check", bytes)


@dataclass(frozen=True)
class Operation(Generic[T]):
    """A call and what its answer means.

    `repeatable`: the server does it once however often it is asked, so that it is tried again
    after UNAVAILABLE, and where it broke off, while the timeout lasts. `reads`: it changes nothing,
    and is tried again for as long as a channel may pause before it looks for a server that has come
    back.
    """

    method: Method
    request: bytes
    answer: Callable[[Any], T]
    repeatable: bool = False
    reads: bool = False


class Retries:
    """When an operation that failed is tried again."""

    def __init__(self, operation: Operation[Any], timeout: float) -> None:
        self._operation = operation
        self.end = time.monotonic() + timeout
        if operation.repeatable:
            self._backoff = Backoff(give_up=timeout)
        else:
            self._backoff = Backoff(give_up=_CHANNEL_PAUSE, longest=_CHANNEL_PAUSE / 4)

    def pause(self, error: PrequelError) -> float | None:
        """The seconds to wait before the next attempt; None: there is none."""
        operation = self._operation
        # gRPC may call it CANCELLED when the connection breaks in the middle of a call. A stream
        # that was closed here ends with it too, so that is_transient leaves it out.
        lost = is_transient(error) or isinstance(error, Cancelled)
        again = operation.repeatable and lost
        if not again and not (operation.reads and isinstance(error, Unavailable)):
            return None
        pause = self._backoff.next()
        return None if pause is None or time.monotonic() + pause >= self.end else pause


class Connection:
    """Makes calls, and waits for them. Thread-safe."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.reached = False  # whether the server has ever answered
        self._channel = endpoint.channel()
        self._calls: dict[str, Any] = {}
        self._closed = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.endpoint,)

    def close(self) -> None:
        self._closed = True
        self._channel.close()

    def run(self, operation: Operation[T]) -> T:
        retries = Retries(operation, self.endpoint.timeout)
        while True:
            try:
                return operation.answer(self._call(operation, retries.end))
            except PrequelError as error:
                pause = retries.pause(error)
                if pause is None:
                    raise
                self._wait(pause)

    def _wait(self, seconds: float) -> None:
        # gRPC 1.51 looks for a server only while somebody waits for the channel to be ready.
        ready = grpc.channel_ready_future(self._channel)
        time.sleep(seconds)
        ready.cancel()

    def _call(self, operation: Operation[Any], end: float) -> Any:
        left = end - time.monotonic()
        if left <= 0:
            raise DeadlineExceeded(f"{self.endpoint.server} did not answer in time", from_call=True)
        try:
            call = self._bound(operation.method)
            answer = call(operation.request, timeout=left, metadata=self.endpoint.metadata)
            self.reached = True
            return answer
        except grpc.RpcError as error:
            raise from_rpc(error, self.endpoint.server) from None

    def download(self, method: Method, request: bytes) -> Iterator[Any]:
        """The messages of the answer, one after the other."""
        try:
            yield from self._bound(method)(
                request, timeout=self.endpoint.timeout, metadata=self.endpoint.metadata
            )
        except grpc.RpcError as error:
            raise from_rpc(error, self.endpoint.server) from None

    def listen(self, method: Method, request: bytes) -> Iterator[Any]:
        """The messages of an answer that goes on until nobody asks for the next."""
        call = self._bound(method)(request, metadata=self.endpoint.metadata)
        try:
            yield from call
        except grpc.RpcError as error:
            raise from_rpc(error, self.endpoint.server) from None
        finally:
            call.cancel()

    def upload(self, method: Method, requests: Iterable[bytes]) -> Any:
        try:
            return self._bound(method)(
                iter(requests), timeout=self.endpoint.timeout, metadata=self.endpoint.metadata
            )
        except grpc.RpcError as error:
            raise from_rpc(error, self.endpoint.server) from None

    def converse(self, method: Method, requests: Iterator[bytes]) -> Any:
        """An open call in both directions; its end is an error of gRPC's."""
        return self._bound(method)(requests, metadata=self.endpoint.metadata)

    def _bound(self, method: Method) -> Any:
        if self._closed:
            raise FailedPrecondition("the client is closed: make another")
        call = self._calls.get(method.path)
        if call is None:
            call = self._calls[method.path] = method.bind(self._channel)
        return call


def _token_of_environment() -> str:
    path = os.environ.get("PREQUEL_TOKEN_FILE")
    if not path:
        return os.environ.get("PREQUEL_TOKEN", "")
    return _read_token("PREQUEL_TOKEN_FILE", path)


def _read_token(given_as: str, path: str | Path) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError as error:
        raise InvalidArgument(f"{given_as}: cannot read {path}: {error.strerror}") from None


def _pem(value: Pem | None) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str) and "-----BEGIN" in value:
        return value.encode()
    try:
        return Path(value).read_bytes()
    except OSError as error:
        raise InvalidArgument(f"tls: cannot read {value}: {error.strerror}") from None

"""The calls that clients make, as values: what is sent, and what the answer means."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from google.protobuf.message import Message

from prequel import connection, v1
from prequel.answers.info import ModelInfo, Revisions, Snapshot
from prequel.answers.parts import Part, parts_of
from prequel.answers.prediction import Prediction, prediction_of
from prequel.answers.scores import Evaluation
from prequel.connection import Operation
from prequel.data.encoder import Examples
from prequel.data.minibatch import Minibatch
from prequel.errors import InvalidArgument, NotFound, Unimplemented
from prequel.learning.ack import Ack

T = TypeVar("T")

_PIECE_ROWS = 4_096  # of a prediction, at most
_PIECE_BYTES = 4 << 20
_FILE_PIECE = 1 << 20
_MOST_SAMPLES = 10_000


def resource_name(name: str) -> str:
    """ "models/moons" of "moons" and of "models/moons"."""
    if not isinstance(name, str):
        raise InvalidArgument(f"name: {name!r} is no text")
    return name if name.startswith("models/") else f"models/{name}"


def model_id(name: str) -> str:
    """ "moons" of either."""
    return resource_name(name)[len("models/") :]


def create(name: str, config: v1.ModelConfig) -> Operation[ModelInfo]:
    request = v1.CreateModelRequest(model_id=model_id(name), config=config)
    return Operation(connection.CREATE, request.SerializeToString(), partial(_created, config))


def _created(config: v1.ModelConfig, answer: v1.Model) -> ModelInfo:
    """An older server passes over what it does not know, and makes another model than was asked."""
    asked = [field.name for field, value in config.ListFields() if isinstance(value, Message)]
    unknown = [f"config.{name}" for name in asked if not answer.config.HasField(name)]
    if unknown:
        raise Unimplemented(
            f"{answer.name} has been made without {', '.join(unknown)}", from_call=True
        )
    return ModelInfo.of(answer)


def describe(name: str) -> Operation[ModelInfo]:
    return _read(connection.GET, _named(v1.GetModelRequest, name), ModelInfo.of)


def list_page(token: str) -> Operation[tuple[list[ModelInfo], str]]:
    request = v1.ListModelsRequest(page_size=1000, page_token=token)
    return _read(
        connection.LIST,
        request.SerializeToString(),
        lambda answer: ([ModelInfo.of(model) for model in answer.models], answer.next_page_token),
    )


def parts() -> Operation[list[Part]]:
    request = v1.ListPartsRequest()
    return _read(connection.PARTS, request.SerializeToString(), parts_of)


def delete(name: str) -> Operation[None]:
    return Operation(connection.DELETE, _named(v1.DeleteModelRequest, name), lambda _: None)


def snapshot(name: str) -> Operation[Snapshot]:
    return Operation(connection.SNAPSHOT, _named(v1.CreateSnapshotRequest, name), Snapshot.of)


def revisions(name: str) -> Operation[Revisions]:
    return _read(connection.REVISIONS, _named(v1.ListRevisionsRequest, name), Revisions.of)


def rollback(name: str, revision: int) -> Operation[ModelInfo]:
    check_revision("revision", revision)
    request = v1.RollbackModelRequest(name=name, revision=revision)
    return Operation(connection.ROLLBACK, request.SerializeToString(), ModelInfo.of)


def fork(
    name: str, new: str, revision: int | None, config: v1.ModelConfig | None
) -> Operation[ModelInfo]:
    check_revision("revision", revision or 0)
    request = v1.ForkModelRequest(
        name=name, model_id=model_id(new), revision=revision, config=config
    )
    return Operation(connection.FORK, request.SerializeToString(), ModelInfo.of)


def evaluation(name: str) -> Operation[Evaluation]:
    return _read(connection.EVALUATION, _named(v1.GetEvaluationRequest, name), Evaluation.of)


def watch_request(name: str, interval: float) -> bytes:
    number = isinstance(interval, (int, float)) and not isinstance(interval, bool)
    if not number or not 0 <= interval <= 86_400:
        raise InvalidArgument(f"interval: {interval!r} is not a number of seconds from 0 to 86,400")
    request = v1.WatchEvaluationRequest(name=name)
    request.min_interval.FromNanoseconds(round(interval * 1e9))
    return request.SerializeToString()


def health() -> Operation[bool]:
    return _read(connection.HEALTH, b"", lambda answer: answer == b"\x08\x01")


def export_request(name: str, revision: int | None) -> bytes:
    check_revision("revision", revision or 0)
    return v1.ExportModelRequest(name=name, revision=revision).SerializeToString()


def open_model_file(path: str | os.PathLike[str]) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        raise NotFound(f"there is no file {os.fspath(path)}") from None


def import_requests(name: str, file: Any) -> Iterator[bytes]:
    """The pieces of `file`, open for reading bytes."""
    yield v1.ImportModelRequest(model_id=model_id(name)).SerializeToString()
    while data := file.read(_FILE_PIECE):
        yield v1.ImportModelRequest(data=data).SerializeToString()


def learn(name: str, minibatch: Minibatch) -> Operation[Ack]:
    """One minibatch, learned once however often it is sent."""
    request = v1.LearnRequest(name=name, request_id=secrets.token_hex(16))
    return Operation(
        connection.LEARN,
        minibatch.request(request),
        lambda answer: Ack.of(0, 0, answer),
        repeatable=True,
    )


def predict_then_learn(
    name: str, minibatch: Minibatch, options: v1.PredictOptions | None
) -> Operation[tuple[Prediction | None, Ack]]:
    """One atomic step. The prediction is of the revision before; None in a repeat."""
    request = v1.PredictThenLearnRequest(
        name=name, request_id=secrets.token_hex(16), options=options
    )

    def answered(answer: v1.PredictThenLearnResponse) -> tuple[Prediction | None, Ack]:
        ack = Ack.of(0, 0, answer)  # type: ignore[arg-type]
        if not answer.predictions.outputs:
            return None, ack
        return prediction_of(answer.revision - 1, answer.predictions), ack

    return Operation(
        connection.PREDICT_THEN_LEARN, minibatch.request(request), answered, repeatable=True
    )


def predict(
    name: str,
    minibatch: Minibatch,
    options: v1.PredictOptions | None,
    revision: int | None,
    min_revision: int,
) -> Operation[Prediction]:
    check_revision("revision", revision or 0)
    check_revision("min_revision", min_revision)
    request = v1.PredictRequest(
        name=name,
        options=options,
        revision=revision,
        min_revision=min_revision,
    )
    return _read(
        connection.PREDICT,
        minibatch.request(request),
        lambda answer: prediction_of(answer.revision, answer.predictions),
    )


def score(
    name: str, minibatch: Minibatch, revision: int | None, min_revision: int
) -> Operation[v1.PredictResponse]:
    """The scores of predictions, in place of them."""
    check_revision("revision", revision or 0)
    check_revision("min_revision", min_revision)
    request = v1.PredictRequest(
        name=name,
        options=v1.PredictOptions(scores=True),
        revision=revision,
        min_revision=min_revision,
    )
    return _read(connection.PREDICT, minibatch.request(request), _scored)


def _scored(answer: v1.PredictResponse) -> v1.PredictResponse:
    """An older server passes over what it does not know, and predicts."""
    if not answer.HasField("scores"):
        raise Unimplemented("the server is too old to score what is not learned", from_call=True)
    return answer


def score_pieces(examples: Examples) -> list[Minibatch]:
    if not examples.rows:
        raise InvalidArgument("there are no rows to score")
    return predict_pieces(examples)


def predict_pieces(examples: Examples) -> list[Minibatch]:
    """As many rows at once as a server takes and answers."""
    rows = _PIECE_ROWS
    if examples.inputs is not None and examples.rows:
        row_bytes = max(1, examples.inputs.itemsize * examples.inputs.shape[1])
        rows = max(1, min(rows, _PIECE_BYTES // row_bytes))
    if examples.rows <= rows:
        return [examples.minibatch(0, examples.rows)]
    return list(examples.minibatches(rows))


def check_revision(field: str, value: int) -> None:
    if not isinstance(value, (int, np.integer)) or not 0 <= value < 1 << 63:
        raise InvalidArgument(f"{field}: {value!r} is no revision, which count from 0")


def check_positive(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidArgument(f"{name}: {value!r} is not a whole number above 0")
    return value


def _read(method: connection.Method, request: bytes, answer: Callable[[Any], T]) -> Operation[T]:
    return Operation(method, request, answer, reads=True)


def _named(request: Any, name: str) -> bytes:
    return request(name=name).SerializeToString()


def options(queries: Sequence[v1.Query], samples: int, raw: bool) -> v1.PredictOptions | None:
    """How a prediction is to be made; None: as by default."""
    if not isinstance(samples, (int, np.integer)) or not 0 <= samples <= _MOST_SAMPLES:
        raise InvalidArgument(f"samples: {samples!r} is not a whole number from 0 to 10,000")
    if not queries and not samples and not raw:
        return None
    return v1.PredictOptions(queries=queries, samples=samples, raw=raw)

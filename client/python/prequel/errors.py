"""What can go wrong, as exceptions."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from prequel import v1
from prequel.unreachable import why_unreachable


@dataclass(frozen=True)
class FieldViolation:
    """One field of a request that is wrong, and what would be right."""

    field: str  # a path such as "config.rule.options.passes"
    description: str

    def __str__(self) -> str:
        """Some descriptions begin with the field's name, some do not."""
        if self.description.startswith(self.field):
            return self.description
        return f"{self.field}: {self.description}"


class PrequelError(Exception):
    """An error of the service, of the way to it, or of what it was given.

    Attributes:
        code: the name of the gRPC code, such as "INVALID_ARGUMENT".
        reason: what programs switch on, such as "MODEL_NOT_FOUND"; "" where there is none.
        violations: the fields that are wrong.
        metadata: more about `reason`, by name.
        from_call: whether a call ended so; False for what this library refused before any call.
    """

    code = "UNKNOWN"

    def __init__(
        self,
        message: str,
        *,
        reason: str = "",
        violations: Iterable[FieldViolation] = (),
        metadata: Mapping[str, str] | None = None,
        from_call: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.violations = tuple(violations)
        self.metadata = dict(metadata or {})
        self.from_call = from_call

    def __str__(self) -> str:
        """What is wrong and what to do next, then the violations, then code and reason."""
        text = _with_advice(self)
        for violation in self.violations:
            # Often the message already is the only violation's text.
            if str(violation) not in self.message:
                text += f"\n  {violation}"
        if self.from_call:
            text += f"\n  [{self.code}{', ' + self.reason if self.reason else ''}]"
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (
            type(self), self.message, self.reason, self.violations, self.metadata, self.from_call
        )  # fmt: skip


class InvalidArgument(PrequelError, ValueError):
    """What was given is wrong: the message, or `violations`, says which part."""

    code = "INVALID_ARGUMENT"


class NotFound(PrequelError, LookupError):
    """There is no such model, file or program."""

    code = "NOT_FOUND"


class AlreadyExists(PrequelError):
    """There is a model of that name."""

    code = "ALREADY_EXISTS"


class OutOfRange(PrequelError, LookupError):
    """The revision, or the minibatch, is no longer known."""

    code = "OUT_OF_RANGE"


class FailedPrecondition(PrequelError):
    """Not in the state that things are in."""

    code = "FAILED_PRECONDITION"


class Aborted(PrequelError):
    """Somebody else was in between."""

    code = "ABORTED"


class Cancelled(PrequelError):
    """The call was cancelled."""

    code = "CANCELLED"


class Unavailable(PrequelError, ConnectionError):
    """No answer: there is no server, or it went away. Worth another try."""

    code = "UNAVAILABLE"


class DeadlineExceeded(PrequelError, TimeoutError):
    """No answer in time."""

    code = "DEADLINE_EXCEEDED"


class ResourceExhausted(PrequelError):
    """More than the server takes, or takes now."""

    code = "RESOURCE_EXHAUSTED"


class Unauthenticated(PrequelError, PermissionError):
    """The server asks for a token that it knows."""

    code = "UNAUTHENTICATED"


class PermissionDenied(PrequelError, PermissionError):
    """The token does not allow this."""

    code = "PERMISSION_DENIED"


class Unimplemented(PrequelError, NotImplementedError):
    """The server does not know this call."""

    code = "UNIMPLEMENTED"


class Internal(PrequelError):
    """The server failed, or the connection did in an unexpected way."""

    code = "INTERNAL"


class DataLoss(PrequelError):
    """What is stored, or what was sent, is damaged."""

    code = "DATA_LOSS"


def kind_of(value: Any) -> str:
    """ "a DataFrame", "an ndarray": what is named where it is refused."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeio' or name == 'ndarray' else 'a'} {name}"


def counted(count: int, noun: str) -> str:
    """ "1 row", "2 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


class InferenceNote(UserWarning):
    """What a person should know of what was made of a column; see `Client.create`."""


class FeatureLeftOut(UserWarning):
    """A feature that came after the first example, and that the model has no column for."""


class RowsRefused(UserWarning):
    """Rows whose label is no class of the model were not learned."""


class DatasetSizeContradicted(UserWarning):
    """A rule counts the rows of `dataset_size`, and another number of them was learned."""


_CODES = (
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
    "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
)  # fmt: skip
_CLASSES = {
    cls.code: cls
    for cls in (
        InvalidArgument, NotFound, AlreadyExists, OutOfRange, FailedPrecondition, Aborted,
        Cancelled, Unavailable, DeadlineExceeded, ResourceExhausted, Unauthenticated,
        PermissionDenied, Unimplemented, Internal, DataLoss,
    )
}  # fmt: skip

_ADVICE = {
    "NOT_FOUND": "Client.models() lists the models there are",
    "ALREADY_EXISTS": "choose another name, or delete the old one",
    "UNIMPLEMENTED": "the server is older than this client, or is not prequeld",
    "UNAUTHENTICATED": "give Client(token=…) a token that this server knows, or set PREQUEL_TOKEN",
    "PERMISSION_DENIED": "the token that was given does not allow this",
    "INTERNAL": "the server's log says more",
    "DATA_LOSS": "the server's log says more",
}
_OF_A_FILE = "is it one that Model.export wrote, or `prequel export`, and whole?"


def from_status(status: v1.Status, server: str) -> PrequelError:
    """The exception for `status`, as the server at `server` gave it."""
    reason, metadata = "", {}
    violations: list[FieldViolation] = []
    for detail in status.details:
        info, bad_request = v1.ErrorInfo(), v1.BadRequest()
        if detail.Unpack(info):  # type: ignore[arg-type, unused-ignore]
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(bad_request):  # type: ignore[arg-type, unused-ignore]
            violations += [
                FieldViolation(violation.field, violation.description)
                for violation in bad_request.field_violations
            ]
    code = _CODES[status.code] if 0 <= status.code < len(_CODES) else "UNKNOWN"
    cls = _CLASSES.get(code, PrequelError)
    message = _what(code, status.message, reason, server)
    return cls(
        message, reason=reason, violations=violations, metadata=metadata, from_call=True
    )  # fmt: skip


def from_rpc(error: Any, server: str) -> PrequelError:
    """The exception for a call that failed; `error` is gRPC's, synchronous or not."""
    status = v1.Status()
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            with contextlib.suppress(DecodeError):
                status = v1.Status.FromString(value)
    # The trailers' code and message are the authority; the details may be absent.
    status.code = error.code().value[0]
    status.message = error.details() or ""
    return from_status(status, server)


def is_transient(error: PrequelError) -> bool:
    """Trying again may help: no server, or one that does not know what became of a minibatch."""
    return isinstance(error, Unavailable) or error.reason == "OUTCOME_UNKNOWN"


def note(text: str, stacklevel: int = 3) -> None:
    """Tells what should be known of an inference, as a warning."""
    warnings.warn(text, InferenceNote, stacklevel=stacklevel)


def _what(code: str, message: str, reason: str, server: str) -> str:
    # gRPC's own text for an unreachable server speaks of addresses it tried: noise to a person.
    if code == "UNAVAILABLE" and not reason:
        return "; ".join(why_unreachable(message, server))
    if code == "DEADLINE_EXCEEDED" and message == "Deadline Exceeded":
        return f"{server} did not answer in time"
    return message or code


def _with_advice(error: PrequelError) -> str:
    advice = _ADVICE.get(error.code, "") if error.from_call else ""
    if error.from_call and error.code == "DEADLINE_EXCEEDED":
        advice = "raise Client(timeout=…), or look at the server's load"
    elif error.from_call and error.code == "RESOURCE_EXHAUSTED":
        if "larger than max" in error.message:
            advice = "send less at once, or start prequeld with a larger --max-message-bytes"
        elif "try again" not in error.message:
            advice = "send smaller minibatches, or try again when the server is less busy"
    elif error.from_call and error.code == "INVALID_ARGUMENT" and "the model file" in error.message:
        advice = _OF_A_FILE
    return f"{error.message}; {advice}" if advice else error.message


def _restored(
    cls: type[PrequelError],
    message: str,
    reason: str,
    violations: tuple[FieldViolation, ...],
    metadata: dict[str, str],
    from_call: bool,
) -> PrequelError:
    return cls(
        message, reason=reason, violations=violations, metadata=metadata, from_call=from_call
    )  # fmt: skip

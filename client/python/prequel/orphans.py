"""Models that were made for an object of this program, and go when it has gone."""

from __future__ import annotations

import atexit
import contextlib
import weakref
from collections import deque
from typing import Any

from prequel.errors import PrequelError
from prequel.reference import client_of

_Place = tuple["str | None", str]  # server and name

_kept: dict[int, tuple[weakref.ref[Any], _Place]] = {}  # by the identity of the owner
_abandoned: deque[_Place] = deque()


def own(owner: object, server: str | None, name: str) -> None:
    """From now on the model goes when `owner` is collected, or this program ends.

    A collection may happen inside any call, gRPC's own included, so it only notes the name: the
    next `remove_abandoned` asks the server.
    """
    identity = id(owner)

    def collected(_: Any) -> None:
        kept = _kept.pop(identity, None)
        if kept is not None:
            _abandoned.append(kept[1])

    _kept[identity] = (weakref.ref(owner, collected), (server, name))


def disown(owner: object) -> None:
    """The model stays when `owner` has gone: there are copies of it, or it was removed."""
    _kept.pop(id(owner), None)


def remove_abandoned() -> None:
    """Deletes the models whose owners have gone. A server that does not answer keeps them."""
    while _abandoned:
        server, name = _abandoned.popleft()
        with contextlib.suppress(PrequelError):
            client_of(server).model(name).delete()


def _at_exit() -> None:
    _abandoned.extend(place for _, place in _kept.values())
    _kept.clear()
    remove_abandoned()


atexit.register(_at_exit)

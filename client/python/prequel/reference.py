"""What estimators of other libraries hold of a model: where it is, and never a connection."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from prequel.client import Client
from prequel.config import Part, part

_clients: dict[str | None, Client] = {}
_lock = threading.Lock()


def client_of(server: str | None) -> Client:
    """One connection to each server, however many estimators refer to it. None: PREQUEL_SERVER, or
    127.0.0.1:8081. The token is PREQUEL_TOKEN."""
    with _lock:
        if server not in _clients:
            _clients[server] = Client(server)
        return _clients[server]


def part_of(value: Any) -> Part | None:
    """A part of a model: a name, {"name": …, option: value, …}, or None."""
    if isinstance(value, Mapping):
        options = {key: option for key, option in value.items() if key != "name"}
        return part(value.get("name", ""), **options)
    return value

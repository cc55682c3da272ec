"""What estimators of other libraries hold of a model: where it is, and never a connection."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from typing import Any

from prequel import v1
from prequel.client import Client
from prequel.config import Part, part
from prequel.errors import InvalidArgument
from prequel.model import Model

_clients: dict[str | None, Client] = {}
_lock = threading.Lock()


def client_of(server: str | None) -> Client:
    """One connection to each server, however many estimators refer to it. None: PREQUEL_SERVER, or
    127.0.0.1:8081. The token is PREQUEL_TOKEN."""
    with _lock:
        if server not in _clients:
            _clients[server] = Client(server)
        return _clients[server]


@functools.lru_cache(maxsize=256)
def model_of(server: str | None, name: str, config: bytes) -> Model:
    """The model of that name, of which the serialized config is known."""
    return client_of(server).model(name, v1.ModelConfig.FromString(config))


def part_of(value: Any) -> Part | None:
    """A part of a model: a name, {"name": …, option: value, …}, or None."""
    if isinstance(value, Mapping):
        options = {key: option for key, option in value.items() if key != "name"}
        return part(value.get("name", ""), **options)
    return value


def likelihood_of(value: Any, usual: str, of_classes: bool) -> Part:
    """The likelihood that an estimator was given, or the `usual` one. InvalidArgument for one that
    is of classes where the estimator learns values, and the other way round."""
    chosen = part_of(value)
    name = name_of(chosen)
    if name and learns_classes(name) != of_classes:
        learned = "values" if of_classes else "classes"
        other = "PrequelRegressor" if of_classes else "PrequelClassifier"
        raise InvalidArgument(f"likelihood: {name} is of {learned}, which {other} learns")
    return usual if chosen is None else chosen


def name_of(value: Part | None) -> str:
    """Of a part; "" where it is the server's choice."""
    return value if isinstance(value, str) else "" if value is None else value.name


def learns_classes(likelihood: str) -> bool:
    return likelihood in ("bernoulli", "categorical")

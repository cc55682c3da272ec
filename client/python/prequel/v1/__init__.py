"""The messages of proto/prequel/v1 and google/rpc, as classes of protobuf.

They are built from descriptors when this module is imported, in a pool of their own: any version of
protobuf from 4.21 on will do, and other packages may hold messages of the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGES = ("prequel.v1", "google.rpc")


def _classes(pool: Any) -> Callable[[Any], Any]:
    """From a message's descriptor to its class: the same one each time."""
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass
    return message_factory.MessageFactory(pool).GetPrototype  # protobuf 4.21


def _load() -> dict[str, Any]:
    data = resources.files(__package__).joinpath("messages.binpb").read_bytes()
    pool = descriptor_pool.DescriptorPool()
    files = descriptor_pb2.FileDescriptorSet.FromString(data).file
    for file in files:
        pool.AddSerializedFile(file.SerializeToString())
    class_of = _classes(pool)
    return {
        message.name: class_of(pool.FindMessageTypeByName(f"{file.package}.{message.name}"))
        for file in files
        if file.package in _PACKAGES
        for message in file.message_type
    }


_MESSAGES = _load()
globals().update(_MESSAGES)
__all__ = sorted(_MESSAGES)  # noqa: PLE0605

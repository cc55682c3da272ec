"""A minibatch in the bytes of its message.

The wire format of a Batch is written here by hand: numbers go from the array that they stand in to
the bytes of the request by one copy, where messages of protobuf take three.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from prequel import v1
from prequel.data.tensor import FloatArray, dtype_of

Part = Union[bytes, memoryview]

_LENGTH_DELIMITED = 2
_BATCH_FIELD = 2  # of every request that has a batch


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _header(field: int, size: int) -> bytes:
    return _varint(field << 3 | _LENGTH_DELIMITED) + _varint(size)


def _size(parts: Sequence[Part]) -> int:
    return sum(part.nbytes if isinstance(part, memoryview) else len(part) for part in parts)


def _tensor_parts(field: int, values: FloatArray) -> list[Part]:
    """Field `field` of a Batch. `values` are as `travelling` returns them, of any layout."""
    contiguous = np.ascontiguousarray(values)  # itself when it is C-contiguous
    shape = b"".join(_varint(n) for n in contiguous.shape)
    head = b"\x08" + _varint(dtype_of(contiguous)) + b"\x12" + _varint(len(shape)) + shape
    if not contiguous.size:
        return [_header(field, len(head)), head]
    data = contiguous.reshape(-1).data.cast("B")
    inner: list[Part] = [head, _header(3, data.nbytes), data]
    return [_header(field, _size(inner)), *inner]


class Minibatch:
    """Rows of inputs, and their targets when they are to be learned.

    It refers to the arrays that it was made of: change them only after `request`.
    """

    __slots__ = ("_parts", "_size", "rows")

    def __init__(
        self,
        rows: int,
        inputs: FloatArray | None = None,
        text: Sequence[Sequence[str]] = (),
        targets: FloatArray | None = None,
        labels: Sequence[str] | None = None,
        times: FloatArray | None = None,
        weights: FloatArray | None = None,
        learned_before: bool = False,
    ) -> None:
        """`inputs` [rows, columns], `targets` [rows] or [rows, width], `times` [rows] and `weights`
        [rows] are little-endian floats; `text` holds the values of each categorical feature."""
        assert sys.byteorder == "little", "prequel speaks little-endian"
        self.rows = rows
        self._parts: list[Part] = []
        if inputs is not None:
            self._parts += _tensor_parts(1, inputs)
        for values in text:
            column = v1.TextColumn(values=values).SerializeToString()
            self._parts += [_header(2, len(column)), column]
        if targets is not None:
            self._parts += _tensor_parts(3, targets)
        if labels is not None:
            self._parts.append(v1.Batch(labels=labels).SerializeToString())
        if times is not None:
            self._parts += _tensor_parts(5, times)
        if weights is not None:
            self._parts += _tensor_parts(6, weights)
        if learned_before:
            self._parts.append(v1.Batch(learned_before=True).SerializeToString())
        self._size = _size(self._parts)

    def request(self, message: Any) -> bytes:
        """The bytes of `message`, a request without a batch, with this one as its batch."""
        head = message.SerializeToString()
        return b"".join([head, _header(_BATCH_FIELD, self._size), *self._parts])

    @property
    def nbytes(self) -> int:
        return self._size

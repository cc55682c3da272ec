"""Tensors as they travel: little-endian elements, row major."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from prequel import v1
from prequel.errors import DataLoss

FloatArray = npt.NDArray[Any]

_DTYPES: dict[int, np.dtype[Any]] = {
    v1.Tensor.DTYPE_FLOAT32: np.dtype("<f4"),
    v1.Tensor.DTYPE_FLOAT64: np.dtype("<f8"),
}


def travelling(values: FloatArray) -> FloatArray:
    """`values` as float32 or float64, little-endian; itself where it is that already."""
    small = values.dtype.kind == "f" and values.dtype.itemsize <= 4
    kind = np.dtype("<f4" if small else "<f8")
    return values.astype(kind, copy=False)


def dtype_of(values: FloatArray) -> int:
    """The wire's name for the dtype of what `travelling` returned."""
    return int(v1.Tensor.DTYPE_FLOAT32 if values.dtype.itemsize == 4 else v1.Tensor.DTYPE_FLOAT64)


def to_tensor(values: npt.ArrayLike) -> v1.Tensor:
    """A tensor of any shape, float32 where `values` are, else float64."""
    array = np.ascontiguousarray(travelling(np.asarray(values)))
    dtype: Any = dtype_of(array)
    return v1.Tensor(dtype=dtype, shape=array.shape, data=array.tobytes())


def from_tensor(tensor: v1.Tensor) -> FloatArray:
    """A read-only array on the bytes of `tensor`. DataLoss when they do not fit its shape."""
    shape = tuple(tensor.shape)
    if not tensor.data:
        array = np.array(tensor.values, dtype=np.float64)
    elif tensor.dtype in _DTYPES:
        data = tensor.data
        dtype = _DTYPES[tensor.dtype]
        array = np.frombuffer(data[: len(data) // dtype.itemsize * dtype.itemsize], dtype)
    else:
        raise DataLoss(f"the server sent a tensor of unknown dtype {tensor.dtype}")
    if array.size != math.prod(shape):
        raise DataLoss(f"the server sent a tensor of {array.size} values for shape {shape}")
    return array.reshape(shape)

"""The bytes that are written by hand are those of the messages."""

import numpy as np
import pytest

from prequel import v1
from prequel.data.minibatch import Minibatch
from prequel.data.tensor import from_tensor, to_tensor, travelling
from prequel.errors import DataLoss


def parsed(minibatch):
    return v1.LearnRequest.FromString(minibatch.request(v1.LearnRequest(name="models/m")))


@pytest.mark.parametrize("dtype", ["<f4", "<f8"])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (5, 3), (300, 200), (2, 0)])
def test_tensors(dtype, shape):
    inputs = np.arange(np.prod(shape), dtype=dtype).reshape(shape)
    request = parsed(Minibatch(shape[0], inputs))
    assert request.name == "models/m"
    assert request.batch.inputs.SerializeToString() == to_tensor(inputs).SerializeToString()
    if inputs.size:
        np.testing.assert_array_equal(from_tensor(request.batch.inputs), inputs)


def test_all_parts():
    inputs, targets = np.ones((2, 3)), np.array([1.0, 2.0])
    batch = parsed(Minibatch(2, inputs, [["a", "ü"], ["", "x" * 300]], targets)).batch
    assert [list(column.values) for column in batch.text] == [["a", "ü"], ["", "x" * 300]]
    assert list(batch.targets.shape) == [2]
    np.testing.assert_array_equal(from_tensor(batch.targets), targets)
    labels = parsed(Minibatch(2, inputs, labels=["yes", ""])).batch.labels
    assert list(labels) == ["yes", ""]


@pytest.mark.parametrize("order", ["C", "F"])
def test_layouts(order):
    wide = np.asarray(np.arange(24.0).reshape(4, 6), order=order)
    for inputs in (wide, wide[:, ::2], wide[::-1], wide.T):
        np.testing.assert_array_equal(
            from_tensor(parsed(Minibatch(1, inputs)).batch.inputs), inputs
        )


def test_nothing_is_copied_before_the_request():
    inputs = np.zeros((4, 2))
    minibatch = Minibatch(4, inputs[1:3])
    inputs[1] = 7
    assert from_tensor(parsed(minibatch).batch.inputs)[0].tolist() == [7, 7]


def test_dtypes_that_travel():
    for given, sent in [
        ("f2", "<f4"),
        ("f4", "<f4"),
        (">f4", "<f4"),
        (">f8", "<f8"),
        ("i8", "<f8"),
    ]:
        values = np.array([1, 2], dtype=given)
        assert travelling(values).dtype == np.dtype(sent)
        assert travelling(values).tolist() == [1, 2]
    same = np.zeros(3)
    assert travelling(same) is same


def test_a_tensor_that_does_not_fit():
    with pytest.raises(DataLoss, match="2 values for shape"):
        from_tensor(v1.Tensor(dtype=2, shape=[3], data=bytes(16)))
    with pytest.raises(DataLoss, match="unknown dtype"):
        from_tensor(v1.Tensor(dtype=0, shape=[2], data=bytes(16)))
    assert from_tensor(v1.Tensor(shape=[2], values=[1, 2])).tolist() == [1, 2]

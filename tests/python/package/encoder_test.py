"""Arrays and frames become what a model takes, or are refused with what to do."""

import datetime
import re

import numpy as np
import pytest

from prequel import v1
from prequel.config import merged
from prequel.data.encoder import Encoder
from prequel.data.table import Table
from prequel.errors import InvalidArgument


def encoder(*inputs, target="y", **options):
    return Encoder(merged(inputs=list(inputs), target=target, likelihood="gaussian", **options))


def refusal(text):
    return pytest.raises(InvalidArgument, match=re.escape(text))


def test_a_matrix_travels_as_it_is():
    X = np.arange(6.0).reshape(2, 3)
    examples = encoder("x:3").encode(X, [1, 2], targets=True)
    assert examples.inputs is X
    assert examples.targets.tolist() == [1, 2]
    assert encoder("x:3").encode(X.astype("f4"), targets=False).inputs.dtype == np.dtype("<f4")
    assert encoder("x:3").encode(X.astype(int), targets=False).inputs.tolist() == X.tolist()


def test_columns_are_found_by_name():
    table = {"b": [1, 2], "unused": ["u", "v"], "p1": [3, 4], "p2": [5, 6], "c": ["x", None]}
    examples = encoder("p:2", "c:text", "b").encode(table, targets=False)
    assert examples.inputs.tolist() == [[3, 5, 1], [4, 6, 2]]
    assert examples.text == [["x", ""]]
    assert encoder("p:2").encode(
        {"p0": [1], "p1": [2], "p2": [3]}, targets=False
    ).inputs.tolist() == [[1, 2]]


def test_rows_as_mappings_and_lists():
    assert encoder("a", "b?").encode([{"a": 1, "b": 2}, {"a": 3}], targets=False).inputs.tolist()[
        0
    ] == [1, 2]
    assert encoder("a", "c:text").encode([[1, "x"], [2, "y"]], targets=False).text == [["x", "y"]]
    assert encoder("x:2").encode([[1, 2], [3, 4]], targets=False).inputs.tolist() == [
        [1, 2],
        [3, 4],
    ]


def test_one_row_as_a_mapping_of_values():
    row = {"a": 1, "c": "wind", "b": np.array(2.0), "when": np.datetime64("1970-01-02")}
    examples = encoder("a", "b", "c:text", "when:date").encode(row, 3, targets=True)
    assert examples.inputs[:, :3].tolist() == [[1, 2, 1]] and examples.text == [["wind"]]
    assert examples.targets.tolist() == [3]
    assert encoder("a").encode({"a": 1, "y": 2}, targets=True).targets.tolist() == [2]
    assert encoder("a").encode({"a": [1]}, {"y": [2]}, targets=True).targets.tolist() == [2]
    with refusal("column 'a' has one value, and other columns have several: give each a list"):
        encoder("a", "b").encode({"a": 1, "b": [2]}, targets=False)


def test_what_a_model_of_an_array_says_to_frames():
    with refusal("'p', 'q'; the model takes 2 columns by their place: give an array, as frame.to"):
        encoder("x:2").encode({"p": [1], "q": [2]}, targets=False)


def test_labels_for_a_model_of_values():
    with refusal("row 1, column 'y': 'b' is no number, and the model learns values (likelihood"):
        encoder("x", allow_missing_target=True).encode([[0], [0]], ["NA", "b"], targets=True)
    nothing = np.array(["NaT", "NaT"], "M8[s]")
    encode = encoder("x", allow_missing_target=True).encode
    assert encode([[0], [0]], nothing, targets=True).labels == ["", ""]


def test_the_target_is_found_in_the_frame():
    table = {"a": [1, 2], "y": [3, 4], "z": [5, 6]}
    assert encoder("a").encode(table, targets=True).targets.tolist() == [3, 4]
    assert encoder("a").encode(table, "z", targets=True).targets.tolist() == [5, 6]
    with refusal("no column 'w'; there are 'a', 'y', 'z'"):
        encoder("a").encode(table, "w", targets=True)
    with refusal("no targets: give y"):
        encoder("x:2").encode(np.zeros((1, 2)), targets=True)


def test_words_for_no_value():
    table = {"a": ["1.5", " NA ", "", "1e3"]}
    values = encoder("a?").encode(table, targets=False).inputs[:, 0]
    np.testing.assert_array_equal(values, [1.5, np.nan, np.nan, 1000])
    with refusal("row 1, column 'a': no value, and the model does not allow missing ones here"):
        encoder("a").encode(table, targets=False)
    with refusal("row 0, column 'a': '1,234' has a separator of thousands: write 1234"):
        encoder("a").encode({"a": ["1,234"]}, targets=False)


def test_labels():
    config = merged(inputs=1, target="y", likelihood="categorical", labels=["7", "8.5", "NA"])
    encode = lambda y: Encoder(config).encode(np.zeros((len(y), 1)), y, targets=True).labels
    assert encode([7, 8.5]) == ["7", "8.5"]
    assert encode(["7", " 8.5 ", "NA"]) == ["7", "8.5", "NA"]
    with refusal("row 1, column 'y': no target, and the model does not allow missing ones"):
        encode(["7", None])
    config.target.allow_missing = True
    assert encode(["7", None]) == ["7", ""]
    numbers = Encoder(merged(inputs=1, target="y", likelihood="bernoulli"))
    assert numbers.encode([[0], [1]], [True, False], targets=True).targets.tolist() == [1, 0]
    assert numbers.encode([[0], [1]], ["no", "yes"], targets=True).labels == ["no", "yes"]


def test_moments():
    days = [datetime.date(2024, 1, 31), datetime.date(2023, 7, 2)]
    as_dates = encoder("when:date").encode({"when": days}, targets=False).inputs
    as_text = (
        encoder("when:date").encode({"when": ["2024-01-31", "2023/7/2"]}, targets=False).inputs
    )
    np.testing.assert_allclose(as_dates, as_text)
    assert as_dates[:, 0].tolist() == [19753, 19540]
    stamp = np.array(["2024-01-31T18:00:00", "NaT"], dtype="datetime64[s]")
    values = (
        Encoder(
            v1.ModelConfig(features=[v1.Feature(name="t:datetime", width=7, allow_missing=True)])
        )
        .encode({"t": stamp}, targets=False)
        .inputs
    )
    np.testing.assert_allclose(values[0, [0, 5, 6]], [19753.75, -1, 0], atol=1e-12)
    assert np.isnan(values[1]).all()
    with refusal(
        "row 0, column 'when': 'soon' is no date as the model has learned them here: write 2024-01"
    ):
        encoder("when:date").encode({"when": ["soon"]}, targets=False)
    with refusal("row 0, column 'when': '1' is no date as the model has learned them here"):
        encoder("when:date").encode({"when": [1.0]}, targets=False)


@pytest.mark.parametrize(
    ("X", "text"),
    [
        (np.zeros(3), "the inputs have shape (3,): give [rows, columns], as X.reshape(-1, 1)"),
        (np.zeros((2, 2, 2)), "shape (2, 2, 2)"),
        (np.zeros((2, 2)), "the inputs have 2 columns, the model takes 3: a, b, c"),
        ([1, 2, 3], "one-dimensional"),
        ([[1, 2], [1]], "different lengths"),
        ([], "no rows"),
        ({}, "no column"),
        ({"a": [1], "bb": [2], "c": [3]}, "no column 'b'; there are 'a', 'bb', 'c'"),
        ({"a": [1], "b": [2, 3], "c": [3]}, "column 'b' has 2 rows, and 'a' has 1"),
        ({"a": [1 + 2j], "b": [1], "c": [1]}, "a complex is no value"),
        ({"a": np.array([1j]), "b": [1], "c": [1]}, "complex numbers: give real and"),
        ({"a": np.array([1], "m8[s]"), "b": [1], "c": [1]}, "durations: divide them by a unit"),
        ({"a": [b"x"], "b": [1], "c": [1]}, "a bytes is no value; give numbers, text"),
        ({"a": [[1]], "b": [1], "c": [1]}, "row 0, column 'a': a list is no value"),
        ({"a": [np.eye(1)], "b": [1], "c": [1]}, "row 0, column 'a': an ndarray is no value"),
        ({"a": ["x"], "b": [1], "c": [1]}, "row 0, column 'a': 'x' is not a number"),
        (np.array([[1, np.nan, 2]]), "row 0, column 'b': no value"),
        (np.array([[1, 2, np.inf]]), "row 0, column 'c': inf is infinite: mend it"),
        (np.array([["a", 1, 2]], dtype=object), "row 0, column 'a': 'a' is not a number"),
        ("text", "a str is neither an array, a mapping of columns nor a frame"),
        (None, "a NoneType is"),
    ],
)  # fmt: skip
def test_bad_inputs(X, text):
    if text.endswith(("frame", "is")):
        pytest.importorskip("narwhals")
    with refusal(text):
        encoder("a", "b", "c").encode(X, targets=False)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        ([1, 2], "X has 3 rows and y has 2"),
        (np.zeros((3, 2)), "y has 2 columns, the model's target has 1"),
        (np.zeros((3, 1, 1)), "the targets have shape (3, 1, 1)"),
        ([1, 2, np.nan], "row 2, column 'y': no target"),
        ([1, np.inf, 2], "row 1, column 'y': an infinite target"),
        (np.array([1, 2, "x"], dtype=object), "row 2, column 'y': 'x' is not a number"),
        (np.zeros((3, 2), dtype=object), "targets of dtype object"),
        ([[1], [2, 3], [4]], "the targets are no rows of numbers, all of one length"),
    ],
)
def test_bad_targets(y, text):
    with refusal(text):
        encoder("x").encode(np.zeros((3, 1)), y, targets=True)


def test_texts_that_cannot_travel():
    with refusal("row 1, column 'c': a text of 1025 bytes; the longest has 1024"):
        encoder("c:text").encode({"c": ["a", "x" * 1025]}, targets=False)
    with refusal("cannot be written as UTF-8"):
        encoder("c:text").encode({"c": ["\ud800"]}, targets=False)


def test_sparse_matrices_are_refused():
    sparse = pytest.importorskip("scipy.sparse")
    for X in (sparse.csr_matrix((2, 2)), sparse.coo_matrix((2, 2))):
        with refusal("a sparse matrix: give X.toarray()"):
            encoder("x:2").encode(X, targets=False)


class Foreign:
    """An array of another library."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


def test_arrays_of_other_libraries():
    examples = encoder("x:2").encode(Foreign([[1.0, 2.0]]), Foreign([3.0]), targets=True)
    assert examples.inputs.tolist() == [[1, 2]]
    assert examples.targets.tolist() == [3]


def test_series_and_lazy_frames_of_polars_and_arrow():
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    X = pl.DataFrame({"a": [1.0, 2.0]})
    for y in (pl.Series("z", [3, 4]), pa.chunked_array([[3], [4]]), pl.DataFrame({"z": [3, 4]})):
        assert encoder("a").encode(X, y, targets=True).targets.tolist() == [3, 4]
    with refusal("a LazyFrame holds no rows yet: give data.collect()"):
        encoder("a").encode(X.lazy(), targets=False)


def test_masked_arrays_are_missing():
    X = np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]])
    np.testing.assert_array_equal(encoder("a", "b?").encode(X, targets=False).inputs, [[1, np.nan]])


def test_times_are_numbers_or_moments():
    frame = {"x": [1.0, 2.0], "y": [3.0, 4.0], "when": ["1970-01-02", "1970-01-02 00:01:00"]}
    examples = encoder("x").encode(frame, targets=True, times="when")
    assert examples.times.tolist() == [86_400, 86_460]
    minibatch = examples.minibatch(1, 2)
    read = v1.LearnRequest.FromString(minibatch.request(v1.LearnRequest(name="models/m")))
    assert np.frombuffer(read.batch.times.data).tolist() == [86_460]
    moments = np.array(["1970-01-01T00:00:01", "1970-01-01T00:00:01.5"], dtype="datetime64[ms]")
    for times in (moments, moments.astype(object), [1, 1.5], ["1", "1.5"]):
        encoded = encoder("x").encode([[1], [2]], targets=False, times=times)
        assert encoded.times.tolist() == [1, 1.5]


@pytest.mark.parametrize(
    "times, text",
    [
        ([1.0], "X has 2 rows and times has 1"),
        ([1.0, np.nan], "row 1, column 'times': a row must say when it happened"),
        ([1.0, np.inf], "row 1, column 'times': inf is no time"),
        (["1", "soon"], "row 1, column 'times': 'soon' is neither a number nor a moment"),
        ([[1.0, 2.0], [1.0, 2.0]], "times: give one for each row"),
    ],
)
def test_bad_times(times, text):
    with refusal(text):
        encoder("x").encode([[1], [2]], targets=False, times=times)


def test_weights_are_numbers_from_zero():
    frame = {"x": [1.0, 2.0], "y": [3.0, 4.0], "w": [0.5, 0]}
    examples = encoder("x").encode(frame, targets=True, weights="w")
    assert examples.weights.tolist() == [0.5, 0]
    minibatch = examples.minibatch(0, 1)
    read = v1.LearnRequest.FromString(minibatch.request(v1.LearnRequest(name="models/m")))
    assert np.frombuffer(read.batch.weights.data).tolist() == [0.5]
    assert not read.batch.HasField("times")


@pytest.mark.parametrize(
    "weights, text",
    [
        ([1.0], "X has 2 rows and weights has 1"),
        ([1.0, np.nan], "row 1, column 'weights': a row must have its weight"),
        ([1.0, -1.0], "row 1, column 'weights': -1.0 is no weight"),
        ([2e6, 1.0], "row 0, column 'weights': 2000000.0 is no weight"),
        ([[1.0, 2.0], [1.0, 2.0]], "weights: give one for each row"),
    ],
)
def test_bad_weights(weights, text):
    with refusal(text):
        encoder("x").encode([[1], [2]], targets=False, weights=weights)


def test_minibatches_cover_all_rows():
    examples = encoder("x").encode(np.zeros((10, 1)), np.zeros(10), targets=True)
    assert [m.rows for m in examples.minibatches(4)] == [4, 4, 2]


COLUMNS = {
    "number": [1.5, None, -2.0],
    "whole": [1, 2, 3],
    "truth": [True, False, True],
    "word": ["a", None, " b "],
    "when": [datetime.datetime(2024, 1, 31, 12), None, datetime.datetime(2024, 2, 1)],
}


def frames():
    yield "mapping", COLUMNS
    try:
        import pandas as pd

        yield "pandas", pd.DataFrame(COLUMNS)
        nullable = pd.DataFrame(COLUMNS).convert_dtypes()
        yield "nullable", nullable.assign(word=nullable.word.astype("category"))
    except ImportError:
        pass
    try:
        import polars as pl
        import pyarrow as pa

        yield "polars", pl.DataFrame(COLUMNS)
        yield "categorical", pl.DataFrame(COLUMNS).with_columns(pl.col("word").cast(pl.Categorical))
        yield "arrow", pa.table(COLUMNS)
    except ImportError:
        pass


@pytest.mark.parametrize(
    ("kind", "frame"), list(frames()), ids=lambda v: v if isinstance(v, str) else ""
)
def test_frames(kind, frame):
    features = ["number?", "whole", "truth:text", "word:text"]
    examples = encoder(*features).encode(frame, targets=False)
    np.testing.assert_array_equal(examples.inputs, [[1.5, 1], [np.nan, 2], [-2, 3]])
    assert examples.text == [["True", "False", "True"], ["a", "", "b"]]
    when = Table.of(frame).column("when")
    assert when.kind == "moment"
    assert when.texts() == ["2024-01-31 12:00:00", "", "2024-02-01 00:00:00"]
    assert encoder("truth").encode(frame, targets=False).inputs[:, 0].tolist() == [1, 0, 1]


def test_series_as_targets():
    pd = pytest.importorskip("pandas")
    y = pd.Series([1.0, 2.0], name="price", index=[5, 6])
    assert encoder("x").encode([[0], [0]], y, targets=True).targets.tolist() == [1, 2]
    assert encoder("x").encode([[0], [0]], y.to_frame(), targets=True).targets.tolist() == [1, 2]


def test_frames_that_cannot_be_read():
    pd = pytest.importorskip("pandas")
    with refusal("two columns are called 'a'"):
        Table.of(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with refusal("a series is one column"):
        Table.of(pd.Series([1]))
    pl = pytest.importorskip("polars")
    with refusal("column 'a' is of type List"):
        Table.of(pl.DataFrame({"a": [[1]]})).column("a")

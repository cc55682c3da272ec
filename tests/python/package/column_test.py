"""What a column of each type of each library becomes."""

import datetime
import re

import numpy as np
import pytest

from prequel.config import merged
from prequel.data.encoder import Encoder
from prequel.data.table import Table, target_of
from prequel.data.times import times_of
from prequel.errors import InvalidArgument
from prequel.inference.schema import infer


def encoder(*inputs):
    return Encoder(merged(inputs=list(inputs), target="y", likelihood="gaussian"))


def test_columns_that_the_model_does_not_know_are_left_alone():
    data = {"a": [1.0, 2.0], "odd": [{"k": 1}, object()], "complex": np.array([1j, 2j])}
    assert encoder("a").encode(data, targets=False).inputs.tolist() == [[1], [2]]
    with pytest.raises(InvalidArgument, match="row 0, column 'odd': a dict is no value"):
        encoder("odd").encode(data, targets=False)
    schema = infer({**data, "y": [1.5, 2.5]}, target="y", ignore=["odd", "complex"])
    assert [feature.name for feature in schema.config.features] == ["a"]
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"a": [1.0], "list": [[1, 2]], "span": [datetime.timedelta(hours=1)]})
    assert encoder("a").encode(frame, targets=False).inputs.tolist() == [[1]]
    with pytest.raises(InvalidArgument, match="column 'list' is of type List"):
        encoder("list").encode(frame, targets=False)


def test_a_column_of_another_length_is_named():
    message = "column 'b' has 1 row, and 'a' has 2"
    with pytest.raises(InvalidArgument, match=re.escape(message)):
        Table.of({"a": [1, 2], "b": [1]})


@pytest.mark.parametrize("values", [[3, 1, 3], [3.0, 1.0, 3.0], ["3", "1", "3"]])
def test_categories_of_pandas_are_categories_whatever_they_look_like(values):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"c": pd.Categorical([*values, None]), "y": [1.5, 2.5, 3.5, 4.5]})
    schema = infer(frame, target="y")
    assert schema.config.features[0].max_categories > 0
    examples = Encoder(schema.config).encode(frame, targets=True)
    assert examples.text == [["3", "1", "3", ""]]
    # A model that has learned numbers there reads them as numbers.
    assert encoder("c").encode(frame[:3], targets=False).inputs.tolist() == [[3], [1], [3]]


def test_categories_of_arrow_and_polars():
    pa = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    column = pa.array([7, 8, None, 7]).dictionary_encode()
    table = pa.table({"c": column})
    for frame in (table, table.to_pandas(types_mapper=pd.ArrowDtype)):
        read = Table.of(frame).column("c")
        assert read.categorical and read.texts() == ["7", "8", "", "7"]


def test_a_target_of_categories_is_one_of_classes():
    pd = pytest.importorskip("pandas")
    y = pd.Series(pd.Categorical(range(25)))
    schema = infer(np.zeros((25, 1)), y)
    assert schema.config.likelihood.name == "categorical"


def test_dates_of_arrow():
    pa = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    day = datetime.datetime(1970, 1, 3)
    table = pa.table({
        "d32": pa.array([day.date(), None], type=pa.date32()),
        "d64": pa.array([day, None], type=pa.date64()),
        "us": pa.array([day, None], type=pa.timestamp("us")),
        "zone": pa.array([day, None], type=pa.timestamp("ns", tz="Asia/Tokyo")),
    })  # fmt: skip
    for frame in (table, table.to_pandas(types_mapper=pd.ArrowDtype)):
        for name in ("d32", "d64", "us"):
            read = Table.of(frame).column(name)
            assert read.texts() == ["1970-01-03", ""], name
        zone = Table.of(frame).column("zone")
        assert zone.texts() == ["1970-01-03 09:00:00", ""]
        assert times_of(Table.of(frame[:1]).column("zone"), 1).tolist() == [2 * 86_400]


def test_numpys_own_strings():
    if not hasattr(np, "dtypes") or not hasattr(np.dtypes, "StringDType"):
        pytest.skip("numpy before 2.0")
    read = Table.of({"s": np.array(["a", " b "], dtype=np.dtypes.StringDType())}).column("s")
    assert read.texts() == ["a", "b"]


def test_whole_floats_are_their_integers():
    assert target_of([7.0, 8.5, 1e20]).texts() == ["7", "8.5", "1" + 20 * "0"]
    assert target_of(np.array([7.0, None], dtype=object)).texts() == ["7", ""]


NIGHT = ["2026-10-25T02:30:00+02:00", "2026-10-25T02:10:00+01:00", "2026-10-25T01:40Z"]


def times(values):
    return times_of(target_of(values, "times"), len(values))


def test_offsets_are_instants():
    first = datetime.datetime(2026, 10, 25, 0, 30, tzinfo=datetime.timezone.utc).timestamp()
    want = [first, first + 2_400, first + 4_200]
    assert times(NIGHT).tolist() == want
    objects = [datetime.datetime.fromisoformat(t.replace("Z", ":00+00:00")) for t in NIGHT]
    assert times(np.array(objects, dtype=object)).tolist() == want
    pd = pytest.importorskip("pandas")
    zoned = pd.Series(pd.to_datetime(NIGHT, utc=True, format="ISO8601"))
    assert times(zoned).tolist() == want
    assert times(zoned.dt.tz_convert("Europe/Berlin")).tolist() == want
    pl = pytest.importorskip("polars")
    assert times(pl.Series(zoned.dt.tz_convert("Europe/Berlin").tolist())).tolist() == want
    # As a feature a moment is what the clock on the wall shows.
    wall = Table.of({"t": zoned.dt.tz_convert("Europe/Berlin")}).column("t")
    assert wall.texts() == ["2026-10-25 02:30:00", "2026-10-25 02:10:00", "2026-10-25 02:40:00"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00+0530", -19_800),
        ("1970-01-01 00:00:00-08", 28_800),
        ("1970-01-01T00:00:00z", 0),
        ("1970-01-01 00:00", 0),
        ("1970-01-02", 86_400),
    ],
)
def test_offsets_as_they_are_written(text, seconds):
    assert times([text]).tolist() == [seconds]

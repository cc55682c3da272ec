"""Learning from arrays and streams, and what is refused on the way."""

import asyncio
import concurrent.futures
import gc
import io
import threading
import time

import numpy as np
import pytest

import prequel
from prequel.learning.ack import Tally
from prequel.learning.progress import ProgressLine


def test_a_producer_is_counted_once(line):
    model, X, y = line
    first = model.learn(X[:320], y[:320], batch_size=32, producer="nightly")
    assert (first.minibatches, first.resumed_minibatches, first.revision) == (10, 0, 10)
    rest = model.learn(X, y, batch_size=32, producer="nightly")
    assert (rest.minibatches, rest.resumed_minibatches, rest.revision) == (10, 10, 20)
    again = model.learn(X, y, batch_size=32, producer="nightly")
    assert (again.minibatches, again.resumed_minibatches, again.revision) == (0, 20, 20)
    assert model.learn(X, y, batch_size=32).minibatches == 20
    assert model.describe().examples == 2 * 640


def test_batches_make_no_difference_to_what_is_counted(line, rng):
    model, X, y = line
    result = model.learn(X, y, batch_size=100)
    assert (result.rows, result.minibatches) == (640, 7)
    assert model.learn(X[:5], y[:5], batch_size=100).minibatches == 1
    assert model.learn(np.asfortranarray(X), y.astype("f4")).rows == 640
    with pytest.raises(prequel.InvalidArgument, match="batch_size: 0 is not a whole number"):
        model.learn(X, y, batch_size=0)
    with pytest.raises(prequel.InvalidArgument, match="no rows to learn"):
        model.learn(X[:0], y[:0])


def test_frames_with_missing_values_and_categories(client, name, rng):
    pd = pytest.importorskip("pandas")
    size = 400
    frame = pd.DataFrame({
        "x": np.where(rng.random(size) < 0.1, np.nan, rng.normal(size=size)),
        "wind": pd.Categorical(rng.choice(["N", "S", "W"], size)),
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, size), "D"),
    })  # fmt: skip
    frame["price"] = frame.x.fillna(0) + (frame.wind == "N") + 0.1 * rng.normal(size=size)
    model = client.create(name, frame, target="price")
    names = [f.name for f in model.describe().config.features]
    assert names == ["x", "wind", "when:date"]
    assert model.learn(frame).rows == size
    shuffled = frame[["when", "price", "wind", "x"]]
    np.testing.assert_array_equal(model.predict(shuffled).mean, model.predict(frame).mean)
    unseen = frame.head(2).assign(wind="E")
    assert np.isfinite(model.predict(unseen).mean).all()
    with pytest.raises(prequel.InvalidArgument, match="no column 'wind'; did you mean 'wnd'"):
        model.predict(frame.rename(columns={"wind": "wnd"}))
    with pytest.raises(prequel.InvalidArgument, match="row 0, column 'x': 'high' is not a number"):
        model.predict(frame.head(1).astype({"x": object}).assign(x="high"))


def test_rows_without_a_target_are_skipped(client, name, rng):
    X = rng.normal(size=(100, 1))
    y = np.where(np.arange(100) % 4 == 0, np.nan, X[:, 0])
    model = client.create(name, X, y)
    result = model.learn(X, y)
    assert (result.rows, result.skipped_rows) == (75, 25)


def test_labels_that_are_no_class(client, name, rng):
    X = rng.normal(size=(60, 1))
    y = np.where(X[:, 0] > 0, "yes", "no").astype(object)
    model = client.create(name, X, y)
    y[5] = "maybe"
    with pytest.warns(prequel.RowsRefused, match="1 row was not learned: its label"):
        result = model.learn(X, y, batch_size=20)
    assert (result.rows, result.refused_rows) == (59, 1)
    row = result.first_refused_rows[0]
    assert (row.minibatch, row.row, row.label) == (0, 5, "'maybe'") or "maybe" in row.label


def bad_in_the_middle(X, y):
    for first in range(0, 320, 32):
        piece = X[first : first + 32].copy()
        yield (piece[:, :2] if first == 96 else piece), y[first : first + 32]


def test_an_iterable_that_goes_wrong(line):
    """What came before is learned, and the error is the first one's."""
    model, X, y = line
    with pytest.raises(prequel.InvalidArgument, match="the inputs have 2 columns"):
        model.learn_stream(bad_in_the_middle(X, y))
    assert model.describe().revision == 3

    def breaks():
        yield X[:8], y[:8]
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        model.learn_stream(breaks())
    assert model.describe().revision == 4


def test_minibatches_that_the_server_refuses(line):
    """Local checks see nothing wrong with 1e150; the server does."""
    model, X, y = line

    def minibatches():
        for i in range(6):
            yield X[8 * i : 8 * i + 8] * (1e150 if i in (2, 4) else 1), y[8 * i : 8 * i + 8]

    with pytest.raises(prequel.InvalidArgument, match=r"minibatch 2 \(from 0\) was refused") as e:
        model.learn_stream(minibatches(), max_in_flight=1)
    assert "batch.inputs" in e.value.violations[0].field
    before = model.describe().revision
    result = model.learn_stream(minibatches(), on_refused="collect")
    assert list(result.refused) == [2, 4] and result.minibatches == 4
    assert model.describe().revision == before + 4
    with pytest.raises(prequel.InvalidArgument, match="neither 'raise' nor 'collect'"):
        model.learn_stream(minibatches(), on_refused="ignore")


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (np.zeros((4, 3)), "minibatches: an ndarray is one table: `learn` cuts it"),
        ({"a": [1]}, "minibatches: a dict is one table"),
        (5, "minibatches: an int is not iterable"),
        ([(1, 2, 3)], "a pair .* has 3 elements; rows have no weights"),
        ([[np.zeros((4, 3)), np.zeros(4)]], r"a list: give the tuple \(X, y\)"),
        ((np.zeros((4, 3)), np.zeros(4)), "a pair .* this one is an array alone"),
    ],
)
def test_what_is_no_iterable_of_minibatches(line, server, wrong, text):
    model, _, _ = line
    with pytest.raises(prequel.InvalidArgument, match=text):
        model.learn_stream(wrong)

    async def awaited():
        async with prequel.AsyncClient(server.address) as client:
            await client.model(model.name).learn_stream(wrong)

    with pytest.raises(prequel.InvalidArgument, match=text):
        asyncio.run(awaited())


def test_frames_are_minibatches_and_not_streams(client, name):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.5], "y": [1.0, 2.5, 3.0]})
    model = client.create(name, frame, target="y")
    with pytest.raises(prequel.InvalidArgument, match="a DataFrame is one table"):
        model.learn_stream(frame)
    assert model.learn_stream([frame, (frame[["x"]], frame.y)]).rows == 6
    assert len(model.predict(frame.iloc[0].to_dict())) == 1
    with pytest.raises(prequel.InvalidArgument, match="if it is one row"):
        model.predict(frame.iloc[0])


def test_a_stream_by_hand(line):
    model, X, y = line
    acks = []
    with model.open_stream(producer="hand", on_ack=acks.append, max_in_flight=2) as stream:
        assert stream.next_sequence() == 1
        for first in range(0, 320, 32):
            stream.send(X[first : first + 32], y[first : first + 32])
            assert stream.sent - stream.answered <= 2
    assert [ack.sequence for ack in acks] == list(range(1, 11))
    assert [ack.revision for ack in acks] == list(range(1, 11))
    with pytest.raises(ZeroDivisionError), model.open_stream(producer="hand") as stream:
        assert stream.next_sequence() == 11
        raise ZeroDivisionError
    with pytest.raises(prequel.FailedPrecondition, match="has ended"):
        stream.send(X, y)


def test_a_stream_that_is_forgotten(line):
    model, X, y = line
    before = threading.active_count()
    stream = model.open_stream()
    stream.send(X[:8], y[:8])
    assert threading.active_count() > before
    del stream
    gc.collect()
    end = time.monotonic() + 20
    while threading.active_count() > before:
        assert time.monotonic() < end, "the stream's threads go on"
        time.sleep(0.01)


def test_threads_share_a_client(line):
    model, X, y = line

    def learn(first):
        rows = slice(first, first + 160)
        model.learn(X[rows], y[rows], batch_size=16)
        return model.predict(X[:4]).revision

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert max(pool.map(learn, range(0, 640, 160))) == 40
    assert model.describe().examples == 640


def test_a_model_that_is_not_there(client):
    with pytest.raises(prequel.NotFound, match="MODEL_NOT_FOUND"):
        client.model("nobody").learn([[1.0]], [1.0])


def test_progress():
    out = io.StringIO()
    bar = ProgressLine(total=10, out=out)
    tally = Tally()
    tally.rows = 5
    bar.show(tally)
    bar.show(tally)  # too soon to be seen
    tally.rows = 10
    bar.show(tally, last=True)
    first, second = out.getvalue().removeprefix("\r").split("\r")
    assert first.startswith(" 50 %  5 rows") and second.startswith("100 %  10 rows")
    assert second.endswith("\n")


def test_asyncio(server, line, name, tmp_path):
    sync, X, y = line

    async def all_of_it():
        async with prequel.AsyncClient(server.address) as client:
            assert await client.serving()
            model = await client.create(f"{name}-aio", X, y)
            several = [model.learn(X, y), client.models(), client.model(sync.name).describe()]
            result, models, info = await asyncio.gather(*several)
            assert result.rows == 640 and info.name == sync.name
            assert sync.name in [other.name for other in models]
            prediction = await model.predict(X, quantiles=[0.1, 0.9])
            with pytest.raises(prequel.NotAnswered, match="were not asked for"):
                prediction.quantile(0.3)
            _, ack = await model.predict_then_learn(X[:8], y[:8])
            assert ack.revision == 11
            await model.rollback(10)
            fork = await model.fork(f"{name}-fork", revision=4)
            assert (await fork.describe()).revision == 4
            config = {"dynamics": {"name": "static"}}
            still = await model.fork(f"{name}-still", revision=4, config=config)
            found = (await still.describe()).config
            assert (found.dynamics.name, found.target.name) == ("static", "y")
            await model.export(tmp_path / "m")
            copy = await client.import_model(f"{name}-copy", tmp_path / "m")
            again = await copy.predict(X, quantiles=[0.1, 0.9])
            np.testing.assert_array_equal(again.mean, prediction.mean)
            assert (await copy.evaluation()).revision == (await copy.revisions()).newest == 12
            assert (await copy.snapshot()).revision == 12
            await copy.delete()
            with pytest.raises(prequel.NotFound):
                await copy.describe()
            with pytest.raises(prequel.InvalidArgument, match="the inputs have 2 columns"):
                await model.learn_stream(bad_in_the_middle(X, y))
            return prediction.mean

    sync.learn(X, y)
    np.testing.assert_array_equal(asyncio.run(all_of_it()), sync.predict(X).mean)


def test_time_passes_by_the_times_of_rows(client, name, rng):
    X = rng.normal(size=(64, 3))
    y = X @ [1.0, -2.0, 3.0] + 0.1 * rng.normal(size=64)
    drift = prequel.part("inflation", rate=0.01)
    model = client.create(name, X, y, dynamics=drift)
    seconds = np.arange(64.0)
    model.learn(X[:32], y[:32], times=seconds[:32])
    with model.open_stream() as stream:
        stream.send(X[32:], y[32:], seconds[32:])
    soon, late = model.predict(X[:2], times=[64.0, 1e5]).std, model.predict(X[:2]).std
    assert late[0] == pytest.approx(soon[0], rel=1e-6)
    assert soon[1] > 2 * late[1]
    with pytest.raises(prequel.InvalidArgument, match=r"batch.times\[1\]"):
        model.learn(X[:2], y[:2], times=[70.0, 69.0])
    with pytest.raises(prequel.InvalidArgument, match="before the latest row"):
        model.learn(X[:1], y[:1], times=[-1e5])
    assert model.describe().examples == 64

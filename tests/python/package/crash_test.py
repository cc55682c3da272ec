"""kill -9 in the middle of learning: no row is lost, and none is learned twice."""

import asyncio
import functools
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import prequel

ROWS = 16  # of a minibatch
MINIBATCHES = 300


def examples():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(MINIBATCHES * ROWS, 2))
    return X, X @ [1.0, -1.0] + 0.1 * rng.normal(size=len(X))


def minibatches():
    X, y = examples()
    for first in range(0, len(X), ROWS):
        yield X[first : first + ROWS], y[first : first + ROWS]


@pytest.fixture
def own_server(tmp_path):
    with prequel.Server(tmp_path / "data") as server:
        yield server


def expect_all_learned_once(client):
    """As if nothing had happened, bit for bit."""
    X, _ = examples()
    model = client.model("line")
    info = model.describe()
    assert (info.revision, info.examples) == (MINIBATCHES, MINIBATCHES * ROWS)
    undisturbed = client.create("undisturbed", config=info.config)
    undisturbed.learn_stream(minibatches())
    np.testing.assert_array_equal(model.predict(X).mean, undisturbed.predict(X).mean)


def test_server_is_killed(own_server):
    def with_kills():
        for i, minibatch in enumerate(minibatches()):
            if i in (40, 41, 150):
                own_server.kill()
                own_server.start()
            yield minibatch

    with own_server.client() as client:
        X, y = examples()
        model = client.create("line", X, y)
        seen = []
        result = model.learn_stream(
            with_kills(), max_in_flight=20, progress=lambda tally: seen.append(tally.minibatches)
        )
        assert result.rows == MINIBATCHES * ROWS
        assert seen == list(range(1, MINIBATCHES + 1))
        expect_all_learned_once(client)


def test_server_is_killed_while_asyncio_learns(own_server):
    async def learn():
        async def with_kills():
            for i, minibatch in enumerate(minibatches()):
                if i in (40, 150):
                    own_server.kill()
                    own_server.start()
                yield minibatch

        async with prequel.AsyncClient(own_server.address) as client:
            model = await client.create("line", *examples())
            result = await model.learn_stream(with_kills(), max_in_flight=20)
            assert result.rows == MINIBATCHES * ROWS

    asyncio.run(learn())
    with own_server.client() as client:
        expect_all_learned_once(client)


LEARN = """
    import sys
    sys.path[:0] = [{package!r}, {here!r}]
    import crash_test, prequel

    def tell(tally):
        print(tally.resumed, tally.minibatches, flush=True)

    with prequel.Client({address!r}) as client:
        model = client.model("line")
        model.learn_stream(
            crash_test.minibatches(), producer="me", max_in_flight=8, progress=tell)
        print("done", flush=True)
"""


def test_client_is_killed(own_server):
    with own_server.client() as client:
        client.create("line", *examples())
        here = os.path.dirname(__file__)
        package = os.path.dirname(os.path.dirname(prequel.__file__))
        script = LEARN.format(package=package, here=here, address=own_server.address)
        resumed = []
        for answers in (30, 50, 1, None):
            process = subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
            )
            lines = []
            for line in process.stdout:
                lines.append(line)
                if len(lines) == answers:
                    process.kill()
                    break
            process.communicate()
            resumed.append(int(lines[0].split()[0]))
        assert lines[-1] == "done\n" and process.returncode == 0
        assert resumed[0] == 0 < resumed[1] < resumed[2] < resumed[3]
        expect_all_learned_once(client)
        again = client.model("line").learn_stream(minibatches(), producer="me")
        assert (again.resumed_minibatches, again.minibatches) == (MINIBATCHES, 0)


def test_server_is_gone_for_good(own_server):
    acks = []

    def until_killed():
        for i, minibatch in enumerate(minibatches()):
            if i == 50:
                own_server.kill()
            yield minibatch

    with own_server.client() as client:
        model = client.create("line", *examples())
        with pytest.raises(prequel.Unavailable, match="no answer from 127.0.0.1") as caught:
            model.learn_stream(
                until_killed(), producer="me", retry=0.3, max_in_flight=10, progress=acks.append
            )
        assert "is prequeld running there" in str(caught.value)
        assert 40 <= len(acks) <= 50
        with pytest.raises(prequel.Unavailable, match="no answer"):
            model.predict(np.zeros((1, 2)))
        own_server.start()
        result = model.learn_stream(minibatches(), producer="me")
        assert result.resumed_minibatches >= len(acks)
        expect_all_learned_once(client)


def test_unary_learning_waits_for_the_server(own_server):
    X, y = examples()
    with own_server.client() as client:
        model = client.create("line", X, y)
        model.learn(X[:8], y[:8])
        own_server.kill()
        starter = threading.Thread(target=own_server.start)
        starter.start()
        assert model.learn(X[8:16], y[8:16]).revision == 2
        starter.join()


def test_reading_finds_a_server_that_has_come_back(own_server):
    with own_server.client() as client:
        model = client.create("line", *examples())
        ask = functools.partial(model.predict, np.zeros((1, 2)))
        for read in (model.describe, ask, client.models, client.serving):
            own_server.kill()
            start = time.monotonic()
            with pytest.raises(prequel.Unavailable, match="no answer"):
                read()
            assert 1 < time.monotonic() - start < 3
            own_server.start()
            read()


def test_awaited_reading_finds_it_too(own_server):
    async def ask():
        async with prequel.AsyncClient(own_server.address) as client:
            model = await client.create("line", *examples())
            own_server.kill()
            with pytest.raises(prequel.Unavailable, match="no answer"):
                await model.describe()
            own_server.start()
            await model.evaluation()

    asyncio.run(ask())


def test_a_stream_that_hears_nothing(own_server):
    """A server that is stopped, not dead: the client does not wait for ever."""
    import signal

    with own_server.client(timeout=0.5) as client:
        model = client.create("line", *examples())
        stream = model.open_stream()
        stream.next_sequence()
        os.kill(own_server.pid, signal.SIGSTOP)
        # Until all of its threads have stopped: until then they go on answering.
        os.waitid(os.P_PID, own_server.pid, os.WSTOPPED | os.WNOWAIT)
        try:
            stream.send(np.zeros((1, 2)), [0.0])
            with pytest.raises(prequel.DeadlineExceeded, match="answered nothing for 0.5 s; 1 min"):
                stream.finish()
        finally:
            os.kill(own_server.pid, signal.SIGCONT)
        with pytest.raises(prequel.FailedPrecondition, match="open another"):
            stream.send(np.zeros((1, 2)), [0.0])

"""The asynchronous classes are as the others, method by method."""

import asyncio
import inspect

import pytest

import prequel
from prequel.aio import AsyncLearnStream


def parameters(function):
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize(
    ("sync", "awaited"),
    [
        (prequel.Client, prequel.AsyncClient),
        (prequel.Model, prequel.AsyncModel),
        (prequel.LearnStream, AsyncLearnStream),
    ],
)
def test_the_same_methods_with_the_same_parameters(sync, awaited):
    public = {name for name in vars(sync) if not name.startswith("_")}
    assert public == {name for name in vars(awaited) if not name.startswith("_")}
    assert parameters(sync) == parameters(awaited)
    for name in public:
        theirs, ours = getattr(sync, name), getattr(awaited, name)
        if callable(theirs):
            assert parameters(theirs) == parameters(ours), name


def test_progress(server, line, capsys):
    sync, X, y = line
    rows, streamed = [], []

    async def learn():
        async with prequel.AsyncClient(server.address) as client:
            model = client.model(sync.name)
            await model.learn(X, y, progress=lambda tally: rows.append(tally.rows))
            await model.learn_stream([(X, y)], progress=lambda t: streamed.append(t.minibatches))
            await model.learn(X, y, progress=True)
            assert client.infer(X, y) == prequel.Client.infer(X, y)

    asyncio.run(learn())
    assert rows == list(range(64, 641, 64)) and streamed == [1]
    assert "100 %  640 rows" in capsys.readouterr().err

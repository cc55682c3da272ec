"""The evaluation as it changes: of a model that learns meanwhile, and one that goes away."""

import asyncio

import numpy as np
import pytest

import prequel


def test_tells_what_is_new(line):
    model, X, y = line
    evaluations = model.watch()
    assert next(evaluations).revision == 0
    for revision in range(1, 6):
        model.learn(X[:64], y[:64])
        evaluation = next(evaluations)
        assert evaluation.revision == revision
    assert evaluation == model.evaluation()
    evaluations.close()


def test_ends_with_the_model(line):
    model, X, y = line
    evaluations = model.watch(interval=0.01)
    next(evaluations)
    model.delete()
    with pytest.raises(prequel.NotFound):
        next(evaluations)
    with pytest.raises(prequel.NotFound):
        next(model.watch())
    with pytest.raises(prequel.InvalidArgument, match="interval"):
        next(model.watch(interval=-1))


def test_drift_and_alarms_are_in_view(client, name, rng):
    X = rng.normal(size=(20_000, 2))
    X[15_000:, 0] += 3
    y = X @ [1.0, -1.0] + 0.1 * rng.normal(size=len(X))
    model = client.create(name, X, y)
    model.learn(X[:15_000], y[:15_000])
    before = model.evaluation()
    assert not before.alarms["inputs"].raised
    assert np.isclose(sum(belief.weight for belief in before.drift.beliefs), 1)
    assert before.drift.beliefs[0].rate == 0
    assert before.drift.restart.run_length > 1000
    assert "static" in before.comparisons
    model.learn(X[15_000:15_300], y[15_000:15_300])
    after = model.evaluation()
    alarm = after.alarms["inputs"]
    assert alarm.raised and alarm.moment == "mean" and alarm.after > alarm.before + 1
    lines = str(after).splitlines()
    assert (
        f"changed since revision {alarm.revision:,}: the mean of {alarm.column} was "
        f"{alarm.before:.4f} and became {alarm.after:.4f}" in lines
    )
    weights = [line.split()[-1] for line in lines if line.startswith(("still", "drifting"))]
    assert np.isclose(sum(map(float, weights)), 1, atol=2e-3)
    assert any(line.startswith("a restart within the last ") for line in lines)


def test_awaited(server, name, rng):
    async def story():
        async with prequel.AsyncClient(server.address) as client:
            X = rng.normal(size=(64, 2))
            model = await client.create(name, X, X[:, 0])
            seen = []
            async for evaluation in model.watch():
                seen.append(evaluation.revision)
                if len(seen) == 3:
                    break
                await model.learn(X, X[:, 0])
            await model.delete()
            with pytest.raises(prequel.NotFound):
                async for _ in model.watch():
                    pass
            return seen

    assert asyncio.run(story()) == [0, 1, 2]

"""A frame and the file that it was read from: one model, bit for bit."""

import json
import os
import subprocess

import numpy as np
import pytest

import prequel

pd = pytest.importorskip("pandas")


def prequel_program(server, *arguments):
    command = [os.environ["PREQUEL"], f"--server={server.address}", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def frame(rng, rows=500):
    made = pd.DataFrame(
        {
            "x": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows).round(6)),
            "count": rng.integers(0, 1000, rows),
            "wind": rng.choice(["N", "S", "W", None], rows),
            "day": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, rows), "D"),
            "stamp": pd.Timestamp("2023-01-01")
            + pd.to_timedelta(rng.integers(0, 10**6, rows), "s"),
            "truth": rng.random(rows) < 0.5,
            "size:text": rng.integers(0, 9, rows) / 4,
        }
    )
    effect = made.x.fillna(0) + made["count"] / 500 + (made.wind == "N")
    return made.assign(
        value=(effect + 0.1 * rng.normal(size=rows)).round(5),
        sort=np.where(effect > 2, "high", np.where(effect > 1, "middle", "low")),
        yes=(effect > 1).astype(int),
    )


def test_both_say_when_rows_happen(client, server, name, rng, tmp_path):
    rows = 200
    table = pd.DataFrame({"x": rng.normal(size=rows), "when": pd.Timestamp("2024-01-31 23:00")})
    table["y"] = 2 * table.x + 0.1 * rng.normal(size=rows)
    table["when"] += pd.to_timedelta(rng.exponential(60, rows).round().cumsum(), "s")
    asked = table.iloc[-2:].assign(when=[table.when.iloc[-1], pd.Timestamp("2024-03-01")])
    learned, later = tmp_path / "learned.csv", tmp_path / "later.csv"
    table.to_csv(learned, index=False)
    asked.to_csv(later, index=False)
    theirs, ours = f"{name}-cli", f"{name}-python"
    drift = prequel.part("inflation", rate=1e-3)
    for made in (theirs, ours):
        client.create(made, table[["x"]], table.y, target="y", dynamics=drift)
    prequel_program(server, "learn", theirs, f"--csv={learned}", "--time=when")
    model = client.model(ours)
    model.learn(table, times="when")
    expected = model.predict(asked, times="when").epistemic_std
    command = ("--json", "predict", theirs, f"--csv={later}", "--time=when")
    answer = json.loads(prequel_program(server, *command))
    shown = [float(row["epistemic_sd"]) for row in answer["rows"]]
    np.testing.assert_array_equal(shown, expected)
    assert shown[1] > 10 * shown[0]


def test_both_say_how_often_rows_count(client, server, name, rng, tmp_path):
    rows = 100
    table = pd.DataFrame({"x": rng.normal(size=rows), "w": rng.integers(0, 4, rows)})
    table["y"] = 2 * table.x + 0.1 * rng.normal(size=rows)
    learned = tmp_path / "learned.csv"
    table.to_csv(learned, index=False)
    theirs, ours = f"{name}-cli", f"{name}-python"
    for made in (theirs, ours):
        client.create(made, table[["x"]], table.y, target="y")
    prequel_program(server, "learn", theirs, f"--csv={learned}", "--weight=w")
    model = client.model(ours)
    model.learn(table, weights="w")
    expected = model.predict(table).std
    np.testing.assert_array_equal(client.model(theirs).predict(table).std, expected)
    assert model.evaluation().cumulative.examples == table.w[64:].sum()  # the first has no scale


@pytest.mark.parametrize("target", ["value", "sort", "yes"])
def test_both_learn_the_same(target, client, server, name, rng, tmp_path):
    table = frame(rng)
    table = table.drop(columns=[c for c in ("value", "sort", "yes") if c != target])
    path = tmp_path / "table.csv"
    table.to_csv(path, index=False)
    theirs, ours = f"{name}-cli", f"{name}-python"
    prequel_program(server, "create", theirs, f"--from-csv={path}", f"--target={target}")
    prequel_program(server, "learn", theirs, f"--csv={path}")
    model = client.create(ours, table, target=target)
    learned = model.learn(table)
    assert learned.minibatches == 8
    other = client.model(theirs)
    assert other.describe().config == model.describe().config
    a, b = model.predict(table), other.predict(table)
    assert a.revision == b.revision
    for output in a.outputs:
        np.testing.assert_array_equal(a.outputs[output], b.outputs[output])
    answer = json.loads(prequel_program(server, "--json", "predict", ours, f"--csv={path}"))
    if target == "value":
        shown = [float(row["mean"]) for row in answer["rows"]]
        np.testing.assert_array_equal(shown, a.mean)
    else:
        assert [row["label"] for row in answer["rows"]] == list(map(str, a.label))

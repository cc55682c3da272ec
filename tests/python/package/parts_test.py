"""What the service says of its parts."""

from __future__ import annotations

import asyncio

import pytest

import prequel


def test_every_part_and_option_is_explained(client):
    parts = client.parts()
    assert {part.kind for part in parts} >= {"model", "likelihood", "posterior", "rule", "query"}
    assert all(part.help for part in parts)
    (rvga,) = client.parts("rvga")
    passes = next(option for option in rvga.options if option.name == "passes")
    assert passes.default == 10
    assert passes.range == "a whole number in [1, 1000]"
    lines = [line.split("  ") for line in str(rvga).splitlines()]
    shown = {cells[0]: [cell.strip() for cell in cells[1:] if cell] for cells in lines}
    assert shown["passes"] == ["10", passes.range, passes.help]
    assert f"costs {rvga.cost}" in shown and rvga.combinations["posterior"]
    assert "goes with posterior full, diagonal" in str(rvga)
    assert "full" in rvga.combinations["posterior"]
    (vogn,) = client.parts("vogn")
    milestones = next(option for option in vogn.options if option.name == "milestones")
    assert milestones.where == {"mode": "dataset", "schedule": "multi_step"}
    alpha = next(option for option in vogn.options if option.name == "alpha")
    assert alpha.otherwise == (({"mode": "dataset"}, 0.01),)
    assert "0.1; 0.01 with mode dataset" in str(vogn) and "(with mode dataset)" in str(vogn)
    assert "needed" in str(vogn)


def test_a_misspelt_part_is_not_an_empty_list(client):
    with pytest.raises(prequel.NotFound, match="did you mean 'rvga'"):
        client.parts("rvgaa")


def test_a_model_can_be_made_of_what_is_listed(client, name):
    for index, part in enumerate(client.parts("posterior")):
        if "rvga" not in part.combinations["rule"]:
            continue
        model = client.create(
            f"{name}-{index}", inputs=2, target="y", likelihood="gaussian", posterior=part.name
        )
        assert model.describe().config.posterior.name == part.name


def test_asynchronously(server):
    async def ask():
        async with prequel.AsyncClient(server.address) as client:
            return await client.parts("rule")

    assert {part.kind for part in asyncio.run(ask())} == {"rule"}

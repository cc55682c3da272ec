"""ivon-opt, of IVON's authors, beside rule `ivon`, both with the normals that ours drew:
    θ_k = m + z_k/√(λ (h + δ)),   λ = effective size, δ = prior precision/λ
so that every step can be compared: m, the precision λ (h + δ), and the momentum g.
"""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import torch
from ivon import IVON
from numpy.typing import NDArray
from torch import nn
from torch.nn.utils import parameters_to_vector

from compare import Array, Case, apart, array, order_of_torch
from network import network
from report import Report

BOUND = 1e-9


def steps_of(case: Case, order: NDArray[np.int64]) -> tuple[Array, Array, Array]:
    """Means, precisions and momenta (each steps × D, PyTorch's order) after every step."""
    widths = widths_of(case)
    model = network(widths, [0.0] * len(order))
    optimizer = IVON(
        model.parameters(),
        lr=case["alpha"],
        ess=case["effective_size"],
        hess_init=case["initial_curvature"],
        beta1=case["beta1"],
        beta2=case["beta2"],
        weight_decay=case["prior_precision"] / case["effective_size"],
        mc_samples=int(case["samples"]),
        clip_radius=case["clip_radius"] or float("inf"),
    )
    inputs = torch.from_numpy(array(case["inputs"]))
    targets = torch.from_numpy(array(case["targets"]))
    normals = iter(torch.from_numpy(array(case["normals"])[:, order]))
    count, draws = int(case["minibatch"]), int(case["samples"])
    means, precisions, momenta = [], [], []
    for step in range(len(case["means"])):
        first = step * count % len(inputs)
        x, y = inputs[first : first + count], targets[first : first + count]
        for _ in range(draws):
            with mock.patch.object(torch, "randn", lambda *_, **__: next(normals)):
                with optimizer.sampled_params(train=True):
                    optimizer.zero_grad()
                    mean_nll(model(x), y, case).backward()
        optimizer.step()
        group = optimizer.param_groups[0]
        means.append(parameters_to_vector(model.parameters()).detach().numpy())
        precisions.append(group["ess"] * (group["hess"] + group["weight_decay"]).numpy())
        momenta.append(group["momentum"].numpy())
    return array(means), array(precisions), array(momenta)


def widths_of(case: Case) -> list[int]:
    hidden = [int(case["hidden"])] if case["hidden"] else []
    return [len(case["inputs"][0]), *hidden, 1]


def mean_nll(logits: torch.Tensor, y: torch.Tensor, case: Case) -> torch.Tensor:
    """Of a minibatch, but for constants: gaussian of the network, bernoulli of the linear model."""
    if case["hidden"]:
        return 0.5 * nn.functional.mse_loss(logits, y) / case["noise"]
    return nn.functional.binary_cross_entropy_with_logits(logits, y)


def compare(ours: dict[str, Any], report: Report) -> None:
    for name, case in ours["ivon"].items():
        order = order_of_torch(widths_of(case))
        theirs = steps_of(case, order)
        setting = f"{len(case['means'])} steps, {len(order)} weights"
        for of, values in zip(("means", "precisions", "momenta"), theirs):
            error = apart(array(case[of])[:, order], values)
            report.at_most(f"{name}: {of}", error, BOUND, setting)

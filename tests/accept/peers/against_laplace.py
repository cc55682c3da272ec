"""laplace-torch beside rule `laplace`, at given weights m of a network:
    Λ = δ I + Σ_i J_iᵀ W_i J_i at m,   f(x) ~ N(f_m(x), J Λ⁻¹ Jᵀ)
of all weights, of its diagonal, and of the weights that are the most uncertain by the diagonal.

Our `kronecker` is not compared: its factors are of weights and bias together, theirs of each.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from compare import Case, apart, array, order_of_torch
from network import network
from report import Report

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of its dependencies, about each other
    from laplace import Laplace
    from laplace.utils import LargestVarianceDiagLaplaceSubnetMask

BOUND = 1e-9


class Peer:
    """The network of a case, and laplace-torch's approximations of it."""

    def __init__(self, case: Case, gaussian: bool) -> None:
        self.widths = [len(case["inputs"][0]), int(case["hidden"]), int(case["outputs"])]
        self.model = network(self.widths, case["weights"])
        targets = torch.from_numpy(array(case["targets"]))
        if not gaussian:
            targets = targets[:, 0].long()
        data = TensorDataset(torch.from_numpy(array(case["inputs"])), targets)
        self.data = DataLoader(data, batch_size=len(data))
        self.likelihood = "regression" if gaussian else "classification"
        self.options: dict[str, Any] = {"prior_precision": case["prior_precision"]}
        if gaussian:
            self.options["sigma_noise"] = float(np.sqrt(case["noise"]))

    def fit(self, subset: str, structure: str, **more: Any) -> Any:
        fitted = Laplace(
            self.model,
            self.likelihood,
            subset_of_weights=subset,
            hessian_structure=structure,
            **self.options,
            **more,
        )
        fitted.fit(self.data)
        return fitted

    def subnetwork(self, size: int) -> Any:
        """The `size` weights of the largest variances in the diagonal approximation."""
        mask = LargestVarianceDiagLaplaceSubnetMask(self.model, size, self.fit("all", "diag"))
        mask.select(self.data)
        return self.fit("subnetwork", "full", subnetwork_indices=mask.indices)


def compare_case(name: str, case: Case, report: Report) -> None:
    gaussian, posterior = name.startswith("gaussian"), name.split(", ")[1]
    peer = Peer(case, gaussian)
    order = order_of_torch(peer.widths)  # θ[order] is PyTorch's vector
    covariance, places = array(case["covariance"]), array(case["places"]).astype(int)
    setting = f"{len(case['inputs'])} rows, {len(order)} weights"
    if posterior == "full":
        fitted = peer.fit("all", "full")
    elif posterior == "diagonal":
        fitted = peer.fit("all", "diag")
    elif posterior == "last_layer":
        fitted = peer.fit("last_layer", "full")
    else:
        fitted = peer.subnetwork(len(places))
        theirs = order[fitted.backend.subnetwork_indices.numpy()]
        differing = len(np.setxor1d(places, theirs))
        report.at_most(f"{name}: weights chosen differently", differing, 0, setting)
    # The rows of our covariance are of `places`, which increase.
    rows = np.searchsorted(places, order[np.isin(order, places)])
    covariance = covariance[np.ix_(rows, rows)]
    precision = fitted.posterior_precision.detach().numpy()
    precision = np.diag(precision) if precision.ndim == 1 else precision
    error = apart(np.linalg.inv(covariance), precision)
    report.at_most(f"{name}: precision", error, BOUND, setting)
    asked = torch.from_numpy(array(case["asked"]))
    mean, variance = fitted._glm_predictive_distribution(asked)
    logits = array(case["logit_covariance"]).reshape(variance.shape)
    error = apart(logits, variance.numpy())
    report.at_most(f"{name}: covariances of logits", error, BOUND, setting)
    if posterior != "last_layer":  # ours has moved to the mode, theirs stays where it was put
        error = apart(case["logit_mean"], mean.numpy())
        report.at_most(f"{name}: means of logits", error, BOUND, setting)


def compare(ours: dict[str, Any], report: Report) -> None:
    for name, case in ours["laplace"].items():
        compare_case(name, case, report)

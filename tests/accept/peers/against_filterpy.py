"""filterpy's Kalman filter beside `conjugate` and `rvga` on the linear model.

The state is θ = [w; b], a minibatch of n rows is one observation z = y of H = [x 1] and R = σ² I,
    P ← α² F P Fᵀ + Q,   F = I
    K = P Hᵀ (H P Hᵀ + R)⁻¹,   θ ← θ + K (z − H θ),   P ← P − K H P
and `inflation` by n rows of rate r and cap κ, prior variance p₀, is α² = e^{−n r/κ} with
Q = (1 − α²) κ p₀ I. At a high cap that is the random walk α = 1, Q = n r p₀ I.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from filterpy.kalman import KalmanFilter, predict
from scipy.stats import norm

from compare import Array, Case, apart, array, far, with_ones
from report import Report

BOUND = 1e-9


def drift(case: Case, size: int) -> tuple[float, Array]:
    """α and Q of a minibatch."""
    rates = np.full(size, case["rate"])
    rates[-1] = case["intercept_rate"]  # of the bias
    walk = case["minibatch"] * rates / case["prior_precision"]
    if case["cap"] >= 1e12 or not rates.any():
        return 1.0, np.diag(walk)
    kept = np.exp(-case["minibatch"] * case["rate"] / case["cap"])
    added = (1 - kept) * case["cap"] / case["prior_precision"]
    return float(np.sqrt(kept)), added * np.eye(size)


def compare_case(name: str, case: Case, report: Report) -> None:
    h, y = with_ones(case["inputs"]), array(case["targets"])
    count, size = int(case["minibatch"]), h.shape[1]
    alpha, q = drift(case, size)
    kalman = KalmanFilter(dim_x=size, dim_z=count)  # at x = 0
    kalman.P = np.eye(size) / case["prior_precision"]
    kalman.R = case["noise"] * np.eye(count)
    means, covariances, predicted, nll = [], [], [], []
    for first in range(0, len(y), count):
        rows, z = h[first : first + count], y[first : first + count]
        # The function, for the method takes no α < 1.
        kalman.x, kalman.P = predict(kalman.x, kalman.P, F=np.eye(size), Q=q, alpha=alpha)
        mean = (rows @ kalman.x)[:, 0]
        variance = np.einsum("ij,jk,ik->i", rows, kalman.P, rows) + case["noise"]
        predicted.append(np.stack([mean, variance], axis=1))
        nll.append(-np.mean(norm.logpdf(z[:, 0], mean, np.sqrt(variance))))
        kalman.update(z, H=rows)
        if count == 1:
            nll[-1] = -kalman.log_likelihood
        means.append(kalman.x[:, 0])
        covariances.append(kalman.P)
    setting = f"{len(means)} minibatches of {count}"
    report.at_most(f"{name}: means", apart(case["means"], means), BOUND, setting)
    report.at_most(f"{name}: covariances", apart(case["covariances"], covariances), BOUND, setting)
    apart_most = apart(case["predicted"], np.concatenate(predicted))
    report.at_most(f"{name}: predictive means, variances", apart_most, BOUND, setting)
    report.at_most(f"{name}: nll, nats", far(case["nll"], nll), BOUND, setting)


def compare(ours: dict[str, Any], report: Report) -> None:
    for name, case in ours["kalman"].items():
        compare_case(name, case, report)

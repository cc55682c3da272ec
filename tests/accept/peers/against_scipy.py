"""scipy's distributions and integrals beside our predictives.

Learned noise, after n rows X, y under θ ~ N(0, σ² V₀), σ² ~ InverseGamma(a, b):
    V = (V₀⁻¹ + XᵀX)⁻¹,  m = V Xᵀy,  a' = a + n/2,  b' = b + ½ yᵀ (I + X V₀ Xᵀ)⁻¹ y
    y* ~ t with 2a' degrees of freedom, location hᵀm, scale² (b'/a')(1 + hᵀ V h)
Counts whose log rate is f ~ N(μ, v):  P(Y = y) = ∫ p(y | f) N(f; μ, v) df.
CRPS = ∫ (F(z) − 1{y ≤ z})² dz, or the sum over counts.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from scipy import integrate, stats

from compare import Array, Case, apart, array, far, with_ones
from report import Report


def crps_by_integration(cdf: Callable[[float], float], y: float, scale: float) -> float:
    """Each side of y in u, z = y ± scale·u: near y and, for heavy tails, out to infinity."""

    def side(sign: float) -> float:
        def integrand(u: float) -> float:
            below = cdf(y + sign * scale * u)
            return (1 - below if sign > 0 else below) ** 2

        near = integrate.quad(integrand, 0, 20, epsabs=1e-13, epsrel=1e-12, limit=400)[0]
        tail = integrate.quad(integrand, 20, np.inf, epsabs=1e-13, epsrel=1e-12, limit=400)[0]
        return scale * (near + tail)

    return side(-1) + side(1)


class LearnedNoise:
    """The normal-inverse-gamma posterior of the first n rows, from scratch."""

    def __init__(self, case: Case, n: int) -> None:
        h, y = with_ones(case["inputs"])[:n], array(case["targets"])[:n, 0]
        size = h.shape[1] if n else with_ones(case["inputs"]).shape[1]
        prior = np.eye(size) / case["prior_precision"]
        self.covariance = np.linalg.inv(case["prior_precision"] * np.eye(size) + h.T @ h)
        self.mean = self.covariance @ h.T @ y
        self.shape = case["shape"] + n / 2
        quadratic = y @ np.linalg.solve(np.eye(n) + h @ prior @ h.T, y) if n else 0.0
        self.rate = case["rate"] + quadratic / 2

    def predict(self, h: Array) -> Any:
        """The frozen Student-t of the rows h."""
        spread = 1 + np.einsum("ij,jk,ik->i", h, self.covariance, h)
        scale = np.sqrt(self.rate / self.shape * spread)
        return stats.t(2 * self.shape, h @ self.mean, scale)


def compare_noise(case: Case, report: Report) -> None:
    h, y = with_ones(case["inputs"]), array(case["targets"])[:, 0]
    count = int(case["minibatch"])
    levels, inner = array(case["quantile_levels"]), array(case["interval_levels"])
    quantiles, lower, upper, nll, crps = [], [], [], [], []
    for first in range(0, len(y), count):
        rows, z = h[first : first + count], y[first : first + count]
        predictive = LearnedNoise(case, first).predict(rows)
        quantiles.append(np.stack([predictive.ppf(level) for level in levels], axis=1))
        ends = [predictive.interval(level) for level in inner]
        lower.append(np.stack([end[0] for end in ends], axis=1))
        upper.append(np.stack([end[1] for end in ends], axis=1))
        nll.append(-np.mean(predictive.logpdf(z)))
        dof, locations, scales = predictive.args
        crps.append(
            np.mean(
                [
                    crps_by_integration(stats.t(dof, location, scale).cdf, value, scale)
                    for location, scale, value in zip(locations, scales, z)
                ]
            )
        )
    last = LearnedNoise(case, len(y))
    setting = f"{len(nll)} minibatches of {count}"
    name = "conjugate, learned noise"
    report.at_most(f"{name}: mean", apart(case["final_mean"][0], last.mean), 1e-9, setting)
    wide = apart(case["final_covariance"], last.covariance)
    report.at_most(f"{name}: covariance", wide, 1e-9, setting)
    noise = apart([case["final_shape"], case["final_rate"]], [last.shape, last.rate])
    report.at_most(f"{name}: shape and rate", noise, 1e-9, setting)
    served = apart(case["quantiles"], np.concatenate(quantiles))
    report.at_most(f"{name}: quantiles", served, 1e-9, setting)
    served = max(
        apart(case["lower"], np.concatenate(lower)), apart(case["upper"], np.concatenate(upper))
    )
    report.at_most(f"{name}: ends of intervals", served, 1e-9, setting)
    report.at_most(f"{name}: nll, nats", far(case["nll"], nll), 1e-9, setting)
    report.at_most(f"{name}: crps", far(case["crps"], crps), 1e-8, setting)


def compare_student(rows: Array, report: Report) -> None:
    apart_of = {"log density": 0.0, "distribution": 0.0, "quantile": 0.0, "crps": 0.0}
    for location, scale, dof, y, p, density, cdf, quantile, crps in rows:
        t = stats.norm(location, scale) if np.isinf(dof) else stats.t(dof, location, scale)
        theirs = {
            "log density": t.logpdf(y),
            "distribution": t.cdf(y),
            "quantile": t.ppf(p),
            "crps": crps_by_integration(t.cdf, y, scale),
        }
        for name, value in zip(apart_of, (density, cdf, quantile, crps)):
            error = abs(value - theirs[name]) / max(1.0, abs(theirs[name]))
            apart_of[name] = max(apart_of[name], error)
    for name, most in apart_of.items():
        bound = 1e-7 if name == "crps" else 1e-9
        report.at_most(f"Student-t and normal: {name}", most, bound, f"{len(rows)} points")


class LogNormalCounts:
    """Poisson (shape ∞) or negative binomial counts of log rate f ~ N(mean, variance)."""

    def __init__(self, shape: float, mean: float, variance: float) -> None:
        self.shape, self.mean, self.deviation = shape, mean, float(np.sqrt(variance))
        counts = np.arange(self._bound() + 1)
        self.cdf = self._average(lambda f: self._given(f).cdf(counts))

    def _given(self, f: Array | float) -> Any:
        rate = np.exp(f)
        if np.isinf(self.shape):
            return stats.poisson(rate)
        return stats.nbinom(self.shape, self.shape / (self.shape + rate))

    def _bound(self) -> int:
        """A count beyond which (1 − F)² adds next to nothing."""
        return int(min(self._given(self.mean + 6 * self.deviation).isf(1e-10), 3000)) + 30

    def _average(self, of: Callable[[float], Array]) -> Array:
        if self.deviation == 0:
            return of(self.mean)
        return integrate.quad_vec(
            lambda u: of(self.mean + self.deviation * u) * stats.norm.pdf(u),
            -9, 9, epsabs=1e-11, epsrel=1e-11, norm="max", limit=2000,
        )[0]  # fmt: skip

    def log_mass(self, y: float) -> float:
        """By the integral in units of the integrand's peak, for masses may be very small."""
        if self.deviation == 0:
            return float(self._given(self.mean).logpmf(y))

        def log_integrand(u: Array | float) -> Array:
            return self._given(self.mean + self.deviation * u).logpmf(y) + stats.norm.logpdf(u)

        grid = np.linspace(-14, 14, 2801)
        heights = log_integrand(grid)
        top = float(np.max(heights))
        near = grid[heights > top - 40]
        integral = integrate.quad(
            lambda u: np.exp(log_integrand(u) - top), near[0], near[-1], epsabs=0, epsrel=1e-11
        )[0]
        return top + float(np.log(integral))

    def crps(self, y: float) -> float:
        return float(np.sum((self.cdf - (np.arange(len(self.cdf)) >= y)) ** 2))

    def misses(self, p: float, quantile: float) -> float:
        """By how much of probability `quantile` is not the least k with P(Y ≤ k) ≥ p."""
        k = int(quantile)
        if k != quantile:
            return 1.0
        below = self.cdf[k - 1] if k > 0 else 0.0
        return max(0.0, p - self.cdf[k], below - p)


def compare_counts(rows: Array, report: Report) -> None:
    measures = ("log mass, nats", "distribution", "quantile, probability", "crps, relative")
    most: dict[str, Array] = {}
    for (shape, mean, variance), group in grouped(rows):
        theirs = LogNormalCounts(shape, mean, variance)
        for y, p, log_mass, cdf, quantile, crps in group:
            errors = array([
                abs(log_mass - theirs.log_mass(y)),
                abs(cdf - theirs.cdf[int(y)]),
                theirs.misses(p, quantile),
                abs(crps / theirs.crps(y) - 1),
            ])
            name = "poisson" if np.isinf(shape) else f"negative binomial, dispersion {1 / shape:g}"
            most[name] = np.maximum(most.get(name, np.zeros_like(errors)), errors)
    for name, errors in most.items():
        for measure, error in zip(measures, errors):
            report.at_most(f"{name}: {measure}", error, count_bound(name, measure))


def grouped(rows: Array) -> list[tuple[Array, Array]]:
    """The rows by what their first three numbers are."""
    keys = list(dict.fromkeys(tuple(row[:3]) for row in rows))
    return [(array(key), rows[(rows[:, :3] == key).all(axis=1)][:, 3:]) for key in keys]


def count_bound(name: str, measure: str) -> float:
    """Log masses are exact. The others are of fixed grids, too coarse for the heaviest tails."""
    if measure.startswith("log mass"):
        return 1e-9
    heavy = name.endswith("dispersion 2")
    if measure.startswith("crps"):
        return 0.03 if heavy else 1e-3
    return 2e-4 if heavy else 1e-6


def compare(ours: dict[str, Any], report: Report) -> None:
    compare_noise(ours["noise"], report)
    compare_student(array(ours["distributions"]["student"]), report)
    compare_counts(array(ours["distributions"]["counts"]), report)

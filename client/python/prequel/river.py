"""Estimators for river: pip install './client/python[river]'.

An estimator is a reference to a model on a server, which is made when the first example is learned.
A copy that was pickled, or deep-copied after that, is the same model; a clone is unfitted. The
methods that end in `many` take and give what pandas has.
"""

from __future__ import annotations

import contextlib
import math
import secrets
from collections import deque
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from river import base

from prequel import v1
from prequel.answers.prediction import Prediction
from prequel.config import Part, merged
from prequel.data.emerging import EmergingFeatures, Values
from prequel.errors import InvalidArgument, NotFound
from prequel.model import Model
from prequel.reference import client_of, likelihood_of, model_of, name_of, part_of

__all__ = ["PrequelClassifier", "PrequelRegressor"]

_Features = dict[Hashable, Any]

_LARGEST = 1024  # rows of a minibatch
_MOST_CLASSES = 10  # unless max_classes says so
_REMEMBERED = 1000  # examples


class _Estimator(base.Estimator):  # type: ignore[misc]
    """What the two have in common.

    Parameters of both:
        server: HOST:PORT; None: PREQUEL_SERVER, or 127.0.0.1:8081. The token is PREQUEL_TOKEN.
        name: of the model; None: one that nobody else has.
        model, likelihood, prior, posterior, rule, dynamics, calibration, robustness: the parts of
            the model, each a name, a mapping {"name": …, option: value, …}, or None: the server's
            choice.
        spare: room for so many numbers that the first example does not have. A feature that finds
            none, or is text and comes later, is left out with a FeatureLeftOut warning.
        seed: of the model.
    """

    def __init__(
        self,
        server: str | None = None,
        name: str | None = None,
        model: Any = None,
        likelihood: Any = None,
        prior: Any = None,
        posterior: Any = None,
        rule: Any = None,
        dynamics: Any = None,
        calibration: Any = None,
        robustness: Any = None,
        spare: int = 4,
        seed: int = 0,
    ) -> None:
        self.server = server
        self.name = name
        self.model = model
        self.likelihood = likelihood
        self.prior = prior
        self.posterior = posterior
        self.rule = rule
        self.dynamics = dynamics
        self.calibration = calibration
        self.robustness = robustness
        self.spare = spare
        self.seed = seed
        self._features: EmergingFeatures | None = None
        self._model_name = ""
        self._config = b""

    def _unit_test_skips(self) -> set[str]:
        # The columns of a minibatch are standardized together, and its rows drift as one.
        return {"check_learn_many_matches_learn_one"}

    @property
    def remote(self) -> Model:
        """The model on the server. Requires that an example was learned."""
        return model_of(self.server, self._model_name, self._config)

    def _learn(self, values: Values, targets: list[float], weights: list[float] | None) -> None:
        if self._features is None:
            features = EmergingFeatures(values, self.spare)
            self._create(features)
            self._features = features
        self._features.claim(values, stacklevel=4)
        table = self._features.table(len(targets), values)
        targets_ = np.array(targets, dtype=np.float64)
        self.remote.learn(table, targets_, weights=weights, batch_size=_LARGEST)

    def _predict(self, values: Values, rows: int, query: str) -> Prediction | None:
        """None before anything was learned."""
        if self._features is None or rows == 0:
            return None
        return self.remote.predict(self._features.table(rows, values), queries=[query])

    def _create(self, features: EmergingFeatures) -> None:
        target, likelihood = self._target()
        config = merged(
            v1.ModelConfig(features=features.features(), target=target),
            model=part_of(self.model),
            likelihood=likelihood,
            prior=part_of(self.prior),
            posterior=part_of(self.posterior),
            rule=part_of(self.rule),
            dynamics=part_of(self.dynamics),
            calibration=part_of(self.calibration),
            robustness=part_of(self.robustness),
            seed=self.seed,
        )
        name = self.name or f"{type(self).__name__.lower()}-{secrets.token_hex(8)}"
        created = client_of(self.server).create(name, config=config)
        self._model_name = created.name
        self._config = config.SerializeToString()

    def _target(self) -> tuple[v1.Target, Part]:
        raise NotImplementedError


class PrequelRegressor(_Estimator, base.MiniBatchRegressor):  # type: ignore[misc]
    """Regression, one example at a time or many; counts with likelihood="poisson"."""

    def learn_one(self, x: _Features, y: float, w: float = 1.0) -> None:
        """Scores the example and learns it `w` times. Answered once it is on the server's disk."""
        self._learn(_one(x), [float(y)], _weights(w, 1))

    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """The rows of a frame as a minibatch, or several of at most 1,024 rows; each `w` times, or
        as often as its own of `w`."""
        if len(X):
            self._learn(_many(X), [float(value) for value in y], _weights(w, len(X)))

    def predict_one(self, x: _Features) -> float:
        """The mean; 0 before anything was learned."""
        return self.predict_std_one(x)[0]

    def predict_many(self, X: Any) -> Any:
        """The mean of each row, as a series with the index of `X`."""
        import pandas as pd

        prediction = self._predict(_many(X), len(X), "moments")
        mean = np.zeros(len(X)) if prediction is None else prediction.mean
        return pd.Series(np.where(np.isfinite(mean), mean, 0.0), index=X.index)

    def predict_std_one(self, x: _Features) -> tuple[float, float]:
        """Mean and standard deviation; 0 and infinity before anything can be told."""
        prediction = self._predict(_one(x), 1, "moments")
        if prediction is None:
            return 0.0, math.inf
        mean, std = float(prediction.mean[0]), float(prediction.std[0])
        return (mean, std) if math.isfinite(mean) else (0.0, math.inf)

    def _target(self) -> tuple[v1.Target, Part]:
        return v1.Target(name="y"), likelihood_of(self.likelihood, "gaussian", of_classes=False)


class PrequelClassifier(_Estimator, base.MiniBatchClassifier):  # type: ignore[misc]
    """Classification, one example at a time or many. Labels are known as they come.

    Two labels are a bernoulli model. When a third one comes, a categorical model with room for ten
    takes its place, under the same name, and learns the last 1,000 examples first. `max_classes`
    says beforehand how many labels there will be; 2 is a bernoulli model for good.
    """

    def __init__(
        self,
        server: str | None = None,
        name: str | None = None,
        model: Any = None,
        likelihood: Any = None,
        prior: Any = None,
        posterior: Any = None,
        rule: Any = None,
        dynamics: Any = None,
        calibration: Any = None,
        robustness: Any = None,
        spare: int = 4,
        seed: int = 0,
        max_classes: int | None = None,
    ) -> None:
        super().__init__(
            server, name, model, likelihood, prior, posterior, rule, dynamics, calibration,
            robustness, spare, seed,
        )  # fmt: skip
        self.max_classes = max_classes
        self._labels: list[Any] = []
        self._recent: deque[tuple[Values, list[float], list[float] | None]] = deque()

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: _Features, y: Any, w: float = 1.0) -> None:
        """Scores the example and learns it `w` times. Answered once it is on the server's disk."""
        self._learn_and_remember(_one(x), [y], _weights(w, 1))

    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """The rows of a frame as a minibatch, or several of at most 1,024 rows; each `w` times, or
        as often as its own of `w`."""
        if len(X):
            self._learn_and_remember(_many(X), y, _weights(w, len(X)))

    def _learn_and_remember(
        self, values: Values, labels: Iterable[Any], weights: list[float] | None
    ) -> None:
        places = self._places(labels)
        self._learn(values, places, weights)
        self._remember(values, places, weights)

    def predict_proba_one(self, x: _Features) -> dict[Any, float]:
        """Of each label that was learned; nothing before that."""
        prediction = self._predict(_one(x), 1, "probabilities")
        if prediction is None:
            return {}
        return dict(zip(self._labels, self._known(prediction)[0].tolist()))

    def predict_proba_many(self, X: Any) -> Any:
        """A frame with a column for each label that was learned; without any before that."""
        import pandas as pd

        prediction = self._predict(_many(X), len(X), "probabilities")
        if prediction is None:
            return pd.DataFrame(index=X.index)
        return pd.DataFrame(self._known(prediction), index=X.index, columns=self._labels)

    def predict_many(self, X: Any) -> Any:
        """The most probable label of each row; None before anything was learned."""
        import pandas as pd

        proba = self.predict_proba_many(X)
        if proba.empty:
            return pd.Series([None] * len(X), index=X.index, dtype=object)
        return proba.idxmax(axis="columns")

    def _places(self, labels: Iterable[Any]) -> list[float]:
        """Of labels among those that are known; makes room for new ones."""
        labels = labels.tolist() if hasattr(labels, "tolist") else list(labels)
        known = self._labels + [y for y in dict.fromkeys(labels) if y not in self._labels]
        most = self._most()
        if len(known) > most:
            raise InvalidArgument(
                f"label {known[most]!r} is one more than the {most} that there is room for: give "
                "max_classes"
            )
        grows = self._is_open() and len(self._labels) <= 2 < len(known)
        self._labels = known
        if grows and self._features is not None:
            self._learn_again()
        return [float(known.index(y)) for y in labels]

    def _is_open(self) -> bool:
        """Whether the number of labels decides the likelihood."""
        return self.max_classes is None and self.likelihood is None

    def _most(self) -> int:
        """How many labels there is room for."""
        if self.max_classes is not None:
            return self.max_classes
        return 2 if name_of(part_of(self.likelihood)) == "bernoulli" else _MOST_CLASSES

    def _remember(self, values: Values, places: list[float], weights: list[float] | None) -> None:
        """Keeps the last examples while a third label would begin anew."""
        if not self._is_open() or len(self._labels) > 2:
            self._recent.clear()
            return
        self._recent.append((values, places, weights))
        rows = sum(len(kept) for _, kept, _ in self._recent)
        while len(self._recent) > 1 and rows > _REMEMBERED:
            rows -= len(self._recent.popleft()[1])

    def _learn_again(self) -> None:
        """Replaces the model of two labels by one of more."""
        with contextlib.suppress(NotFound):
            self.remote.delete()
        self._features = None
        for values, places, weights in self._recent:
            self._learn(values, places, weights)
        self._recent.clear()

    def _known(self, prediction: Prediction) -> Any:
        """[rows, labels]: of those that were learned."""
        known = prediction.proba[:, : len(self._labels)]
        return known / known.sum(axis=1, keepdims=True)

    def _target(self) -> tuple[v1.Target, Part]:
        most = 2 if self._is_open() and len(self._labels) <= 2 else self._most()
        usual = "bernoulli" if most <= 2 else "categorical"
        target = v1.Target(name="y", num_classes=0 if most <= 2 else most)
        return target, likelihood_of(self.likelihood, usual, of_classes=True)


def _one(x: _Features) -> Values:
    return {name: (value,) for name, value in x.items()}


def _weights(w: Any, rows: int) -> list[float] | None:
    """None: each row counts once."""
    if np.ndim(w) == 0:
        return None if w == 1 else [float(w)] * rows
    return [float(weight) for weight in w]


def _many(X: Any) -> Values:
    """The columns of a pandas frame; what is missing is None."""
    return {
        name: column.astype(object).where(column.notna(), None).tolist()
        for name, column in X.items()
    }

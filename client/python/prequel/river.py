"""Estimators for river: pip install 'prequel[river]'.

An estimator is a reference to a model on a server, which is made when the first example is learned.
A copy that was pickled, or deep-copied after that, is the same model; a clone is unfitted.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Hashable
from typing import Any

import numpy as np
from river import base

from prequel import v1
from prequel.config import merged
from prequel.data.column import Column
from prequel.data.table import Table
from prequel.errors import InvalidArgument
from prequel.model import Model
from prequel.reference import client_of, model_of, part_of

__all__ = ["PrequelClassifier", "PrequelRegressor"]

_Features = dict[Hashable, Any]


class _Columns:
    """Which feature is in which column: those of the first example, in the order of their names,
    then room for numbers that emerge later. Texts are categories."""

    def __init__(self, first: _Features, spare: int) -> None:
        names = sorted(first, key=str)
        self._text = {name: f"t{i}" for i, name in enumerate(names) if isinstance(first[name], str)}
        numbers = [name for name in names if name not in self._text]
        self._numbers = {name: i for i, name in enumerate(numbers)}
        self._width = max(1, len(numbers) + spare)

    def features(self) -> list[v1.Feature]:
        made = [v1.Feature(name="x", width=self._width, allow_missing=True)]
        kind = v1.Feature.KIND_CATEGORICAL
        return made + [v1.Feature(name=name, kind=kind) for name in self._text.values()]

    def claim(self, x: _Features) -> None:
        """Gives numbers that were never seen before a column, while there is room."""
        for name in sorted(x.keys() - self._numbers.keys() - self._text.keys(), key=str):
            if len(self._numbers) < self._width and not isinstance(x[name], str):
                self._numbers[name] = len(self._numbers)

    def table(self, x: _Features) -> Table:
        """One row. What `x` does not have is missing; what has no column is left out."""
        numbers = np.full(self._width, np.nan)
        for name, place in self._numbers.items():
            value = x.get(name)
            if value is None:
                continue
            try:
                numbers[place] = float(value)
            except (TypeError, ValueError):
                raise InvalidArgument(
                    f"feature {name!r}: {value!r} is no number, as it was at first"
                ) from None
        suffixes = range(self._width) if self._width > 1 else [""]
        columns = [Column(f"x{s}", numbers[i : i + 1]) for i, s in enumerate(suffixes)]
        for name, column in self._text.items():
            value = x.get(name)
            text = np.array([None if value is None else str(value)], dtype=object)
            columns.append(Column(column, text))
        return Table(1, columns, True)


class _Estimator(base.Estimator):  # type: ignore[misc]
    """What the two have in common.

    Parameters of both:
        server: HOST:PORT; None: PREQUEL_SERVER, or 127.0.0.1:8081. The token is PREQUEL_TOKEN.
        name: of the model; None: one that nobody else has.
        model, likelihood, posterior, rule, dynamics: the parts of the model, each a name, a mapping
            {"name": …, option: value, …}, or None: the server's choice.
        spare: room for so many numbers that the first example does not have.
        seed: of the model.
    """

    def __init__(
        self,
        server: str | None = None,
        name: str | None = None,
        model: Any = None,
        likelihood: Any = None,
        posterior: Any = None,
        rule: Any = None,
        dynamics: Any = None,
        spare: int = 4,
        seed: int = 0,
    ) -> None:
        self.server = server
        self.name = name
        self.model = model
        self.likelihood = likelihood
        self.posterior = posterior
        self.rule = rule
        self.dynamics = dynamics
        self.spare = spare
        self.seed = seed
        self._columns: _Columns | None = None
        self._model_name = ""
        self._config = b""

    @property
    def remote(self) -> Model:
        """The model on the server. Requires that an example was learned."""
        return model_of(self.server, self._model_name, self._config)

    def _learn(self, x: _Features, target: float) -> None:
        if self._columns is None:
            columns = _Columns(x, self.spare)
            self._create(columns)
            self._columns = columns
        self._columns.claim(x)
        self.remote.learn(self._columns.table(x), np.array([target], dtype=np.float64))

    def _create(self, columns: _Columns) -> None:
        target, likelihood = self._target()
        config = merged(
            v1.ModelConfig(features=columns.features(), target=target),
            model=part_of(self.model),
            likelihood=part_of(self.likelihood if self.likelihood is not None else likelihood),
            posterior=part_of(self.posterior),
            rule=part_of(self.rule),
            dynamics=part_of(self.dynamics),
            seed=self.seed,
        )
        name = self.name or f"{type(self).__name__.lower()}-{secrets.token_hex(8)}"
        created = client_of(self.server).create(name, config=config)
        self._model_name = created.name
        self._config = config.SerializeToString()

    def _target(self) -> tuple[v1.Target, str]:
        raise NotImplementedError


class PrequelRegressor(_Estimator, base.Regressor):  # type: ignore[misc]
    """Regression, one example at a time; counts with likelihood="poisson"."""

    def learn_one(self, x: _Features, y: float) -> None:
        """Scores the example and learns it. Answered once it is on the server's disk."""
        self._learn(x, float(y))

    def predict_one(self, x: _Features) -> float:
        """The mean; 0 before anything was learned."""
        return self.predict_std_one(x)[0]

    def predict_std_one(self, x: _Features) -> tuple[float, float]:
        """Mean and standard deviation; 0 and infinity before anything can be told."""
        if self._columns is None:
            return 0.0, math.inf
        prediction = self.remote.predict(self._columns.table(x), queries=["moments"])
        mean, std = float(prediction.mean[0]), float(prediction.std[0])
        return (mean, std) if math.isfinite(mean) else (0.0, math.inf)

    def _target(self) -> tuple[v1.Target, str]:
        return v1.Target(name="y"), "gaussian"


class PrequelClassifier(_Estimator, base.Classifier):  # type: ignore[misc]
    """Classification, one example at a time. Labels are known as they come, `max_classes` of them
    at most; two are a bernoulli model."""

    def __init__(
        self,
        server: str | None = None,
        name: str | None = None,
        model: Any = None,
        likelihood: Any = None,
        posterior: Any = None,
        rule: Any = None,
        dynamics: Any = None,
        spare: int = 4,
        seed: int = 0,
        max_classes: int = 10,
    ) -> None:
        super().__init__(
            server, name, model, likelihood, posterior, rule, dynamics, spare, seed
        )  # fmt: skip
        self.max_classes = max_classes
        self._labels: list[Any] = []

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: _Features, y: Any) -> None:
        """Scores the example and learns it. Answered once it is on the server's disk."""
        if y not in self._labels:
            if len(self._labels) >= self.max_classes:
                raise InvalidArgument(
                    f"label {y!r} is one more than the {self.max_classes} that there is room for: "
                    "give max_classes"
                )
            self._labels.append(y)
        self._learn(x, float(self._labels.index(y)))

    def predict_proba_one(self, x: _Features) -> dict[Any, float]:
        """Of each label that was learned; nothing before that."""
        if self._columns is None:
            return {}
        query = ["probabilities"]
        proba = self.remote.predict(self._columns.table(x), queries=query).proba[0]
        known = proba[: len(self._labels)]
        return dict(zip(self._labels, (known / known.sum()).tolist()))

    def _target(self) -> tuple[v1.Target, str]:
        if self.max_classes <= 2:
            return v1.Target(name="y"), "bernoulli"
        return v1.Target(name="y", num_classes=self.max_classes), "categorical"

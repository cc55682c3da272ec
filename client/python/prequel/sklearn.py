"""Estimators for scikit-learn: pip install './client/python[sklearn]'.

An estimator is a reference to a model on a server: a copy that was pickled, or deep-copied, is the
same model. A clone (`sklearn.base.clone`) is unfitted, and fits a model of its own.
"""

from __future__ import annotations

import contextlib
import secrets
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_y,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from prequel import v1
from prequel.answers.info import ModelInfo
from prequel.answers.levels import ends_of
from prequel.config import Part, merged
from prequel.data.number import text_of_number, trim
from prequel.errors import InvalidArgument, NotFound, counted
from prequel.inference.estimator_inputs import features_of, is_mixed, unmasked, weights_in_pass
from prequel.model import Model
from prequel.orphans import disown, own, remove_abandoned
from prequel.reference import client_of, learns_classes, likelihood_of, name_of, part_of

__all__ = ["PrequelClassifier", "PrequelRegressor"]


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """What the two have in common.

    Parameters of both:
        server: HOST:PORT; None: PREQUEL_SERVER, or 127.0.0.1:8081. The token is PREQUEL_TOKEN.
        name: of the model. With a name `partial_fit` goes on with a model of that name where there
            is one; `fit` never replaces one that it did not make. None: the model is this object's
            own, and is removed with it, unless the object was pickled or copied.
        model, likelihood, prior, posterior, rule, dynamics, calibration, robustness: the parts of
            the model, each a name, a mapping {"name": …, option: value, …}, or None: the server's
            choice.
        batch_size: rows of a minibatch.
        passes: of `fit`, the first of which is scored. A row counts 1/passes in each.
        random_state: the model's seed, a whole number; None is 0.
    """

    def __init__(
        self,
        *,
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
        batch_size: int = 64,
        passes: int = 1,
        random_state: int | None = None,
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
        self.batch_size = batch_size
        self.passes = passes
        self.random_state = random_state

    model_name_: str
    _is_mixed = False  # whether it was fitted to a frame of mixed columns

    @property
    def remote_(self) -> Model:
        check_is_fitted(self, "model_name_")
        return client_of(self.server).model(self.model_name_)

    def delete(self) -> None:
        """Removes the model from the server; the estimator is unfitted again."""
        self.remote_.delete()
        disown(self)
        del self.model_name_

    def __getstate__(self) -> Any:
        disown(self)  # a copy is the same model, which must not go before the copy
        return super().__getstate__()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_name_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _validated(self, X: Any, *y: Any, **options: Any) -> Any:
        """As scikit-learn has it: numbers, NaN where one is missing."""
        if "date" in str(getattr(X, "dtype", None)).lower():
            raise InvalidArgument(
                "X is an array of dates, and scikit-learn takes numbers: give a frame, whose "
                "columns are learned as they are, or make numbers of them"
            )
        kinds = [np.float64, np.float32]
        return validate_data(self, X, *y, dtype=kinds, ensure_all_finite="allow-nan", **options)

    def _validated_pair(self, X: Any, y: Any, reset: bool, **options: Any) -> tuple[Any, Any]:
        """X and y; X as it was given where it is a frame of mixed columns."""
        X, y = unmasked(X), unmasked(y)
        if reset:
            self._is_mixed = is_mixed(X)
        if not self._is_mixed:
            return self._validated(X, y, reset=reset, **options)
        self._check_columns(X, reset)
        y = _check_y(y, estimator=self, **options)
        check_consistent_length(X, y)
        return X, y

    def _check_columns(self, X: Any, reset: bool) -> None:
        _check_feature_names(self, X, reset=reset)
        _check_n_features(self, X, reset=reset)

    def _inputs(self, X: Any) -> Any:
        X = unmasked(X)
        if not self._is_mixed:
            return self._validated(X, reset=False)
        self._check_columns(X, reset=False)
        return X

    def _chosen_likelihood(self) -> Part:
        """Raises where it is one that the other estimator is for."""
        raise NotImplementedError

    def _create(self, target: v1.Target, features: list[v1.Feature]) -> None:
        """A new model; the one that this estimator made before is removed."""
        client = client_of(self.server)
        remove_abandoned()
        config = self._config(target, features)
        if hasattr(self, "model_name_") and getattr(self, "owns_model_", False):
            with contextlib.suppress(NotFound):
                client.model(self.model_name_).delete()
            disown(self)
            del self.model_name_
        name = self.name or f"{type(self).__name__.lower()}-{secrets.token_hex(8)}"
        self.model_name_ = client.create(name, config=config).name
        self.owns_model_ = True
        if not self.name:
            own(self, self.server, self.model_name_)

    def _features(self, X: Any, more_follows: bool) -> list[v1.Feature]:
        if self._is_mixed:
            return features_of(X, more_follows)
        return [v1.Feature(name="x", width=self.n_features_in_, allow_missing=True)]

    def _config(self, target: v1.Target, features: list[v1.Feature]) -> v1.ModelConfig:
        return merged(
            v1.ModelConfig(features=features, target=target),
            model=part_of(self.model),
            likelihood=self._chosen_likelihood(),
            prior=part_of(self.prior),
            posterior=part_of(self.posterior),
            rule=part_of(self.rule),
            dynamics=part_of(self.dynamics),
            calibration=part_of(self.calibration),
            robustness=part_of(self.robustness),
            seed=int(self.random_state) if isinstance(self.random_state, (int, np.integer)) else 0,
        )

    def _begin(self, target: v1.Target, features: list[v1.Feature]) -> None:
        """Goes on with the model that is called `name`, if there is one, or makes one."""
        likelihood = self._chosen_likelihood()
        try:
            info = client_of(self.server).model(self.name).describe() if self.name else None
        except NotFound:
            info = None
        if info is None:
            self._create(target, features)
            return
        self._check_parts(info, likelihood, features)
        self._check_target(info, target)
        self.model_name_ = info.name
        self.owns_model_ = False

    def _check_parts(self, info: ModelInfo, likelihood: Part, features: list[v1.Feature]) -> None:
        """Raises unless the model learns what this estimator does, of as many inputs."""
        theirs, ours = info.config.likelihood.name, name_of(likelihood)
        asked = self.likelihood is not None and bool(ours)
        if learns_classes(theirs) != learns_classes(ours) or (asked and theirs != ours):
            raise InvalidArgument(
                f"{info.name} is of likelihood {theirs}, and this {type(self).__name__} is of "
                f"{ours}: pass another `name`"
            )
        if self._is_mixed:
            known = [feature.name for feature in info.config.features]
            if known != [feature.name for feature in features]:
                raise InvalidArgument(
                    f"{info.name} has the features {', '.join(known)}, and X has others: pass "
                    "another `name`"
                )
            return
        width = sum(max(1, feature.width) for feature in info.config.features)
        if width != self.n_features_in_:
            raise InvalidArgument(
                f"{info.name} has {counted(width, 'input')}, and X has "
                f"{counted(self.n_features_in_, 'column')}: pass another `name`"
            )

    def _check_target(self, info: ModelInfo, target: v1.Target) -> None:
        """Raises unless the model's target is as this estimator's."""
        raise NotImplementedError

    def _learn(self, X: Any, y: Any, sample_weight: Any, passes: int | None) -> None:
        weights = weights_in_pass(sample_weight, X, passes, part_of(self.rule))
        for number in range(passes or 1):
            self.remote_.learn(
                X, y, weights=weights, learned_before=number > 0, batch_size=self.batch_size
            )


class PrequelRegressor(RegressorMixin, _Estimator):  # type: ignore[misc]
    """Regression, or counts with likelihood="poisson" or "negative_binomial"."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PrequelRegressor:
        """Makes a new model and learns the rows: X [rows, features], NaN where one is missing, or a
        frame of any columns; y [rows] or [rows, targets]; each row counts `sample_weight` times."""
        X, y = self._examples(X, y, reset=True)
        self._create(self._target(y), self._features(X, more_follows=False))
        self._learn(X, y, sample_weight, self.passes)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> PrequelRegressor:
        """Learns more rows."""
        first = not hasattr(self, "model_name_")
        X, y = self._examples(X, y, reset=first)
        if first:
            self._begin(self._target(y), self._features(X, more_follows=True))
        self._learn(X, y, sample_weight, None)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean, [rows] or [rows, targets]; with `return_std` the standard deviation, too."""
        check_is_fitted(self)
        prediction = self.remote_.predict(self._inputs(X), queries=["moments"])
        return (prediction.mean, prediction.std) if return_std else prediction.mean

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[Any, Any]:
        """Lower and upper end of the central interval that holds y with probability `level`."""
        check_is_fitted(self)
        inputs = self._inputs(X)
        return self.remote_.predict(inputs, quantiles=ends_of(level)).interval(level)

    def predict_quantile(self, X: Any, level: float) -> Any:
        """The least y with P(Y ≤ y) ≥ level."""
        check_is_fitted(self)
        inputs = self._inputs(X)
        return self.remote_.predict(inputs, quantiles=[level]).quantile(level)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _examples(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        X, y = self._validated_pair(X, y, reset, multi_output=True, y_numeric=True)
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        return X, np.asarray(y, dtype=np.float64)

    def _chosen_likelihood(self) -> Part:
        return likelihood_of(self.likelihood, "gaussian", of_classes=False)

    def _target(self, y: Any) -> v1.Target:
        return v1.Target(name="y", width=y.shape[1] if y.ndim == 2 else 0)

    def _check_target(self, info: ModelInfo, target: v1.Target) -> None:
        theirs, ours = max(1, info.config.target.width), max(1, target.width)
        if theirs != ours:
            raise InvalidArgument(
                f"{info.name} learns {counted(theirs, 'target')}, and y has "
                f"{counted(ours, 'column')}: pass another `name`"
            )


class PrequelClassifier(ClassifierMixin, _Estimator):  # type: ignore[misc]
    """Classification: bernoulli for two classes, else categorical."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PrequelClassifier:
        """Makes a new model and learns the rows: X [rows, features], NaN where one is missing, or
        a frame of any columns; y [rows], labels of any kind; `sample_weight`: [rows]."""
        X, y = self._examples(X, y, reset=True)
        self.classes_ = np.unique(y)
        self.label_texts_ = self._texts()
        self._create(self._target(), self._features(X, more_follows=False))
        self._learn(X, self._labels(y), sample_weight, self.passes)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Learns more rows. The first call needs `classes`, all labels that will ever come."""
        first = not hasattr(self, "model_name_")
        X, y = self._examples(X, y, reset=first)
        if first:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self.classes_ = np.unique(classes)
            self.label_texts_ = self._texts()
            self._begin(self._target(), self._features(X, more_follows=True))
        elif classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                f"{self.classes_!r}"
            )
        self._learn(X, self._labels(y), sample_weight, None)
        return self

    def predict_proba(self, X: Any) -> npt.NDArray[Any]:
        """[rows, classes], in the order of `classes_`."""
        check_is_fitted(self)
        inputs = self._inputs(X)
        prediction = self.remote_.predict(inputs, queries=["probabilities"])
        columns = [prediction.label_texts.index(text) for text in self.label_texts_]
        proba = prediction.proba[:, columns or slice(len(self.classes_))]
        return proba / proba.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable label of each row."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_entropy(self, X: Any) -> tuple[Any, Any]:
        """In nats, [rows] each: what is noise, and what is not knowing the weights."""
        check_is_fitted(self)
        prediction = self.remote_.predict(self._inputs(X), queries=["entropy"])
        return prediction.aleatoric_entropy, prediction.epistemic_entropy

    def _examples(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        X, y = self._validated_pair(X, y, reset)
        check_classification_targets(y)
        return X, column_or_1d(y, warn=True)

    def _chosen_likelihood(self) -> Part:
        usual = "bernoulli" if len(self.classes_) <= 2 else "categorical"
        return likelihood_of(self.likelihood, usual, of_classes=True)

    def _target(self) -> v1.Target:
        count = len(self.classes_)
        if self.label_texts_:
            return v1.Target(name="y", labels=self.label_texts_)
        return v1.Target(name="y", num_classes=count if count > 2 else 0)

    def _texts(self) -> list[str]:
        """What the model calls the classes; empty where it knows them by their places alone."""
        texts = [text_of_number(label) for label in self.classes_.tolist()]
        distinct = {trim(text) for text in texts}
        named = len(texts) > 1 and all(distinct) and len(distinct) == len(texts)
        return texts if named else []

    def _check_target(self, info: ModelInfo, target: v1.Target) -> None:
        listed = list(info.config.target.labels)
        ours = self.classes_.tolist()
        if listed and sorted(listed) == sorted(self.label_texts_):
            return
        if not listed and ours == list(range(len(ours))):
            self.label_texts_ = []  # whole numbers from 0 are the classes themselves
            return
        known = str(listed) if listed else "whole numbers from 0, and names none"
        raise ValueError(
            f"{info.name} has the classes {known}, and this estimator has {ours}: "
            "pass the same `classes`, or another `name`"
        )

    def _labels(self, y: Any) -> npt.NDArray[Any]:
        """Labels as the model knows them."""
        places = np.searchsorted(self.classes_, y)
        places = np.minimum(places, len(self.classes_) - 1)
        unknown = self.classes_[places] != y
        if np.any(unknown):
            raise ValueError(
                f"y has the label {y[unknown].tolist()[0]!r}, which is not in classes_ "
                f"{self.classes_.tolist()}"
            )
        if self.label_texts_:
            return np.array(self.label_texts_)[places]
        return places.astype(np.float64)

"""Predictive distributions, one per row."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from prequel import v1
from prequel.answers.count_samples import drawn, strata
from prequel.answers.joint import correlation_of, ranks
from prequel.answers.levels import Levels, ends_of, round_level, round_levels
from prequel.data.labels import AS_THEY_LOOK, typed_labels
from prequel.data.tensor import from_tensor
from prequel.errors import InvalidArgument, PrequelError

Array = npt.NDArray[Any]
MAX_LEVELS = 99  # of one query
_POOL = 2 * MAX_LEVELS  # levels that samples are drawn from, at the least


class NotAnswered(PrequelError, AttributeError):
    """The prediction does not hold this, and cannot get it."""

    code = "FAILED_PRECONDITION"


class Outputs(Mapping[str, Array]):
    """Arrays by name, each made of its message when it is first asked for."""

    def __init__(self, messages: Sequence[v1.Output]) -> None:
        self._messages = {message.name: message for message in messages}
        self._arrays: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self._arrays:
            self._arrays[name] = from_tensor(self._messages[name].values)
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    def levels(self, name: str) -> tuple[float, ...]:
        """What the last dimension of quantiles and intervals goes through."""
        return tuple(self._messages[name].levels)


class Prediction:
    """The predictive of each row, by the model at `revision`. T is the number of targets; where it
    is 1, arrays of [rows, T, …] are [rows, …].

    Attributes:
        revision: of the model that answered.
        outputs: what the server answered, by name; as docs/asking.md has it.
        labels: the classes, in class order, as what the model's labels were given as; empty for
            values and counts. A class that has room and no label yet is called "new", others
            "new_2" and so on.
        label_texts: the same as text.
    """

    def __init__(
        self,
        revision: int,
        outputs: Mapping[str, Array],
        levels: tuple[float, ...],
        label_texts: tuple[str, ...],
        ask: Callable[[Sequence[v1.Query]], Prediction] | None = None,
        known: int | None = None,
        label_type: int = AS_THEY_LOOK,
        own: Callable[[Sequence[v1.Query]], Prediction] | None = None,
    ) -> None:
        """`levels` are those of the quantiles; `ask` asks the same rows of the same revision, and
        of counts `own` what the model says itself, uncalibrated; the first `known` labels are of
        classes that have one."""
        self.revision = revision
        self.outputs = outputs
        self.label_texts = label_texts
        self.labels = typed_labels(label_texts[:known], label_type)
        if known is not None:
            self.labels += label_texts[known:]
        self._known = known
        self._levels = levels
        self._ask = ask
        self._own = own
        self._quantiles: dict[float, Array] = {}

    def __len__(self) -> int:
        return len(next(iter(self.outputs.values()))) if self.outputs else 0

    def __repr__(self) -> str:
        outputs = ", ".join(f"{name} {list(a.shape)}" for name, a in self.outputs.items())
        return f"Prediction(revision {self.revision}: {outputs})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_ask": None, "_own": None, "outputs": dict(self.outputs)}

    @property
    def mean(self) -> Array:
        """[rows, T], in the units of the targets; of the classes 0 and 1 the probability of 1."""
        if "probabilities" in self.outputs and self.labels == (0, 1):
            return self.proba[:, 1]
        return self._of_values("mean")

    @property
    def variance(self) -> Array:
        """[rows, T]: of not knowing the weights, and of the noise."""
        return self._of_values("epistemic_variance") + self._of_values("aleatoric_variance")

    @property
    def std(self) -> Array:
        """[rows, T]: the whole predictive's standard deviation."""
        return np.sqrt(self.variance)

    @property
    def epistemic_std(self) -> Array:
        """[rows, T]: of not knowing the weights."""
        return np.sqrt(self._of_values("epistemic_variance"))

    @property
    def aleatoric_std(self) -> Array:
        """[rows, T]: of the noise."""
        return np.sqrt(self._of_values("aleatoric_variance"))

    @property
    def proba(self) -> Array:
        """[rows, classes], in the order of `labels`."""
        return self._of_classes("probabilities")

    @property
    def label(self) -> Array:
        """[rows]: the most probable class's label, as what the model's labels were given as."""
        return self._named(self.proba.argmax(axis=1))

    @property
    def entropy(self) -> Array:
        """[rows], nats: of the predictive of classes."""
        return self._of_classes("entropy")

    @property
    def aleatoric_entropy(self) -> Array:
        """[rows], nats: what is noise."""
        return self._of_classes("aleatoric_entropy")

    @property
    def epistemic_entropy(self) -> Array:
        """[rows], nats: what is not knowing the weights."""
        return self._of_classes("epistemic_entropy")

    def quantile(self, level: Levels) -> Array:
        """The least y with P(Y ≤ y) ≥ level: [rows, T], or [rows, T, levels] for several. Levels
        that were not asked for are asked of the server now, of the same revision."""
        if isinstance(level, str) or not isinstance(level, Iterable):
            self._fetch([level])
            return self._quantiles[round_level(level)]
        levels = [round_level(one) for one in level]
        self._fetch(levels)
        return np.stack([self._quantiles[one] for one in levels], axis=-1)

    def interval(self, level: float = 0.9) -> tuple[Array, Array]:
        """Lower and upper end, each [rows, T], of the central interval in which y lies with
        probability `level`; of counts, at least that."""
        low, high = ends_of(level)
        self._fetch((low, high))
        return self._quantiles[low], self._quantiles[high]

    def sample(self, size: int = 1, seed: int | np.random.Generator | None = None) -> Array:
        """Draws from each row's predictive: [rows, T, size], or labels [rows, size] of classes.

        Values are quantiles of random levels, drawn from at least 198 that all rows share: each
        row's draws are its own, and nearly independent of other rows'. Counts are quantiles of the
        model's own, with the mean as it is served. Draws of several targets go together as what
        is not known of the weights has them do.
        """
        rng = np.random.default_rng(seed)
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
            raise InvalidArgument(f"size: {size!r} is not a whole number above 0")
        if "probabilities" in self.outputs:
            ends = self.proba.cumsum(axis=1)
            ends /= ends[:, -1:]
            draws = rng.random((len(self), size))
            places = (draws[:, :, None] >= ends[:, None, :]).sum(axis=2)
            return self._named(places)
        if self._own is not None:
            return self._sampled_counts(size, rng)
        levels = np.unique(rng.random(max(size + 8, _POOL)))
        levels = levels[levels > 0]
        values = self._quantiles_of(levels)
        places = ranks(self._correlation(values.shape[1]), levels.size, size, rng)
        return _squeezed(np.take_along_axis(values, places, axis=-1))

    def _sampled_counts(self, size: int, rng: np.random.Generator) -> Array:
        assert self._own is not None and self._ask is not None
        levels, widths = strata(rng)
        values = np.concatenate(
            [
                self._own([quantiles_query(levels[first : first + MAX_LEVELS].tolist())]).outputs[
                    "quantiles"
                ]
                for first in range(0, len(levels), MAX_LEVELS)
            ],
            axis=-1,
        )
        moments = [v1.Query(name="moments")]
        own = self._own(moments).outputs["mean"]
        served = self._ask(moments).outputs["mean"]
        factor = served / np.maximum(own, np.finfo(float).tiny)
        count = max(size, _POOL)
        places = ranks(self._correlation(values.shape[1]), count, size, rng)
        uniform = (places + rng.random(places.shape)) / count
        return _squeezed(drawn(values, widths, factor, uniform, rng))

    def _correlation(self, targets: int) -> Array:
        """How the targets of each row go together, [rows, T, T]."""
        if targets == 1:
            return np.ones((len(self), 1, 1))
        assert self._ask is not None
        asked = self._ask([v1.Query(name="moments"), v1.Query(name="logits")]).outputs
        return correlation_of(
            asked["logit_covariance"], asked["epistemic_variance"], asked["aleatoric_variance"]
        )

    def to_frame(self) -> Any:
        """A pandas.DataFrame of one row for each row that was asked, with the columns of the CSV
        file that `prequel predict` writes: mean, sd, epistemic_sd, aleatoric_sd, q0.05 …, each with
        _0, _1 … behind it where there are several targets; label, p_LABEL … and the entropies of
        classes. What was not answered is left out."""
        import pandas as pd

        columns: dict[str, Array] = {}
        if "probabilities" in self.outputs:
            columns["label"] = self.label
            columns.update(
                (f"p_{name}", self.proba[:, i]) for i, name in enumerate(self.label_texts)
            )
        for name in ("entropy", "aleatoric_entropy", "epistemic_entropy"):
            if name in self.outputs:
                columns[name] = self.outputs[name]
        if "mean" in self.outputs:
            columns.update(_by_target("mean", self.mean))
            columns.update(_by_target("sd", self.std))
            columns.update(_by_target("epistemic_sd", self.epistemic_std))
            columns.update(_by_target("aleatoric_sd", self.aleatoric_std))
        if "quantiles" in self.outputs:
            for i, level in enumerate(self._levels):
                values = _squeezed(self.outputs["quantiles"][..., i])
                columns.update(_by_target(f"q{level:g}", values))
        return pd.DataFrame(columns)

    def _named(self, places: Array) -> Array:
        """Labels by place: an array of integers, floats or truth values where all are."""
        types = set(map(type, self.labels))
        plain = types.pop() if len(types) == 1 else object
        names = np.array(self.labels, dtype=plain if plain in (bool, int, float) else object)
        return names[places]

    def _of_values(self, name: str) -> Array:
        if name not in self.outputs and self.labels:
            raise self._lacking(name, "a model of classes has proba, label and entropy")
        if name not in self.outputs:
            raise self._lacking(name, 'predict(X, queries=["moments", …]) asks for it')
        return _squeezed(self.outputs[name])

    def _of_classes(self, name: str) -> Array:
        if name not in self.outputs and not self.labels:
            raise self._lacking(name, "a model of values has mean, std and quantile")
        if name not in self.outputs:
            query = "probabilities" if name == "probabilities" else "entropy"
            raise self._lacking(name, f'predict(X, queries=["{query}", …]) asks for it')
        return self.outputs[name]

    def _lacking(self, name: str, otherwise: str) -> NotAnswered:
        held = ", ".join(self.outputs) or "nothing"
        return NotAnswered(f"{name} was not answered, but {held}; {otherwise}")

    def _fetch(self, levels: Iterable[float]) -> None:
        if not self._quantiles and "quantiles" in self.outputs:
            self._remember(self.outputs["quantiles"], self._levels)
        wanted = [level for level in round_levels(levels) if level not in self._quantiles]
        for first in range(0, len(wanted), MAX_LEVELS):
            some = wanted[first : first + MAX_LEVELS]
            self._remember(self._asked(some), some)

    def _quantiles_of(self, levels: Array) -> Array:
        pieces = [
            self._asked(levels[first : first + MAX_LEVELS].tolist())
            for first in range(0, len(levels), MAX_LEVELS)
        ]
        return np.concatenate(pieces, axis=-1)

    def _asked(self, levels: Sequence[float]) -> Array:
        if "probabilities" in self.outputs:
            raise NotAnswered("classes have no quantiles; they have proba, label and entropy")
        if self._ask is None:
            raise NotAnswered(
                f"the levels {list(levels)[:3]} … were not asked for: predict(X, quantiles=[…])"
            )
        return self._ask([quantiles_query(levels)]).outputs["quantiles"]

    def _remember(self, values: Array, levels: Sequence[float]) -> None:
        for i, level in enumerate(levels):
            self._quantiles[round_level(level)] = _squeezed(values[..., i])


def quantiles_query(levels: Levels) -> v1.Query:
    query = v1.Query(name="quantiles")
    query.options["levels"] = round_levels(levels)
    return query


def queries_of(
    quantiles: Levels | None, queries: str | Iterable[str | v1.Query] | None
) -> list[v1.Query]:
    """What `predict` is to ask: nothing is what the model answers by default."""
    several = [queries] if isinstance(queries, str) else queries or ()
    asked = [_query_of(q) for q in several]
    for query in asked:
        if not isinstance(query, v1.Query):
            raise InvalidArgument(f"queries: {query!r} is no name of a query and no Query")
    if quantiles is not None:
        asked.append(quantiles_query(quantiles))
        if not any(query.name == "moments" for query in asked):
            asked.append(v1.Query(name="moments"))
    return asked


def _query_of(given: Any) -> Any:
    """A query by its name, or by `prequel.part(name, option=…)`; anything else as it is."""
    if isinstance(given, str):
        return v1.Query(name=given)
    if isinstance(given, v1.Component):
        return v1.Query(name=given.name, options=given.options)
    return given


def prediction_of(revision: int, message: v1.Predictions) -> Prediction:
    outputs = Outputs(message.outputs)
    levels = outputs.levels("quantiles") if "quantiles" in outputs else ()
    labels = list(message.labels)
    known = len(labels)
    if "probabilities" in outputs:
        labels += _new_names(labels, outputs["probabilities"].shape[1] - known)
    return Prediction(revision, outputs, levels, tuple(labels), known=known)


def _new_names(labels: Sequence[str], count: int) -> list[str]:
    names = (name for i in itertools.count(1) if (name := f"new_{i}" if i > 1 else "new"))
    return list(itertools.islice((name for name in names if name not in labels), count))


def joined(
    pieces: Sequence[Prediction],
    ask: Callable[[Sequence[v1.Query]], Prediction] | None,
    label_type: int = AS_THEY_LOOK,
    own: Callable[[Sequence[v1.Query]], Prediction] | None = None,
) -> Prediction:
    """One prediction of the rows of all `pieces`, which are of one revision."""
    first = pieces[0]
    outputs: Mapping[str, Array] = first.outputs
    if len(pieces) > 1:
        outputs = {
            name: np.concatenate([piece.outputs[name] for piece in pieces]) for name in outputs
        }
    return Prediction(
        first.revision,
        outputs,
        first._levels,
        first.label_texts,
        ask,
        first._known,
        label_type,
        own,
    )


def _by_target(name: str, values: Array) -> dict[str, Array]:
    """`name` for one target, [rows]; `name`_0, `name`_1 … for several, [rows, T]."""
    if values.ndim == 1:
        return {name: values}
    return {f"{name}_{t}": values[:, t] for t in range(values.shape[1])}


def _squeezed(values: Array, axis: int = 1) -> Array:
    return values.squeeze(axis) if values.ndim > axis and values.shape[axis] == 1 else values

"""What the service says of a model."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from google.protobuf import json_format

from prequel import v1


@dataclass(frozen=True, repr=False)
class ModelInfo:
    """A model as it is now; `print` shows all of it.

    Attributes:
        name: "models/…".
        config: with every default filled in. It never changes.
        create_time: UTC.
        revision: minibatches folded in. examples: rows learned from. Both are None unless the
            model is serving.
        num_parameters: D. num_inputs: encoded inputs, after one-hot columns and indicators.
        labels: the classes that are known now, in class order.
        state: "serving"; "starting" while a server that has just started folds the model's log
            again, of which `replayed` says how much; or "failed": it cannot be read.
        problem: why it is not serving.
        replayed: while it is starting, the records that have been folded again, and all of them.
    """

    name: str
    config: v1.ModelConfig
    create_time: datetime.datetime
    revision: int | None
    examples: int | None
    num_parameters: int
    num_inputs: int
    labels: tuple[str, ...]
    state: str
    problem: str
    replayed: tuple[int, int] | None = None

    @property
    def serving(self) -> bool:
        """Whether it answers and learns: `state` is "serving"."""
        return self.state == "serving"

    @staticmethod
    def of(message: v1.Model) -> ModelInfo:
        return ModelInfo(
            message.name,
            message.config,
            _time(message.create_time),
            message.revision if message.HasField("revision") else None,
            message.examples if message.HasField("examples") else None,
            message.num_parameters,
            message.num_inputs,
            tuple(message.labels),
            _state(message),
            message.problem,
            _replayed(message),
        )

    def config_dict(self) -> dict[str, Any]:
        """The config as protobuf JSON has it: `Client.create(…, config=…)` takes it."""
        return dict(json_format.MessageToDict(self.config, preserving_proto_field_name=True))

    def __repr__(self) -> str:
        parts = f"{self.config.model.name} {self.config.likelihood.name}".strip()
        state = (
            f"revision {self.revision}, {self.examples:,} examples" if self.serving else self.state
        )
        return f"<ModelInfo {self.name}: {parts}, {state}>"

    def __str__(self) -> str:
        config = self.config
        rows = [
            ("name", self.name),
            ("created", f"{self.create_time:%Y-%m-%d %H:%M:%S} UTC"),
            ("inputs", ", ".join(_feature_text(feature) for feature in config.features)),
            ("target", config.target.name),
            ("labels", ", ".join(self.labels)),
        ]
        for part in (
            "model",
            "likelihood",
            "prior",
            "posterior",
            "rule",
            "dynamics",
            "calibration",
            "robustness",
        ):
            rows.append((part, _part_text(getattr(config, part))))
        rows += [
            ("seed", str(config.seed)),
            ("parameters", f"{self.num_parameters:,} over {self.num_inputs:,} encoded inputs"),
            ("revision", self._progress()),
            ("state", self._state_text()),
        ]
        return "\n".join(f"{name:<11} {text}" for name, text in rows if text)

    def _progress(self) -> str:
        if self.revision is None or self.examples is None:
            return ""
        return f"{self.revision:,} minibatches, {self.examples:,} examples"

    def _state_text(self) -> str:
        if self.state == "failed":
            return f"failed: {self.problem}"
        if self.replayed is None or self.replayed[1] == 0:
            return self.state
        folded, records = self.replayed
        return f"{self.state}: {folded:,} of {records:,} records of its log folded again"


@dataclass(frozen=True)
class Snapshot:
    """What a restart goes on from. `build`: version and instruction set of its server."""

    revision: int
    create_time: datetime.datetime
    bytes: int
    build: str

    @staticmethod
    def of(message: v1.Snapshot) -> Snapshot:
        return Snapshot(message.revision, _time(message.create_time), message.bytes, message.build)


@dataclass(frozen=True)
class Revisions:
    """Which revisions are kept: every one from `oldest` to `newest`. Those of `snapshots` (oldest
    first) are returned to soonest."""

    newest: int
    oldest: int
    snapshots: tuple[Snapshot, ...]

    @staticmethod
    def of(message: v1.ListRevisionsResponse) -> Revisions:
        snapshots = tuple(Snapshot.of(snapshot) for snapshot in message.snapshots)
        return Revisions(message.revision, message.oldest_revision, snapshots)


def _state(message: v1.Model) -> str:
    if message.serving:  # a server that knows no states says only this
        return "serving"
    return "starting" if message.state == v1.Model.STATE_STARTING else "failed"


def _replayed(message: v1.Model) -> tuple[int, int] | None:
    if not message.HasField("replay"):
        return None
    return message.replay.folded, message.replay.records


def _time(stamp: Any) -> datetime.datetime:
    return stamp.ToDatetime().replace(tzinfo=datetime.timezone.utc)


def _feature_text(feature: v1.Feature) -> str:
    kind = ":text" if feature.kind == v1.Feature.KIND_CATEGORICAL else ""
    width = f":{feature.width}" if feature.width > 1 else ""
    return feature.name + width + kind + ("?" if feature.allow_missing else "")


def _part_text(part: v1.Component) -> str:
    options = json_format.MessageToDict(part.options)
    shown = [f"{name}={_value_text(options[name])}" for name in sorted(options)]
    shown += [f"{name}={list(part.arrays[name].shape)}" for name in sorted(part.arrays)]
    return f"{part.name} ({', '.join(shown)})" if shown else part.name


def _value_text(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_value_text(item) for item in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)

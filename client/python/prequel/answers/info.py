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
        revision: minibatches folded in. examples: rows learned from.
        num_parameters: D. num_inputs: encoded inputs, after one-hot columns and indicators.
        labels: the classes that are known now, in class order.
        serving: False when the model's stored state could not be read; `problem` says why.
    """

    name: str
    config: v1.ModelConfig
    create_time: datetime.datetime
    revision: int
    examples: int
    num_parameters: int
    num_inputs: int
    labels: tuple[str, ...]
    serving: bool
    problem: str

    @staticmethod
    def of(message: v1.Model) -> ModelInfo:
        return ModelInfo(
            message.name,
            message.config,
            _time(message.create_time),
            message.revision,
            message.examples,
            message.num_parameters,
            message.num_inputs,
            tuple(message.labels),
            message.serving,
            message.problem,
        )

    def config_dict(self) -> dict[str, Any]:
        """The config as protobuf JSON has it: `Client.create(…, config=…)` takes it."""
        return dict(json_format.MessageToDict(self.config, preserving_proto_field_name=True))

    def __repr__(self) -> str:
        parts = f"{self.config.model.name} {self.config.likelihood.name}".strip()
        state = f"revision {self.revision}, {self.examples:,} examples"
        return f"<ModelInfo {self.name}: {parts}, {state}{'' if self.serving else ', not serving'}>"

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
            ("revision", f"{self.revision:,} minibatches, {self.examples:,} examples"),
            ("serving", "yes" if self.serving else f"no: {self.problem}"),
        ]
        return "\n".join(f"{name:<11} {text}" for name, text in rows if text)


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

"""What a model is, from Python's words."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from google.protobuf import json_format

from prequel import v1
from prequel.data.moment import FORMS, moment_column
from prequel.data.number import nearest_name, quoted
from prequel.data.tensor import to_tensor
from prequel.errors import InvalidArgument, kind_of

Part = Union[str, v1.Component]
Inputs = Union[int, Sequence[Union[str, v1.Feature]]]
Target = Union[str, Sequence[str]]  # the name of its column, or of several
Config = Union[v1.ModelConfig, Mapping[str, Any]]

_PARTS = (
    "model",
    "likelihood",
    "prior",
    "posterior",
    "rule",
    "dynamics",
    "calibration",
    "robustness",
)


def part(name: str, /, **options: Any) -> v1.Component:
    """A part of a model with options, such as `part("mlp", hidden=[32, 32])`. Options are numbers,
    truth values, texts and lists; arrays travel as tensors. `name` is what docs/parts.md lists; an
    empty one is the server's default, with these options."""
    if not isinstance(name, str):
        raise InvalidArgument(f"{name!r} is no name of a part")
    component = v1.Component(name=name)
    for key, value in options.items():
        if isinstance(value, np.ndarray):
            component.arrays[key].CopyFrom(to_tensor(value))
        elif value is not None:
            component.options[key] = _plain(key, value)
    return component


def feature(text: str) -> v1.Feature:
    """An input as the command line names it: "a" a number, "a?" one that may be missing, "p:784"
    784 of them, "wind:text" a category, "when:date" a date (five numbers)."""
    made = v1.Feature(name=text)
    if len(text) > 1 and text.endswith("?"):
        made.allow_missing = True
        made.name = text[:-1]
    name, colon, suffix = made.name.rpartition(":")
    if colon and suffix == "text":
        made.name, made.kind = name, v1.Feature.KIND_CATEGORICAL
    elif colon and suffix.isdecimal():
        made.name, made.width = name, int(suffix)
    else:
        widths = [form.width for form in FORMS if moment_column(made.name, form.width)]
        made.width = widths[0] if widths else 0
    return made


def merged(
    base: v1.ModelConfig | None = None,
    *,
    config: Config | None = None,
    inputs: Inputs | None = None,
    hash_buckets: Mapping[str, int] | None = None,
    target: Target | None = None,
    target_width: int | None = None,
    allow_missing_target: bool | None = None,
    labels: Sequence[str] | None = None,
    classes: int | None = None,
    model: Part | None = None,
    likelihood: Part | None = None,
    prior: Part | None = None,
    posterior: Part | None = None,
    rule: Part | None = None,
    dynamics: Part | None = None,
    calibration: Part | None = None,
    robustness: Part | None = None,
    standardize_inputs: bool | None = None,
    standardize_targets: bool | None = None,
    standardize_window: float | None = None,
    clip: float | None = None,
    window: float | None = None,
    seed: int | None = None,
    **unknown: Any,
) -> v1.ModelConfig:
    """`config` (a ModelConfig, or a mapping as protobuf JSON has it), with `base` and then the rest
    set over it."""
    for keyword in unknown:
        known = [name for name in inspect.signature(merged).parameters if name != "unknown"]
        nearest = nearest_name(keyword, known)
        meant = f"did you mean {nearest!r}?" if nearest else f"there are {', '.join(known[1:])}"
        raise InvalidArgument(f"{keyword}: is nothing that a model is made of; {meant}")
    made = v1.ModelConfig()
    if config is not None:
        made.CopyFrom(_parsed(config))
    if base is not None:
        del made.features[:]
        made.ClearField("target")
        made.MergeFrom(base)
    if inputs is not None:
        _set_inputs(made, inputs)
    for name, buckets in (hash_buckets or {}).items():
        _set_buckets(made, name, buckets)
    _set_target(made, target, target_width, allow_missing_target, labels, classes)
    parts = (model, likelihood, prior, posterior, rule, dynamics, calibration, robustness)
    for name, value in zip(_PARTS, parts):
        if value is not None:
            _set_part(getattr(made, name), name, value)
    for field, on in (("inputs", standardize_inputs), ("targets", standardize_targets)):
        if on is not None:
            word = "STANDARDIZE_RUNNING" if on else "STANDARDIZE_NONE"
            setattr(made.encoding, field, v1.Encoding.Standardize.Value(word))
    _set(made.encoding, "window", standardize_window, "standardize_window")
    _set(made.encoding, "clip", clip)
    _set(made.evaluation, "window", window)
    _set(made, "seed", seed)
    if not made.features:
        if config is not None:
            raise InvalidArgument(
                "config: has no features: give a whole one, as describe().config_dict() with what "
                "is to be different"
            )
        raise InvalidArgument("which inputs? give data to infer them from, inputs= or config=")
    return made


def is_whole(config: Config) -> bool:
    """Whether it has features, without which there is no model."""
    return bool(_parsed(config).features)


def replaced(base: v1.ModelConfig, config: Config) -> v1.ModelConfig:
    """`base` with what `config` names instead of its own: a part with all of its options. A part
    that is empty there is the server's default."""
    given = _parsed(config)
    named = config if isinstance(config, Mapping) else {f.name for f, _ in given.ListFields()}
    made = v1.ModelConfig()
    made.CopyFrom(base)
    for field in made.DESCRIPTOR.fields:
        if field.name in named or field.json_name in named:
            made.ClearField(field.name)
    made.MergeFrom(given)
    return made


def differing(config: v1.ModelConfig, wanted: v1.ModelConfig) -> list[str]:
    """The fields, sorted, in which `config` is not what `wanted` asks for. What `wanted` leaves
    open is not among them, nor are options that it does not name."""
    has, asked = json_format.MessageToDict(config), json_format.MessageToDict(wanted)
    return sorted(name for name, value in asked.items() if not _holds(has.get(name), value))


def _holds(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict) and isinstance(value, dict):
        return all(_holds(value.get(name), member) for name, member in wanted.items())
    if isinstance(wanted, list) and isinstance(value, list):
        return len(value) == len(wanted) and all(map(_holds, value, wanted))
    return bool(value == wanted)


def _parsed(config: Config) -> v1.ModelConfig:
    if isinstance(config, v1.ModelConfig):
        return config
    if not isinstance(config, Mapping):
        raise InvalidArgument(f"config: {kind_of(config)} is no mapping and no ModelConfig")
    try:
        return json_format.ParseDict(dict(config), v1.ModelConfig())
    except json_format.ParseError as error:
        raise InvalidArgument(f"config: {error}") from None


def _set_inputs(made: v1.ModelConfig, inputs: Inputs) -> None:
    del made.features[:]
    if isinstance(inputs, str):
        raise InvalidArgument(f"inputs: give a list of names, as {inputs.split(',')}, or a number")
    if isinstance(inputs, (int, np.integer)):
        made.features.add(name="x", width=int(inputs))
        return
    for item in inputs:
        made.features.append(feature(item) if isinstance(item, str) else item)


def _set_buckets(made: v1.ModelConfig, name: str, buckets: int) -> None:
    for column in made.features:
        if column.name == name:
            column.kind = v1.Feature.KIND_CATEGORICAL
            column.max_categories = 0
            _set(column, "hash_buckets", buckets)
            return
    raise InvalidArgument(f"hash_buckets: no input {quoted(name)}")


def _set_target(
    made: v1.ModelConfig,
    name: Target | None,
    width: int | None,
    allow_missing: bool | None,
    labels: Sequence[str] | None,
    classes: int | None,
) -> None:
    target = made.target
    if name is not None:
        target.name = target_name(name)
        if not isinstance(name, str) and len(name) > 1 and width is None:
            width = len(name)
    _set(target, "width", width, "target_width")
    if allow_missing is not None:
        target.allow_missing = allow_missing
    if labels is not None or classes is not None:
        del target.labels[:]
        _set(target, "num_classes", classes or 0, "classes")
        target.labels.extend(str(label) for label in labels or ())


def target_name(target: Target) -> str:
    """The name of a target that is one column, or several: "y1,y2"."""
    if isinstance(target, str):
        return target
    for name in target:
        if not isinstance(name, str) or not name or "," in name:
            raise InvalidArgument(f"target: {name!r} among several is no name without a comma")
    if not target:
        raise InvalidArgument("target: names no column")
    return ",".join(target)


def _set(message: Any, field: str, value: Any, name: str = "") -> None:
    if value is None:
        return
    try:
        setattr(message, field, value)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{name or field}: {value!r} is no value of it") from None


def _set_part(component: v1.Component, field: str, value: Part) -> None:
    if isinstance(value, str):
        component.name = value
        return
    if not isinstance(value, v1.Component):
        raise InvalidArgument(f"{field}: give a name, or prequel.part(name, option=value, …)")
    if value.name and value.name != component.name:
        component.Clear()
    component.MergeFrom(value)


def _plain(key: str, value: Any) -> Any:
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(key, item) for item in value]
    if isinstance(value, (bool, int, float, str)):
        return value
    raise InvalidArgument(f"{key}: {kind_of(value)} is no value of an option")

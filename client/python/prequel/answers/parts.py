"""What a model can be made of and asked, as the server says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from google.protobuf import json_format

from prequel import v1
from prequel.answers.aligned import aligned
from prequel.data.number import nearest_name
from prequel.errors import NotFound


@dataclass(frozen=True)
class PartOption:
    """An option of a part.

    Attributes:
        default: in use unless it is given; None: it is `needed`, or nothing of the kind is done.
        range: what is admitted, in words. words: those of them that are words.
        where: what must be chosen for it to be an option at all: {"schedule": "cosine"}.
        otherwise: other defaults, each with what is then chosen.
    """

    name: str
    help: str
    default: Any
    range: str
    words: tuple[str, ...]
    where: dict[str, str]
    needed: bool
    otherwise: tuple[tuple[dict[str, str], Any], ...]

    def cells(self) -> tuple[str, str, str, str]:
        """Of a table: name, defaults, range and help."""
        default = "needed" if self.needed else _shown(self.default)
        for where, other in self.otherwise:
            default += f"; {_shown(other)} {_condition(where)}"
        also = f" ({_condition(self.where)})" if self.where else ""
        return self.name, default, self.range, self.help + also

    @staticmethod
    def of(message: v1.PartOption) -> PartOption:
        return PartOption(
            message.name,
            message.help,
            int(_value(message)) if _is_whole(message) else _value(message),
            message.range,
            tuple(message.words),
            dict(message.where),
            message.needed,
            tuple((dict(other.where), _value(other)) for other in message.otherwise),
        )


@dataclass(frozen=True)
class Part:
    """An alternative of what a model is made of, or a query; `str` shows its options.

    Attributes:
        kind: "rule". name: "rvga".
        usual: of its kind, unless another is named or chosen because of the model's size.
        combinations: by kind, the parts that it goes with, where that is not all of them.
    """

    kind: str
    name: str
    help: str
    cost: str
    usual: bool
    options: tuple[PartOption, ...]
    combinations: dict[str, tuple[str, ...]]

    @staticmethod
    def of(message: v1.Part) -> Part:
        return Part(
            message.kind,
            message.name,
            message.help,
            message.cost,
            message.usual,
            tuple(PartOption.of(option) for option in message.options),
            {found.kind: tuple(found.names) for found in message.combinations},
        )

    def __str__(self) -> str:
        """As `prequel parts` has it."""
        lines = [f"{self.kind} {self.name}{' (usual)' if self.usual else ''}: {self.help}"]
        lines += [f"costs {self.cost}"] if self.cost else []
        for kind, names in self.combinations.items():
            lines.append(f"goes with {kind} {', '.join(names)}")
        if self.options:
            header = ("option", "default", "range", "help")
            lines += ["", aligned([header, *(option.cells() for option in self.options)])]
        return "\n".join(lines)


def chosen(parts: list[Part], name: str) -> list[Part]:
    """Those of that name or kind; all for an empty one. NotFound when there are none."""
    found = [part for part in parts if name in ("", part.name, part.kind)]
    if found or not name:
        return found
    known = list(dict.fromkeys(word for part in parts for word in (part.kind, part.name)))
    nearest = nearest_name(name, known)
    meant = f"did you mean {nearest!r}?" if nearest else "parts() lists them all"
    raise NotFound(f"there is no part and no kind of parts called {name!r}; {meant}")


def parts_of(answer: v1.ListPartsResponse) -> list[Part]:
    return [Part.of(part) for part in answer.parts]


def _condition(where: dict[str, str]) -> str:
    return "with " + ", ".join(f"{option} {where[option]}" for option in sorted(where))


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return "[" + ", ".join(_shown(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_whole(message: v1.PartOption) -> bool:
    return message.type == v1.PartOption.TYPE_WHOLE and message.HasField("default_value")


def _value(message: Any) -> Any:
    if not message.HasField("default_value"):
        return None
    return json_format.MessageToDict(message.default_value)

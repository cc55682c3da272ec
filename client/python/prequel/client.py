"""The service, as a Python object."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from prequel import connection, operations, v1
from prequel.answers.info import ModelInfo
from prequel.answers.parts import Part, chosen
from prequel.config import Config, Target, differing, merged
from prequel.connection import TLS, Connection, Endpoint
from prequel.errors import AlreadyExists, note
from prequel.inference.schema import Schema, infer
from prequel.model import Model


class Client:
    """A connection to a server. Thread-safe; use it as a context, or `close` it. A copy that was
    pickled, as of its models, is a connection of its own to the same address: without the token,
    which is a secret, but for one that token_file or the environment holds there, too.

    It connects on first use, and again whenever the connection is lost. After UNAVAILABLE, or a
    call that broke off, what the server does once however often it is asked is tried again while
    the timeout lasts; after UNAVAILABLE, what only reads for a second or so.
    """

    def __init__(
        self,
        server: str | None = None,
        *,
        timeout: float = 30.0,
        token: str | None = None,
        token_file: str | Path | None = None,
        tls: TLS | str | Path | bool | None = None,
    ) -> None:
        """
        Args:
            server: HOST:PORT, or unix:PATH; None: PREQUEL_SERVER, or 127.0.0.1:8081.
            timeout: seconds, of each call; of a learning stream, the longest silence.
            token: who calls; None: what the file PREQUEL_TOKEN_FILE holds, or PREQUEL_TOKEN. It
                travels as `authorization: Bearer …`, and without TLS only to this machine.
            token_file: the file that holds it, instead.
            tls: True; the file of the authority's certificates, as "ca.pem"; or a TLS; None: plain
                text.
        """
        self._connection = Connection(Endpoint.of(server, timeout, token, token_file, tls))

    @property
    def server(self) -> str:
        """The address of the server."""
        return self._connection.endpoint.server

    def __repr__(self) -> str:
        return f"<Client of {self.server}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection; models and streams of this client end with it."""
        self._connection.close()

    def create(
        self,
        name: str,
        data: Any = None,
        y: Any = None,
        *,
        target: Target | None = None,
        text: Sequence[str] = (),
        ignore: Sequence[str] = (),
        exist_ok: bool = False,
        **parts: Any,
    ) -> Model:
        """Makes a model, and learns nothing yet.

        With `data`, its columns and those of the target say what the model's features, target and
        likelihood are, as `prequel create --from-csv` has it; what a person might not expect is a
        note: an InferenceNote warning, and in `Model.notes`. `Client.infer` shows what would be
        made.

        Args:
            name: 1 to 63 lower-case letters, digits and hyphens, a letter first.
            data: an array or a frame, as `Model.learn` takes it.
            y: the targets, where they are no column of `data`.
            target: the name of the target: with a frame and no `y`, its column; or a list of
                several, which are values or counts.
            text: columns that are categories, whatever is in them.
            ignore: columns that are left out.
            exist_ok: a model of that name is no error: it stays as it is, and a note says in what
                it is not as asked for.
            **parts: what is set over it: `inputs` (with data: only these columns; without: a
                number of columns, or names such as "a", "a?", "p:784", "wind:text"),
                `hash_buckets` ({"user": 1024}: texts hashed into so many columns), `labels`,
                `classes`, `target_width`, `allow_missing_target`; `model`, `likelihood`, `prior`,
                `posterior`, `rule`, `dynamics`, `calibration`, `robustness` (each a name, or
                `prequel.part(name, option=…)`);
                `standardize_inputs`, `standardize_targets`, `standardize_window`, `clip`,
                `window`, `seed`; `config`, a whole configuration.
        """
        config, notes = configured(data, y, target, text, ignore, parts)
        for sentence in notes:
            note(sentence)
        try:
            info = self._connection.run(operations.create(name, config))
        except AlreadyExists:
            if not exist_ok:
                raise
            info = self._connection.run(operations.describe(operations.resource_name(name)))
            notes += existing(info, config)
        else:
            notes += standing(info, config)
        model = Model(self._connection, info.name, info.config)
        model.notes = notes
        return model

    @staticmethod
    def infer(data: Any, y: Any = None, *, target: Target | None = None, **options: Any) -> Schema:
        """What `create` would make of `data`: the config, and the notes. `options` are `inputs`,
        `text`, `ignore`, `likelihood`, `labels` and `classes`."""
        return infer(data, y, target=target, **options)

    def model(self, name: str, config: v1.ModelConfig | None = None) -> Model:
        """The model of that name. Whether there is one is seen at the first call. Who has its
        config saves the question for it."""
        return Model(self._connection, name, config)

    def models(self) -> list[ModelInfo]:
        """All models, ordered by name."""
        found: list[ModelInfo] = []
        token = ""
        while True:
            page, token = self._connection.run(operations.list_page(token))
            found += page
            if not token:
                return found

    def parts(self, name: str = "") -> list[Part]:
        """What a model can be made of and asked, with every option; with a `name` ("rvga", "rule")
        only the parts of that name or kind."""
        return chosen(self._connection.run(operations.parts()), name)

    def import_model(self, name: str, path: str | os.PathLike[str]) -> Model:
        """A new model of a file that `Model.export` wrote."""
        with operations.open_model_file(path) as file:
            requests = operations.import_requests(name, file)
            info = ModelInfo.of(self._connection.upload(connection.IMPORT, requests))
        return Model(self._connection, info.name, info.config)

    def serving(self) -> bool:
        """Whether the server says that it is serving. Unavailable when there is none."""
        return self._connection.run(operations.health())


def existing(info: ModelInfo, wanted: v1.ModelConfig) -> tuple[str, ...]:
    """Notes what a model that is there already has otherwise than `wanted`."""
    others = differing(info.config, wanted)
    if not others:
        return ()
    sentence = f"{info.name} has another {', '.join(others)} than is asked for, and stays as it is"
    note(sentence)
    return (sentence,)


def standing(info: ModelInfo, wanted: v1.ModelConfig) -> tuple[str, ...]:
    """Notes that nothing is followed where nobody has asked for that."""
    if wanted.dynamics.name or info.config.dynamics.name != "static":
        return ()
    sentence = (
        f"{info.name} stands still (dynamics static): with these parts it cannot follow a world "
        'that moves, or not fast enough; dynamics="adaptive" asks for it all the same'
    )
    note(sentence)
    return (sentence,)


def configured(
    data: Any,
    y: Any,
    target: Target | None,
    text: Sequence[str],
    ignore: Sequence[str],
    parts: dict[str, Any],
) -> tuple[Any, tuple[str, ...]]:
    """The config that `create` is to make a model of, and the notes."""
    if data is None:
        return merged(target=target, **parts), ()
    base: Config | None = parts.pop("config", None)
    likelihood = parts.get("likelihood")
    named = likelihood if isinstance(likelihood, str) else getattr(likelihood, "name", None)
    schema = infer(
        data,
        y,
        target=target,
        inputs=parts.pop("inputs", None),
        text=[*text, *(parts.get("hash_buckets") or ())],
        ignore=ignore,
        likelihood=named or "",
        labels=parts.get("labels") or (),
        classes=parts.get("classes") or 0,
    )
    return merged(schema.config, config=base, **parts), schema.notes

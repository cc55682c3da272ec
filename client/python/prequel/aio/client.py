"""The service, for asyncio."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from prequel import connection, operations, v1
from prequel.aio.connection import AsyncConnection
from prequel.aio.model import AsyncModel
from prequel.answers.info import ModelInfo
from prequel.answers.parts import Part, chosen
from prequel.client import configured, existing, standing
from prequel.config import Target
from prequel.connection import TLS, Endpoint
from prequel.errors import AlreadyExists, note
from prequel.inference.schema import Schema, infer


class AsyncClient:
    """As Client, for one event loop; use it as an asynchronous context, or `close` it."""

    def __init__(
        self,
        server: str | None = None,
        *,
        timeout: float = 30.0,
        token: str | None = None,
        token_file: str | Path | None = None,
        tls: TLS | str | Path | bool | None = None,
    ) -> None:
        self._connection = AsyncConnection(Endpoint.of(server, timeout, token, token_file, tls))

    @property
    def server(self) -> str:
        """The address of the server."""
        return self._connection.endpoint.server

    def __repr__(self) -> str:
        return f"<AsyncClient of {self.server}>"

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._connection.close()

    async def create(
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
    ) -> AsyncModel:
        """As Client.create."""
        config, notes = configured(data, y, target, text, ignore, parts)
        for sentence in notes:
            note(sentence)
        try:
            info = await self._connection.run(operations.create(name, config))
        except AlreadyExists:
            if not exist_ok:
                raise
            info = await self._connection.run(operations.describe(operations.resource_name(name)))
            notes += existing(info, config)
        else:
            notes += standing(info, config)
        model = AsyncModel(self._connection, info.name, info.config)
        model.notes = notes
        return model

    @staticmethod
    def infer(data: Any, y: Any = None, *, target: Target | None = None, **options: Any) -> Schema:
        """As Client.infer; nothing is asked of the server."""
        return infer(data, y, target=target, **options)

    def model(self, name: str, config: v1.ModelConfig | None = None) -> AsyncModel:
        """As Client.model."""
        return AsyncModel(self._connection, name, config)

    async def models(self) -> list[ModelInfo]:
        """All models, ordered by name."""
        found: list[ModelInfo] = []
        token = ""
        while True:
            page, token = await self._connection.run(operations.list_page(token))
            found += page
            if not token:
                return found

    async def parts(self, name: str = "") -> list[Part]:
        """As Client.parts."""
        return chosen(await self._connection.run(operations.parts()), name)

    async def import_model(self, name: str, path: str | os.PathLike[str]) -> AsyncModel:
        """As Client.import_model."""
        with operations.open_model_file(path) as file:
            requests = operations.import_requests(name, file)
            info = ModelInfo.of(await self._connection.upload(connection.IMPORT, requests))
        return AsyncModel(self._connection, info.name, info.config)

    async def serving(self) -> bool:
        """As Client.serving."""
        return await self._connection.run(operations.health())

"""Calls that are awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from typing import Any, TypeVar

import grpc
import grpc.aio

from prequel.connection import Endpoint, Method, Operation, Retries
from prequel.errors import DeadlineExceeded, PrequelError, from_rpc

T = TypeVar("T")


class AsyncConnection:
    """As Connection, for one event loop: the one that runs at the first call."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.reached = False  # whether the server has ever answered
        self._channel: Any = None
        self._calls: dict[str, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.endpoint,)

    async def close(self) -> None:
        if self._channel is not None:
            await self._channel.close()
            self._channel = None
            self._calls.clear()

    async def run(self, operation: Operation[T]) -> T:
        retries = Retries(operation, self.endpoint.timeout)
        while True:
            try:
                return operation.answer(await self._call(operation, retries.end))
            except PrequelError as error:
                pause = retries.pause(error)
                if pause is None:
                    raise
                await asyncio.sleep(pause)

    async def _call(self, operation: Operation[Any], end: float) -> Any:
        left = end - time.monotonic()
        if left <= 0:
            raise DeadlineExceeded(f"{self.endpoint.server} did not answer in time", from_call=True)
        try:
            call = self.bound(operation.method)
            answer = await call(operation.request, timeout=left, metadata=self.endpoint.metadata)
            self.reached = True
            return answer
        except grpc.aio.AioRpcError as error:
            raise from_rpc(error, self.endpoint.server) from None

    async def download(self, method: Method, request: bytes) -> AsyncIterator[Any]:
        """The messages of the answer, one after the other."""
        try:
            async for piece in self.bound(method)(
                request, timeout=self.endpoint.timeout, metadata=self.endpoint.metadata
            ):
                yield piece
        except grpc.aio.AioRpcError as error:
            raise from_rpc(error, self.endpoint.server) from None

    async def listen(self, method: Method, request: bytes) -> AsyncIterator[Any]:
        """The messages of an answer that goes on until nobody asks for the next."""
        call = self.bound(method)(request, metadata=self.endpoint.metadata)
        try:
            async for message in call:
                yield message
        except grpc.aio.AioRpcError as error:
            raise from_rpc(error, self.endpoint.server) from None
        finally:
            call.cancel()

    async def upload(self, method: Method, requests: Iterable[bytes]) -> Any:
        try:
            return await self.bound(method)(
                iter(requests), timeout=self.endpoint.timeout, metadata=self.endpoint.metadata
            )
        except grpc.aio.AioRpcError as error:
            raise from_rpc(error, self.endpoint.server) from None

    def bound(self, method: Method) -> Any:
        """The method, to be called on this connection's channel."""
        if self._channel is None:
            self._channel = self.endpoint.channel(grpc.aio)
        call = self._calls.get(method.path)
        if call is None:
            call = self._calls[method.path] = method.bind(self._channel)
        return call

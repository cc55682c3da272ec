"""The same client for asyncio: every call is awaited, and nothing blocks the loop."""

from prequel.aio.client import AsyncClient
from prequel.aio.model import AsyncModel
from prequel.aio.stream import AsyncLearnStream

__all__ = ["AsyncClient", "AsyncLearnStream", "AsyncModel"]

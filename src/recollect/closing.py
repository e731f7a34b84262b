"""What is closed at the end: by `close`, or by the block that it was made for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """What a `with` block closes."""

    @abstractmethod
    def close(self) -> object:
        """Give back what it holds; twice is safe."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClosing(ABC):
    """What an `async with` block closes."""

    @abstractmethod
    async def close(self) -> object:
        """Give back what it holds; twice is safe."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

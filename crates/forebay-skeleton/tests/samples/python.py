#!/usr/bin/env python3
"""Birds and where they were seen.

Counts are kept per day.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from .places import Place, nearby as close_by

if TYPE_CHECKING:
    from .weather import Weather

__all__ = ["Bird", "Sighting", "Place", "count"]

T = TypeVar("T")
LIMIT: int = 30
_cache = {}
SEASONS = {"spring": 1, "summer": 2, "autumn": 3, "winter": 4, "rain": 5}


class Bird(Generic[T]):
    """Something that flies, mostly."""

    wings: int = 2
    kind = "bird"
    _secret = 1

    def __init__(self, name: str, *, colour: str | None = None) -> None:
        self.name = name

    @property
    def song(self) -> str:
        """What it sings.

        Usually at dawn.
        """
        return self._sing()

    @staticmethod
    def of(name: str) -> "Bird":
        return Bird(name)

    async def fly(
        self,
        to: Place,
        *stops: Place,
        speed: float = 1.5,
        **options: object,
    ) -> bool:
        def inner():
            return True

        return inner()

    def _sing(self) -> str:
        return ""

    class Nest:
        eggs = 0

        def hatch(self): ...


@dataclasses.dataclass(frozen=True)
class Sighting:
    bird: Bird
    place: Place
    day: int = 0


@overload
def count(birds: list[Bird]) -> int: ...
@overload
def count(birds: int, day: int) -> int: ...
def count(birds, day=0):
    """Counts birds."""
    total = 0
    return total


def _private(): ...


try:
    import fast

    def quick(x: int) -> int:
        return fast.quick(x)
except ImportError:
    def quick(x: int) -> int:
        return x


if __name__ == "__main__":
    result = count([])
    print(result)

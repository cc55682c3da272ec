"""How long to wait before trying again: longer each time, and never in step with others."""

from __future__ import annotations

import random
import time
from collections.abc import Callable


class Backoff:
    """Pauses of 0.1 s, 0.2 s, … up to `longest`, each shortened at random by up to a half; none
    once there has been no progress for `give_up` seconds."""

    FIRST = 0.1
    LONGEST = 5.0

    def __init__(
        self,
        give_up: float,
        clock: Callable[[], float] = time.monotonic,
        longest: float = LONGEST,
    ) -> None:
        self._give_up = give_up
        self._longest = longest
        self._clock = clock
        self._pause = self.FIRST
        self.reset()

    def next(self) -> float | None:
        """The seconds before the next attempt; None: give up."""
        if self._clock() - self._progress >= self._give_up:
            return None
        pause, self._pause = self._pause, min(2 * self._pause, self._longest)
        return pause * random.uniform(0.5, 1.0)

    def reset(self) -> None:
        """There was progress."""
        self._progress = self._clock()
        self._pause = self.FIRST

"""How fast a model thinks that its world moves, and what has changed."""

from __future__ import annotations

from dataclasses import dataclass

from prequel import v1
from prequel.answers.aligned import aligned
from prequel.errors import counted


@dataclass(frozen=True)
class BeliefWeight:
    """One belief: by how much of the prior's variance it becomes less sure per row (of the weights,
    and of the outputs' intercepts), and how much it is believed. `since_restart`: it holds what was
    learned since the latest restart."""

    rate: float
    intercept_rate: float
    since_restart: bool
    weight: float


@dataclass(frozen=True)
class NoiseTrack:
    """Noise as rows tell it that count exp(-rate) times as much by each row since."""

    rate: float
    weight: float


@dataclass(frozen=True)
class Restart:
    """probability: that the world became another one within the last `window` rows; run_length:
    rows since then, or all of them, whichever is likelier."""

    probability: float
    window: float
    run_length: float


@dataclass(frozen=True)
class Drift:
    """rate, intercept_rate: averages over the beliefs by their weights, which sum to 1, or where
    `persistence` is on to what it leaves; restart: None where the dynamics think of none. `print`
    shows its table."""

    rate: float
    intercept_rate: float
    beliefs: tuple[BeliefWeight, ...]
    noise_tracks: tuple[NoiseTrack, ...]
    restart: Restart | None

    def __str__(self) -> str:
        rows = [["drift", "rate", "intercept", "weight"]]
        for belief in self.beliefs:
            still = belief.rate == 0 and belief.intercept_rate == 0
            name = "since restart" if belief.since_restart else "still" if still else "drifting"
            rates = [f"{belief.rate:.3g}", f"{belief.intercept_rate:.3g}"]
            rows.append([name, *rates, f"{belief.weight:.4f}"])
        if len(self.beliefs) > 1:
            rows.append(["on average", f"{self.rate:.3g}", f"{self.intercept_rate:.3g}", ""])
        text = aligned(rows, numbers=True)
        if self.noise_tracks:
            tracks = (f"{track.weight:.4f} at {track.rate:.3g}" for track in self.noise_tracks)
            text += f"\nnoise forgets at these rates a row: {', '.join(tracks)}"
        if self.restart:
            text += (
                f"\na restart within the last {self.restart.window:,.0f} rows: "
                f"{self.restart.probability:.4f}; the likeliest run has "
                f"{counted(round(self.restart.run_length), 'row')}"
            )
        return text

    @staticmethod
    def of(message: v1.Drift) -> Drift:
        restart = message.restart
        return Drift(
            message.rate,
            message.intercept_rate,
            tuple(
                BeliefWeight(
                    belief.rate, belief.intercept_rate, belief.since_restart, belief.weight
                )
                for belief in message.beliefs
            ),
            tuple(NoiseTrack(track.rate, track.weight) for track in message.noise_tracks),
            Restart(restart.probability, restart.window, restart.run_length)
            if message.HasField("restart")
            else None,
        )


@dataclass(frozen=True)
class Alarm:
    """Whether something has changed: "inputs", the mean or the deviation of one; "noise", its
    level; "weights", beliefs that move, or a restart, are what predicts.

    revision: at which it was raised or cleared last; times: it has been raised; and of inputs and
    noise, which moment of which column was `before` and became `after` when it was last raised.
    """

    cause: str
    raised: bool
    revision: int
    times: int
    column: str
    moment: str
    before: float
    after: float

    def __str__(self) -> str:
        if not self.raised:
            return f"{self.cause}: nothing has changed"
        return f"changed since revision {self.revision:,}: {self._change()}"

    def _change(self) -> str:
        if self.cause == "weights":
            return "beliefs that move, or a restart, predict best"
        if self.cause not in ("inputs", "noise"):
            return self.cause
        of = "the noise" if self.cause == "noise" else self.column
        return f"the {self.moment} of {of} was {self.before:.4f} and became {self.after:.4f}"

    @staticmethod
    def of(message: v1.Alarm) -> Alarm:
        return Alarm(
            message.cause,
            message.raised,
            message.revision,
            message.times,
            message.column,
            message.moment,
            message.before,
            message.after,
        )

"""What is raised when a minibatch was refused."""

from __future__ import annotations

from prequel.errors import PrequelError
from prequel.learning.ack import Tally


def refusal(tally: Tally) -> PrequelError:
    """The first minibatch that was refused, as an error that says which it was. Requires one."""
    index, error = next(iter(tally.refused.items()))
    return type(error)(
        f"minibatch {tally.resumed + index} (from 0) was refused, and {tally.minibatches} were "
        f"learned: {error.message}",
        reason=error.reason,
        violations=error.violations,
        metadata=error.metadata,
        from_call=True,
    )

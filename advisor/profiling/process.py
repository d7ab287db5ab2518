"""Run a command to its end in a child process with a time limit, and describe how it ended."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from advisor.records import ending
from advisor.records.child import Child

_LONGEST = 1 << 16  # maximum bytes of a line; the rest is cut


class Ended(Struct, frozen=True):
    """How a child ended. code: exit code, or minus the signal; None if it could not be ended (stuck in the driver).

    late: it was ended because a stage took too long; errors: the end of its stderr.
    """

    code: int | None
    late: bool
    errors: str


def run_child(
    command: Sequence[str],
    on_text: Callable[[str, bool], float | None],
    first_s: float,
    env: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Ended:
    """Run a command to its end, or end it and all its descendants if a stage takes too long.

    Call on_text with each line of stdout, and with False for an incomplete line; it returns the new time limit in
    seconds (None: no change). first_s: the limit of the first stage. Raises OSError if the command cannot be started.
    KeyboardInterrupt and signals also end the child, as does BrokenPipeError if our output is closed.
    """
    child, late = Child(command, env=env, longest=_LONGEST, clock=clock), False
    child.end_input()
    child.allow(first_s)
    try:
        with ending.output_alone():
            while (found := child.read()) is not None:
                granted = on_text(found[0].decode("utf-8", "replace"), found[1])
                if granted is not None:
                    child.allow(granted)
        code = child.wait()
    except TimeoutError:
        late, code = True, child.end()
    except BaseException:
        child.end()
        raise
    finally:
        child.close()
    return Ended(code, late, child.errors)


def ended_by(ended: Ended, during: str = "", text: str = "") -> str:
    """Return how a process ended, after its name: by a signal, or with an exit code and the last line of its errors.

    during: when, as in ` during the check`; text: output to quote if it wrote no errors.
    """
    if ended.code is not None and ended.code < 0:
        known = {int(s): s.name for s in signal.Signals}
        name = known.get(-ended.code, f"signal {-ended.code}")
        hint = ": the machine may have run out of memory" if name == "SIGKILL" else ""
        return f"was ended by {name}{during}{hint}"
    last = next(
        (row.strip() for rows in (ended.errors, text) for row in reversed(rows.splitlines()) if row.strip()), ""
    )
    return f"ended{during} with exit code {ended.code}" + (f": {last[:200]}" if last else "")

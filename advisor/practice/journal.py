"""The experiment log of an exercise: version, time, observation, hypothesis, next step."""

from __future__ import annotations

from advisor.errors import UsageError
from advisor.practice.state import LogRow, Record

_LONGEST = 500


def add(
    record: Record,
    digest: str,
    what: str,
    *,
    right: bool | None = None,
    time_ns: float | None = None,
    noise: float | None = None,
    observation: str = "",
) -> LogRow:
    """A row for a version of the source; the row of the same source is brought up to date instead of repeated."""
    if record.log and record.log[-1].digest == digest:
        row = record.log[-1]
        row.what = what
    else:
        row = LogRow(version=len(record.log) + 1, digest=digest, what=what)
        record.log.append(row)
    row.right = right if right is not None else row.right
    row.time_ns, row.noise = (time_ns, noise) if time_ns is not None else (row.time_ns, row.noise)
    row.observation = observation or row.observation
    return row


def annotate(record: Record, observation: str, hypothesis: str, next_: str) -> None:
    """Add the learner's words to the latest version; UsageError where there is none yet or a text is too long."""
    if not record.log:
        raise UsageError("the log is empty: `practice check` or `practice profile` writes its first version")
    for text in (observation, hypothesis, next_):
        if len(text) > _LONGEST:
            raise UsageError(f"a text of over {_LONGEST} characters: the log is for one line a thought")
    row = record.log[-1]
    row.observation = observation or row.observation
    row.hypothesis = hypothesis or row.hypothesis
    row.next = next_ or row.next

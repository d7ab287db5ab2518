"""How well typed questions are read: python -m tests.bench.questions [FILE.yaml…]

A file is a list of {text, intent, subject}; without one, all files of the repository are read. Prints each miss, but
not of the files that are held back (their sentences must not be seen by who tunes), then a row a file: sentences
answered rightly at once, with the right intent and subject; offered, where no reading is certain enough to be answered
and a choice of two is given instead, with how many of these have the right one first; answered wrongly, and how many
of these with confidence; the median time. Exits with 1 if a file has a wrong reading with confidence.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from advisor.records.questions import LEAST, SURE, Meaning
from advisor.session.language.counts import Counts
from advisor.session.language.forms import HOLDS
from advisor.session.language.intents import OUT_OF_SCOPE, recognise
from advisor.session.language.known import known
from advisor.session.language.lexicon import Known, read
from advisor.session.language.meaning import meaning_of, object_of
from advisor.session.language.names import squash

DATA = Path(__file__).parents[1] / "data"
# Sentences that nobody who tunes has seen, or that were set apart before tuning.
HELD_BACK = (DATA / "held_back_questions.yaml", DATA / "fresh_questions.yaml")
TUNED = tuple(sorted((DATA / "questions").glob("*.yaml")))


@dataclass(frozen=True)
class Outcome:
    """The reading of one sentence, and its time in ms."""

    wanted: dict[str, str]
    meaning: Meaning
    ms: float
    right: bool

    @property
    def confident(self) -> bool:
        """Whether the program would answer without a question back; "cannot answer that" asserts nothing."""
        return self.meaning.intent != OUT_OF_SCOPE and self.meaning.confidence >= SURE

    @property
    def offered(self) -> bool:
        """Whether the program offers readings instead of an answer."""
        return self.meaning.intent != OUT_OF_SCOPE and self.meaning.confidence < LEAST


def judge(sentences: Sequence[dict[str, str]], names: Known, table: Counts | None = None) -> list[Outcome]:
    """Return the reading of each sentence as the program reads it; table: by words alone, with these word counts."""
    recognise("warm up", names)
    out = []
    for wanted in sentences:
        start = time.perf_counter()
        meaning = meaning_of(wanted["text"], names) if table is None else recognise(wanted["text"], names, table)
        ms = 1e3 * (time.perf_counter() - start)
        right = wanted["intent"] in (meaning.intent, *HOLDS.get(meaning.intent, ())) and same_subject(
            wanted, meaning, names
        )
        out.append(Outcome(wanted, meaning, ms, right))
    return out


def same_subject(wanted: dict[str, str], meaning: Meaning, names: Known) -> bool:
    """Return whether the subject is the expected one, by the thing that its words mean."""
    text = wanted.get("subject", "")
    if not text:
        return True
    got = meaning.subject
    if got is None:
        return False
    expected = read(text, names)
    if meaning.intent == "explain" and squash(got.id) == squash(object_of(meaning.text)):
        return True  # the entry that is asked for by its own name
    if wanted["intent"] == "is_bound":
        return got.unit in (text, *(thing.unit for thing in expected.things))
    ids = {text.casefold(), expected.gpu.casefold(), *(thing.id for thing in expected.things)} - {""}
    metrics = {metric for thing in expected.things for metric in thing.metrics}
    findings = {finding for thing in expected.things for finding in thing.findings[:1]}
    return got.id.casefold() in ids or bool(metrics & set(got.metrics[:1])) or bool(findings & set(got.findings[:1]))


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the share read right, the share answered so at once, numbers of others, and the median time in ms."""
    offered = [o for o in outcomes if o.offered]
    return {
        "right": sum(o.right for o in outcomes) / len(outcomes),
        "at_once": sum(o.right and not o.offered for o in outcomes) / len(outcomes),
        "offered": len(offered),
        "offered_right": sum(o.right for o in offered),
        "wrong": sum(not o.right and not o.offered for o in outcomes),
        "confidently_wrong": sum(o.confident and not o.right for o in outcomes),
        "ms": statistics.median(o.ms for o in outcomes),
    }


def _miss(each: Outcome) -> str:
    got = each.meaning
    subject = f" [{got.subject.id}]" if got.subject is not None else ""
    wanted = f"{each.wanted['intent']} [{each.wanted.get('subject', '')}]"
    also = ", ".join(other.intent for other in got.alternatives)
    mark = "!" if each.confident else " "
    return f"{mark} {each.wanted['text']}\n      {wanted} read as {got.intent}{subject} {got.confidence} ({also})"


def main(paths: Sequence[str]) -> int:
    """Print the misses and a table of the files."""
    names, rows, wrong = known(), [], 0
    for path in [Path(path) for path in paths] or [*TUNED, *HELD_BACK]:
        outcomes = judge(yaml.safe_load(path.read_text(encoding="utf-8")), names)
        held_back = path.resolve() in HELD_BACK
        for each in outcomes:
            if not each.right and not held_back:
                print(_miss(each))
        made = summary(outcomes)
        wrong += made["confidently_wrong"]
        rows.append(
            f"{path.name[:26]:<27}{len(outcomes):>6}{100 * made['at_once']:>10.1f} %"
            f"{made['offered']:>9} ({made['offered_right']})"
            f"{made['wrong']:>8}{made['confidently_wrong']:>16}{made['ms']:>8.1f}"
        )
    print(f"{'file':<27}{'n':>6}{'at once':>12}{'offered':>13}{'wrong':>8}{'with confidence':>16}{'ms':>8}")
    print("\n".join(rows))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""How well typed questions are read: python -m tests.bench.questions FILE.yaml…

A file is a list of {text, intent, subject}. Prints each miss, then the share read with the right intent and subject,
the number of wrong readings with confidence, and the median time of a reading.
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

from advisor.records.questions import SURE, Meaning
from advisor.session.language.counts import Counts
from advisor.session.language.intents import OUT_OF_SCOPE, recognise
from advisor.session.language.known import known
from advisor.session.language.lexicon import Known, read


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


def judge(sentences: Sequence[dict[str, str]], names: Known, table: Counts | None = None) -> list[Outcome]:
    """Return the reading of each sentence; table: other word counts than those of the knowledge base."""
    recognise("warm up", names)
    out = []
    for wanted in sentences:
        start = time.perf_counter()
        meaning = recognise(wanted["text"], names, table)
        ms = 1e3 * (time.perf_counter() - start)
        right = meaning.intent == wanted["intent"] and same_subject(wanted, meaning, names)
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
    if wanted["intent"] == "is_bound":
        return got.unit in (text, *(thing.unit for thing in expected.things))
    ids = {text.casefold(), expected.gpu.casefold(), *(thing.id for thing in expected.things)} - {""}
    metrics = {metric for thing in expected.things for metric in thing.metrics}
    findings = {finding for thing in expected.things for finding in thing.findings[:1]}
    return got.id.casefold() in ids or bool(metrics & set(got.metrics[:1])) or bool(findings & set(got.findings[:1]))


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the share read right, the number read wrong with confidence, and the median time in ms."""
    return {
        "right": sum(o.right for o in outcomes) / len(outcomes),
        "intent": sum(o.meaning.intent == o.wanted["intent"] for o in outcomes) / len(outcomes),
        "confidently_wrong": sum(o.confident and not o.right for o in outcomes),
        "ms": statistics.median(o.ms for o in outcomes),
    }


def main(paths: Sequence[str]) -> int:
    """Print the misses and the summary of each file."""
    names = known()
    for path in paths:
        outcomes = judge(yaml.safe_load(Path(path).read_text(encoding="utf-8")), names)
        for each in outcomes:
            if not each.right:
                got = each.meaning
                subject = f" [{got.subject.id}]" if got.subject is not None else ""
                wanted = f"{each.wanted['intent']} [{each.wanted.get('subject', '')}]"
                also = ", ".join(other.intent for other in got.alternatives)
                mark = "!" if each.confident else " "
                print(f"{mark} {each.wanted['text']}")
                print(f"      {wanted} read as {got.intent}{subject} {got.confidence} ({also})")
        made = summary(outcomes)
        print(
            f"{path}: {100 * made['right']:.1f} % right ({100 * made['intent']:.1f} % intent), "
            f"{made['confidently_wrong']} of {len(outcomes)} wrong with confidence, median {made['ms']:.1f} ms"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The JSON document of `ask`."""

from __future__ import annotations

from typing import Literal

from advisor.records.diagnosis import Comparison
from advisor.records.questions import Meaning
from advisor.records.record import Count, Record, written
from advisor.view.blocks import in_lines
from advisor.view.pages.answers.parts import Answered


class AnswerDocument(Record, kw_only=True, tag_field="schema", tag="ncu-advisor/answer/1"):
    """Output of `ncu-advisor ask --format json`.

    meaning: how the question was read; launch, kernel: what the answer is about; answer: one sentence; verdict: of a
    yes-no question; details: the reasons, line by line; evidence: the comparisons that decide; ask_next: questions;
    run: commands.
    """

    meaning: Meaning
    report: Count
    launch: Count
    kernel: str
    answer: str
    verdict: Literal["", "yes", "no", "unknown"] = ""
    details: tuple[str, ...] = written(())
    evidence: tuple[Comparison, ...] = ()
    ask_next: tuple[str, ...] = written(())
    run: tuple[str, ...] = written(())


def answer_document(made: Answered) -> AnswerDocument:
    """Return the document of an answered question."""
    launch, answer = made.asked.launch, made.answer
    lines = (f"{line.label}: {line.text}" if line.label else line.text for line in in_lines(answer.blocks))
    return AnswerDocument(
        meaning=made.meaning,
        report=launch.report,
        launch=launch.index,
        kernel=launch.kernel,
        answer=answer.says,
        verdict=answer.truth,
        details=tuple(lines),
        evidence=answer.evidence,
        ask_next=answer.then,
        run=answer.run,
    )

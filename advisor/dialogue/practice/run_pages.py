"""What came of checking and profiling a learner's version, and the experiment log, as cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from advisor.dialogue import face
from advisor.dialogue.practice import words
from advisor.dialogue.practice.exercising import Exercising
from advisor.dialogue.records import Card, Line
from advisor.quantify.noise import spread

_REMARKS: Final = 5
_PRINTED: Final = 10


def run_cards(here: Exercising, score_card: Callable[[Any, Exercising], Card]) -> tuple[tuple[Card, ...], Any]:
    """The newest check or profile, and the comparison that a profile gave."""
    what = Card("note", words.RUN_WHAT, label=words.RUN)
    last = next((pair for pair in reversed(here.told) if pair[0] in (("check", ""), ("measure", ""))), None)
    if last is None:
        return (what,), None
    found = last[1]
    if not hasattr(found, "compared"):
        return _tried(found), None
    first = next((f for f in found.launch.findings if f.kind == "diagnosis"), None)
    lines = [Line(found.launch.verdict.title, "strong", words.CLASS)]
    lines += [Line(first.title, "strong", words.NOW_FIRST), Line(first.because)] if first is not None else []
    lines += [Line(str(found.report), "fact", words.REPORT)] if found.report is not None else []
    cards = [Card("class", words.YOUR_VERSION, tuple(lines), label=words.DIAGNOSIS)]
    if found.revealed is not None:
        cards.insert(0, score_card(found.revealed, here))
    return tuple(cards), found.compared


def _tried(found: Any) -> tuple[Card, ...]:
    tried = found.attempt
    mine = tried.mine
    if mine is None:
        failure = tried.outcome.failure
        why = Card("note", failure.words if failure is not None else words.NOTHING_RUN, label=words.NOTHING_RUN)
        built = tuple(_built(build) for build in found.builds) or (Card("note", words.PYTHON_ONLY),)
        return (*built, why, Card("next", words.RECORDED_INSTEAD))
    if mine.failure is not None:
        return (_failed(mine.failure), *_printed(tried.outcome.printed))
    if mine.wrong:
        lines = (Line(mine.wrong, "fails"), Line(words.WRONG_TIME, "quiet"))
        return (Card("error", words.WRONG, lines, label=words.RUN), *_printed(tried.outcome.printed))
    return (_timed(tried), *_printed(tried.outcome.printed))


def _timed(tried: Any) -> Card:
    lines = []
    for name, job in (("slow", tried.slow), ("mine", tried.mine), ("fast", tried.fast)):
        text = words.NOT_TIMED
        if job is not None and job.times_ns:
            s = spread(job.times_ns)
            low, high = face.duration_text(s.low), face.duration_text(s.high)
            text = words.TIMED.format(time=face.duration_text(s.median), low=low, high=high)
        lines.append(Line(text, "strong" if name == "mine" else "fact", words.TIMES[name]))
    over, to = tried.over_slow, tried.to_fast
    if over is not None:
        same = words.SAME_AS_SLOW.format(noise=over.noise)
        lines.append(Line(same if over.word == "same" else words.OVER_SLOW.format(factor=over.speedup)))
    if tried.solved:
        lines.append(Line(words.IS_SOLVED, "holds"))
    elif to is not None:
        lines.append(Line(words.TO_WIN.format(factor=to.speedup)))
    kind = "fix" if tried.solved else "change"
    return Card(kind, words.RIGHT, tuple(lines), label=words.RUN)


def _built(build: Any) -> Card:
    if build.failure is not None:
        return _failed(build.failure)
    lines = []
    for kernel in build.kernels:
        facts = (
            (kernel.registers, words.REGISTERS),
            (kernel.spill_bytes, words.SPILLS),
            (kernel.shared_bytes, words.SHARED),
        )
        said = ", ".join(text.format(count=count) for count, text in facts if count is not None)
        lines.append(Line(said, "fact", kernel.name))
    lines += [Line(f"{Path(r.file).name}:{r.line}: {r.text}", "warning") for r in build.warnings[:_REMARKS]]
    return Card("fix", f"{build.source.name}, {build.arch}, {build.compiler}", tuple(lines), label=words.COMPILED)


def _failed(failure: Any) -> Card:
    errors = [remark for remark in failure.remarks if remark.severity == "error"]
    label = words.COMPILES_NOT if errors else words.TROUBLE
    lines = tuple(Line(f"{Path(r.file).name}:{r.line}: {r.text}", "fails") for r in errors[:_REMARKS])
    return Card("error", failure.words if not errors else "", lines, label=label)


def _printed(lines: Sequence[str]) -> tuple[Card, ...]:
    if not lines:
        return ()
    return (Card("note", words.PRINTED, tuple(Line(line) for line in lines[-_PRINTED:])),)


def log_lines(here: Exercising) -> tuple[Card, ...]:
    """A card for each version of the learner's source, the newest first."""
    cards = []
    for row in reversed(here.known.log):
        time = words.LOG_WRONG if row.right is False else face.duration_text(row.time_ns) if row.time_ns else ""
        lines = [
            Line(getattr(row, key), "fact", words.LOG_LABELS[key]) for key in words.LOG_LABELS if getattr(row, key)
        ]
        head = words.ROW.format(version=row.version, what=row.what)
        cards.append(Card("change", head, tuple(lines), label=words.LOG, aside=time))
    return tuple(cards)

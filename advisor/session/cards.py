"""Cards made from diagnoses, proofs and estimates. Every sentence about a kernel comes from the knowledge base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from advisor.knowledge.base import finding_title, metric_title, unknown_text
from advisor.records.diagnosis import OVERRIDES, Comparison, Finding, LaunchDiagnosis, is_settled, main_finding
from advisor.session.records import UNIT_HINTS, Ask, Card, KnowledgeIndex, Proved
from advisor.session.state import State, is_end, launch_number
from advisor.view.blocks import Block, Command, Fact, Facts, Line, Style
from advisor.view.numbers import (
    amount_text,
    comparison_text,
    exact_text,
    outcome_text,
    shape_text,
    share_text,
    short_gain_text,
    time_text,
)
from advisor.view.pages.deciding import deciding_blocks, deciding_facts
from advisor.view.pages.estimate import estimate_lines
from advisor.view.pages.fix_room import room_facts
from advisor.view.pages.launch import (
    alternative_blocks,
    change_blocks,
    estimate_facts,
    finding_facts,
    fix_blocks,
    fix_facts,
)
from advisor.view.text import fix_status, sentence, sentence_start

if TYPE_CHECKING:
    from advisor.reasoning.engine.explain import BlockedRule, Clause, FixProof, Flip, Proof, RuleProof


NOTHING_MISSING: Final = "Every metric that a rule needs is known."
_NO_LIMIT = 1e15  # Larger upper bounds only reject absurd values and are not shown.


def overview(launch: LaunchDiagnosis, position: int, several: bool) -> Card:
    """Return the card that describes the launch: kernel, shape, duration, GPU."""
    shape = f"grid {shape_text(launch.grid)}, block {shape_text(launch.block)}"
    gpu = launch.known_as or launch.gpu_name
    facts = [f"launch {launch_number(launch, several)}"]
    facts += [] if launch.duration_ns is None else [time_text(launch.duration_ns)]
    facts += [shape] if launch.grid or launch.block else []
    facts += [gpu] if gpu else []
    return Card("overview", launch.kernel, (Line(" · ".join(facts)),), position)


def class_card(launch: LaunchDiagnosis, position: int) -> Card:
    """Return the card of the class, the reason for it, and the margin of the decision."""
    verdict = launch.verdict
    lines = (Line(sentence(verdict.because)),) if verdict.because else ()
    margin = "" if verdict.margin is None else f"margin {share_text(abs(verdict.margin))}"
    return Card("class", verdict.title or verdict.id, lines, position, label="Class", aside=margin)


def notes_card(launch: LaunchDiagnosis, position: int) -> Card | None:
    """Return the card of notes on the class: the leading unit, advice on it, where ncu's plain table would differ."""
    lines = tuple(Line(sentence(note)) for note in launch.verdict.notes)
    return Card("note", launch.verdict.title or launch.verdict.id, lines, position, label="Notes") if lines else None


def finding_card(launch: LaunchDiagnosis, finding: Finding, position: int) -> Card:
    """Return the card of a finding: speedup or its bound, reason, hot lines, open questions; of the first its fix."""
    first = main_finding(launch)
    lead = first is not None and first.id == finding.id and (finding.kind == "diagnosis" or finding.id in OVERRIDES)
    rows, costs = finding_facts(launch, finding), list(estimate_facts(finding))
    blocks: list[Block] = []
    if lead and finding.fix is not None:
        # The example comes last: a small terminal has no room for all of it.
        rest = [row for row in rows if row.label != "Hot line"]
        hottest = rows[len(rest) : len(rest) + 1]  # they come last; the card of the fix lists them all
        fix, *cost = fix_facts(finding)
        blocks = [Facts((*rest, *hottest, fix, *cost, *costs)), *change_blocks(finding.fix)]
        rows, costs = [], []
    blocks += [Facts((*rows, *costs))] if rows or costs else []
    estimated = finding.speedup is not None or launch.bound_of(finding.id) is not None
    if not estimated and finding.kind == "diagnosis" and not is_end(finding):
        blocks.append(Line("These numbers do not allow an estimate of the speedup.", "quiet"))
    if finding.id == "unexplained" and launch.deciding is not None:
        blocks += [Facts(tuple(deciding_facts(launch.deciding))), *deciding_blocks(launch.deciding)]
    if finding.undecided:
        blocks.append(Line(unknown_text(finding.undecided), "unknown", "Not known"))
    kind = {"trust": "trust", "note": "note"}.get(finding.kind, "finding")
    label = {"trust": "Caveat", "note": "Note"}.get(finding.kind, "Also found")
    if lead:
        near = "Nothing to fix" if is_settled(launch, finding) else "Possibly near the limit"
        label = near if is_end(finding) else "Fix first"
        label = "No cause found" if finding.id == "unexplained" else label
        label = "Rebuild first" if finding.id in OVERRIDES else label
    aside = f"confidence in the cause {share_text(finding.confidence)}"
    return Card(kind, finding.title, tuple(blocks), position, finding.id, label, aside)


def preview_card(
    launch: LaunchDiagnosis, finding: Finding, position: int, code: str = "", reading: bool = False
) -> Card:
    """Return the answer about a launch in short: cause, speedup, reason, hot line, fix, class, cost, an example.

    code: the text of the hot line; empty if it is not known. reading: whether the hot line is still being read.
    """
    whole = finding_card(launch, finding, position)
    found = [fact for block in whole.blocks if isinstance(block, Facts) for fact in block.rows]
    facts = {fact.label: fact for fact in reversed(found)}  # of several hot lines, the hottest
    facts["Why"] = Fact("Why", finding.because)  # the title has the confidence
    if code and "Hot line" in facts:
        facts["Code"] = Fact(" ", code)
    if reading:
        facts["Hot line"] = Fact("Hot line", "being read …")
    verdict = launch.verdict
    facts["Class"] = Fact("Class", ": ".join(text for text in (verdict.title or verdict.id, verdict.because) if text))
    order = ("Speedup", "Why", "Hot line", "Code", "Fix", "Class", "Cost")
    rest = (block for block in whole.blocks if not isinstance(block, Facts))
    return replace(whole, blocks=(Facts(tuple(facts[name] for name in order if name in facts)), *rest))


def fix_card(
    finding: Finding, position: int, where: Sequence[Line] = (), launch: LaunchDiagnosis | None = None
) -> Card:
    """Return the card of the fix: its place in the code, its steps, what to read and practise, and its cost.

    launch: for what it costs in occupancy.
    """
    fix = finding.fix
    if fix is None:
        none = Line("This is a caveat without a fix: it limits how far to trust the numbers.", "quiet")
        return Card("fix", finding.title, (none,), position, finding.id, "Fix")
    cost = [Line(sentence(fix.costs), "fact", "Cost")] if fix.costs else []
    room = () if launch is None else room_facts(finding, launch)
    reason = [Line(sentence(fix.because), "fact", "Fits because")] if fix.because else []
    blocks = (*where, *reason, *fix_blocks(fix, alternative_blocks(finding), room), *cost)
    return Card("fix", fix.summary, blocks, position, finding.id, "Fix")


def next_card(launch: LaunchDiagnosis, finding: Finding, position: int) -> Card | None:
    """Return the card of next steps: measure again, read the other findings, collect what the report lacks."""
    lines = []
    if not is_end(finding):
        lines.append(Line("Apply the fix, profile again with the same options, and compare the durations first."))
    rest = [f for f in launch.findings if f.kind == "diagnosis" and f.id != finding.id]
    for other in rest[:4]:
        gain = "" if other.speedup is None else f" ({short_gain_text(other.speedup)})"
        lines.append(Line(other.title + gain, "fact", "Also found"))
    if launch.missing:
        names = ", ".join(metric_title(m.metric) for m in launch.missing[:4])
        lines.append(Line(names + (" …" if len(launch.missing) > 4 else ""), "unknown", "Not known"))
    return Card("next", finding.title, tuple(lines), position, finding.id, "What next") if lines else None


def held(holds: bool | None) -> Style:
    """Return the style of a line that shows whether a condition holds."""
    return "unknown" if holds is None else "holds" if holds else "fails"


def evidence_lines(items: Sequence[Comparison]) -> tuple[Line, ...]:
    """Return each observation once, followed by the numbers that it depends on."""
    lines: list[Line] = []
    for item in items:
        says = Line(sentence_start(item.says or item.observation), held(item.holds))
        lines += [] if says in lines else [says]
        lines.append(Line(comparison_text(item), "quiet", depth=1))
    return tuple(lines)


def evidence_card(launch: LaunchDiagnosis, finding: Finding | None, position: int) -> Card:
    """Return a card with all comparisons behind a finding; if it is None, behind the class."""
    of = launch.verdict if finding is None else finding
    lines = evidence_lines(of.evidence) or (Line("No single number supports this finding.", "quiet"),)
    return Card("evidence", of.title, lines, position, "" if finding is None else finding.id, "Evidence")


def missing_card(launch: LaunchDiagnosis, position: int) -> Card:
    """Return a card with each missing metric, the findings that need it, and each command that collects them, once."""
    lines = []
    for item in launch.missing:
        wanted = ", ".join(map(finding_title, item.needed_for[:4])) + (" …" if len(item.needed_for) > 4 else "")
        lines.append(Line(wanted, "fact", metric_title(item.metric)))
    commands = map(Command, dict.fromkeys(item.collect for item in launch.missing if item.collect))
    body: tuple[Block, ...] = (*lines, *commands) or (Line(NOTHING_MISSING),)
    return Card("missing", "Missing metrics", body, position, label="Missing")


def question_card(ask: Ask, position: int | None) -> Card:
    """Return the card of a question: its text, its reason, its unit and range."""
    lines = [Line(sentence(ask.why), "quiet")] if ask.why else []
    if ask.kind == "page":
        return _page_card(ask, position)
    if ask.how:
        lines.insert(0, Line(sentence(ask.how)))
    if ask.kind == "number":
        lines.append(Line(sentence(range_text(ask)), "quiet"))
    at, of = ask.step
    aside = f"{at} of {of}" if of else ""
    return Card("question", ask.ask, tuple(lines), position, ask.id, "Question", aside)


def _page_card(ask: Ask, position: int | None) -> Card:
    """Return the card of a page: its rows with their units, then how to answer."""
    rows = []
    for at, row in enumerate(ask.rows, 1):
        unit = "" if row.unit in ("", "ratio", "count", "ns") else f" [{row.unit}]"
        rows.append(Line(f"{row.row}{unit}" + (f": {row.how}" if row.how else ""), "fact", f"{at}"))
    return Card("question", ask.ask, (*rows, Line(sentence(ask.why), "quiet")), position, ask.id, "Question")


def range_text(ask: Ask) -> str:
    """Return the input format of a number, and its range if that is narrower than the obvious one."""
    hint = UNIT_HINTS.get(ask.unit, UNIT_HINTS["count"] if not ask.unit else f"a number of {ask.unit}s")
    low = "" if ask.low is None or ask.low <= 1 else exact_text(ask.low, ask.unit)
    high = "" if ask.high is None or ask.high >= _NO_LIMIT else exact_text(ask.high, ask.unit)
    span = f"{low or exact_text(ask.low or 0, ask.unit)} to {high}" if high else f"{low} or more" if low else ""
    span = "" if ask.unit == "%" else span
    return ", ".join(part for part in (hint, span) if part)


def why_question_card(ask: Ask, state: State) -> Card:
    """Return the card of the reason for a question, and of the findings that its answer could change."""
    # The reason for a number is the list of conclusions that it decides: here it is complete.
    lines = [Line(sentence(ask.why))] if ask.why and ask.group != "metric" else []
    if ask.would_change:
        titles = ", ".join(state.knowledge.title(name) for name in ask.would_change)
        lines.append(Line(titles, "fact", "Could change"))
    return Card("evidence", ask.ask, tuple(lines), state.position, ask.id, "Why")


def caveats_card(launch: LaunchDiagnosis, position: int) -> Card | None:
    """Return a card with the findings that limit trust in the numbers, one per line; None if there are none."""
    lines = tuple(
        Line(f"{f.title}: {f.because}" if f.because else f.title, "warning")
        for f in launch.findings
        if f.kind == "trust" and f.id not in OVERRIDES
    )
    return Card("trust", "", lines, position, label="Caveats") if lines else None


def answer_card(ask: Ask, value: float | str | None, position: int | None) -> Card:
    """Return the card of the user's answer, in the words of the question."""
    if value is None:
        text = "I don't know"
    elif isinstance(value, str):
        text = next((c.label for c in ask.choices if c.id == value), value)
    else:
        text = exact_text(value, ask.unit)
    note = (
        (Line("Noted. The conclusion does not use this value.", "quiet"),)
        if value is None and ask.group == "question"
        else ()
    )
    return Card("answer", text, note, position, ask.id, "You")


_STYLES: Final[dict[int, Style]] = {0: "fails", 1: "unknown", 2: "holds"}
_UNLESS: Final = {0: "Not the case", 1: "Not known", 2: "Prevents it"}
_DEEPEST: Final = 6  # maximum levels shown; a proof is a tree of findings and is flatter than this in practice


def proof_lines(result: Any, concluded: str, index: KnowledgeIndex) -> tuple[Line, ...]:
    """Return the proof (records.Proved) of `concluded` as an indented tree, then its flips; empty without a proof."""
    if not isinstance(result, Proved) or not hasattr(result.proof, "rules"):
        return ()
    fixes = [line for at, fix in enumerate(result.proof.fixes) for line in _fix(fix, at == 0, index)]
    estimate = getattr(result.proof, "estimate", None)
    counted = () if estimate is None else estimate_lines(estimate)
    return (*_proof(result.proof, index, 0), *counted, *fixes, *_flips(result.flips, concluded, index))


def _fix(fix: FixProof, chosen: bool, index: KnowledgeIndex) -> list[Line]:
    """Return the lines about one fix: whether it suits, its conditions, its rule."""
    lines = [Line(f"{fix.summary}: {fix_status(fix.status, chosen)}", "strong", "Fix")]
    for clause in fix.clauses:
        lines += _clause(clause, index, 1)
    if fix.cites:
        lines.append(Line("; ".join(index.source(key) for key in fix.cites), "quiet", "Source"))
    return [*lines, Line(fix.rule_id, "quiet", "Rule")] if fix.clauses else lines


def _flips(flips: tuple[Flip, ...], concluded: str, index: KnowledgeIndex) -> list[Line]:
    """Return the nearest values that flip the conclusion, and the conclusions just beyond each.

    A value that flips one of several reasons but not the conclusion gets no line.
    """
    turning = [flip for flip in flips if concluded not in (flip.then.class_id, *flip.then.findings)]
    lines = (
        [Line("The verdict flips if" if turning else "No change of a single value flips the verdict.", "strong")]
        if flips
        else []
    )
    for flip in turning:
        at, now = amount_text(flip.turns_at, flip.unit), amount_text(flip.value, flip.unit)
        after = "; ".join(index.title(name) for name in (flip.then.class_id, *flip.then.findings) if name)
        lines.append(Line(f"{metric_title(flip.metric)} = {at} (now {now})", depth=1))
        lines.append(Line(f"then: {after}", "quiet", depth=2))
    return lines


def blocked_lines(rules: Any, index: KnowledgeIndex) -> tuple[Line, ...]:
    """Return the reasons why a finding was not concluded (a tuple of engine.BlockedRule), rule by rule."""
    if not isinstance(rules, tuple) or not rules:
        return (Line("No rule concludes this about a single launch.", "quiet"),)
    return tuple(line for rule in rules if hasattr(rule, "failing") for line in _blocked(rule, index))


def _proof(proof: Proof, index: KnowledgeIndex, depth: int) -> list[Line]:
    if not proof.rules:
        return [Line("This was not concluded.", "quiet", depth=depth)]
    return [line for rule in proof.rules for line in _rule(rule, index, depth)]


def _rule(rule: RuleProof, index: KnowledgeIndex, depth: int) -> list[Line]:
    lines = [Line(sentence_start(rule.because), "strong", "Because", depth)] if rule.because else []
    for clause in rule.clauses:
        lines += _clause(clause, index, depth + 1)
    if rule.cites:
        lines.append(Line("; ".join(index.source(key) for key in rule.cites), "quiet", "Source", depth))
    lines.append(Line(rule.rule_id, "quiet", "Rule", depth))
    return lines


def _clause(clause: Clause, index: KnowledgeIndex, depth: int) -> list[Line]:
    """Return the lines of one condition. An `unless` that is false allows the rule: the mark and the label show it."""
    lets = clause.truth if clause.role == "when" else 2 - clause.truth
    negated = _UNLESS[clause.truth] if clause.role == "unless" else ""
    # What a conclusion's rules lack is no text about the conclusion itself.
    of_other = bool(clause.evidence) and clause.evidence[0].observation != clause.name
    if not clause.evidence or of_other:
        name = clause.name.partition(".")[2] if clause.name.startswith(("class.", "found.")) else clause.name
        lines = [Line(index.title(name), _STYLES[lets], negated, depth)]
        lines += [Line(comparison_text(item), "quiet", depth=depth + 1) for item in clause.evidence]
    else:
        says = clause.evidence[0].says or clause.name
        lines = [Line(sentence_start(says), _STYLES[lets], negated, depth)]
        # If there are several comparisons, each shows whether it holds.
        several = len(clause.evidence) > 1
        deciding = sorted(clause.evidence, key=lambda item: item.holds is not clause.holds)
        for item in clause.evidence if clause.holds else deciding:
            text = comparison_text(item) if clause.holds else outcome_text(item)
            lines.append(Line(text, held(item.holds) if several else "quiet", depth=depth + 1))
    if clause.proof is not None and depth < _DEEPEST:
        lines += _proof(clause.proof, index, depth + 1)
    return lines


def _blocked(rule: BlockedRule, index: KnowledgeIndex) -> list[Line]:
    lines = [Line(rule.rule_id, "strong", "Rule")]
    if rule.fired:
        lines.append(Line("This rule concluded the finding.", "holds", depth=1))
    for label, clauses in (
        ("Does not hold", rule.failing),
        ("Unknown", rule.unknown),
        ("Blocked by", rule.blocking),
    ):
        for clause in clauses:
            first, *rest = _clause(clause, index, 1)
            lines += [Line(first.text, first.style, label, 1), *rest]
    if rule.cites:
        lines.append(Line("; ".join(index.source(key) for key in rule.cites), "quiet", "Source"))
    return lines

"""What a session tells, kernel by kernel, read off its state: which were looked at, what was concluded and gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from advisor.compare.records import Pair
from advisor.records.diagnosis import ENDS, Comparison, Finding, LaunchDiagnosis
from advisor.session.records import Card, Experiment
from advisor.session.state import State
from advisor.session.transcripts.serialize import WRITTEN
from advisor.view.numbers import gain_text, speedup_text, time_text
from advisor.view.pages.launch import first_diagnosis
from advisor.view.text import NAME_WIDTH, cut, shown, title_text

# What stands elsewhere on the page, or is only about the program.
_UNTOLD = ("overview", "help", "steps")


def conversation(cards: Iterable[Card]) -> list[Card]:
    """The turns that say something to a reader; where the session was saved is not among them."""
    return [card for card in cards if card.kind not in _UNTOLD and not (card.kind == "note" and card.title == WRITTEN)]


@dataclass(frozen=True, slots=True)
class Step:
    """From one version to the next: names, the change in words, both compared."""

    before: str
    after: str
    change: str
    pair: Pair


@dataclass(frozen=True, slots=True)
class Subject:
    """A kernel that the session is about.

    launch: as it is now, None where nothing was read or concluded, or its report is not open any more; told: whether
    its class was shown; cards: all turns about it, its former versions' too; experiments, earlier and steps: its
    versions, empty where there is one.
    """

    position: int | None
    launch: LaunchDiagnosis | None
    told: bool
    cards: tuple[Card, ...]
    experiments: tuple[Experiment, ...] = ()
    earlier: tuple[tuple[LaunchDiagnosis, str], ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def name(self) -> str:
        """The kernel, and which launch it is where there is one version only."""
        if self.launch is not None:
            return cut(shown(self.launch.kernel), NAME_WIDTH) if self.steps else title_text(self.launch, 0)
        return next((card.title for card in self.cards if card.kind == "overview"), "")

    @property
    def version(self) -> str:
        """The name of the version at hand, empty where there is one only."""
        return self.experiments[-1].version if self.experiments else ""


def subjects(state: State) -> tuple[Subject, ...]:
    """The kernels in the order in which they were looked at; what is about none comes first, with position None."""
    whole = state.numbers
    places: dict[int | None, list[Card]] = {}
    for card in state.cards:
        place = (state.position if state.position is not None else 0) if whole else card.position
        places.setdefault(place, []).append(card)
    if state.launch is not None and state.place == "launch":
        places.setdefault(state.position, [])
    return tuple(_subject(state, place, tuple(places[place])) for place in sorted(places, key=lambda p: p is not None))


def _subject(state: State, position: int | None, cards: tuple[Card, ...]) -> Subject:
    launch = _launch(state, position, cards)
    told = any(card.kind == "class" and not card.past for card in cards)
    told = told or (state.numbers and launch is not None and launch.verdict.id != "undetermined")
    steps = _steps(state, cards)
    if not steps:
        return Subject(position, launch, told, cards)
    return Subject(position, launch, told, cards, state.experiments, state.earlier, steps)


def _launch(state: State, position: int | None, cards: Sequence[Card]) -> LaunchDiagnosis | None:
    """The launch at this place, unless the report that the conversation was about gave way to another."""
    if position is None or state.diagnosis is None or position >= len(state.diagnosis.launches):
        return None
    launch = state.diagnosis.launches[position]
    names = [card.title for card in cards if card.kind == "overview" and not card.past]
    return launch if not names or names[-1] == launch.kernel or state.numbers else None


def _steps(state: State, cards: Iterable[Card]) -> tuple[Step, ...]:
    """The comparisons of the versions; the log has a row for each and one for what was before the first."""
    pairs = {card.finding: card.detail for card in cards if card.kind == "compared" and isinstance(card.detail, Pair)}
    rows = state.experiments
    return tuple(
        Step(before.version, row.version, row.change, pairs[row.version])
        for before, row in pairwise(rows)
        if row.version in pairs
    )


def class_told(subject: Subject) -> str:
    """The class and why; of several versions the first one's too, where it was another."""
    launch = subject.launch
    if launch is None:
        return "nothing was concluded"
    now = f"{launch.verdict.title or launch.verdict.id}: {launch.verdict.because}"
    if subject.earlier and subject.earlier[0][0].verdict.id != launch.verdict.id:
        first = subject.earlier[0][0].verdict
        return f"{first.title or first.id} at first, in {subject.version} {now}"
    return now


def first_told(subject: Subject) -> str:
    """What was to fix first, with what it promises; of several versions what is next."""
    if subject.earlier:
        begun = _first(subject.earlier[0][0])
        now = _first(subject.launch) if subject.launch is not None else "nothing"
        return f"{begun} at first; in {subject.version}: {now}"
    return _first(subject.launch) if subject.launch is not None else "nothing was found"


def _first(launch: LaunchDiagnosis) -> str:
    found = first_diagnosis(launch)
    if found is None:
        return "nothing was found to fix"
    if found.id in ENDS:
        return f"nothing: {found.title}"
    return f"{found.title}{_promise(found)}"


def _promise(found: Finding) -> str:
    gain = found.speedup
    return "" if gain is None else f", expected to give {gain_text(gain.estimate, gain.low, gain.high)}"


def gave_told(subject: Subject) -> str:
    """What the changes gave, measured; that nothing was measured where there is one version only."""
    if not subject.steps:
        found = first_diagnosis(subject.launch) if subject.launch is not None else None
        if found is not None and found.id in ENDS:
            return "nothing was tried: the kernel is near what the card can do"
        return "not measured: no report of a changed version was given"
    first, last = subject.experiments[0], subject.experiments[-1]
    if not first.duration_ns or not last.duration_ns:
        word = subject.steps[-1].pair.judged
        return "unknown: the time of a version is not known" if word is None else speedup_text(word.speedup)
    ratio = first.duration_ns / last.duration_ns
    span = f"{time_text(first.duration_ns)} in {first.version}, {time_text(last.duration_ns)} in {last.version}"
    judged = subject.steps[-1].pair.judged
    if judged is not None and len(subject.steps) == 1 and judged.word == "same":
        return f"{span}: no difference beyond noise"
    if ratio >= 1:
        return f"{span}: {speedup_text(ratio)}"
    return f"{span}: slower, {speedup_text(1 / ratio)} as long"


def evidence(launch: LaunchDiagnosis) -> list[tuple[str, tuple[Comparison, ...]]]:
    """What each conclusion rests on: the class first, then the findings; of an `or` those parts that hold."""
    found = [(launch.verdict.title or launch.verdict.id, launch.verdict.evidence)]
    found += [(finding.title, finding.evidence) for finding in launch.findings]
    return [(title, tuple(_carrying(items))) for title, items in found if items]


def _carrying(items: Sequence[Comparison]) -> Iterable[Comparison]:
    holding = {item.observation for item in items if item.holds}
    return dict.fromkeys(item for item in items if item.holds or item.observation not in holding)


def cites(told: Sequence[Subject]) -> tuple[str, ...]:
    """The keys of all sources that what was told rests on, in the order of their first use."""
    keys: dict[str, None] = {}
    for subject in told:
        if subject.launch is not None and subject.told:
            for finding in subject.launch.findings:
                keys.update(dict.fromkeys(finding.cites))
            for _, items in evidence(subject.launch):
                keys.update(dict.fromkeys(key for item in items for key in item.cites))
        for step in subject.steps:
            keys.update(dict.fromkeys((*step.pair.next.cites, *(k for c in step.pair.conditions for k in c.cites))))
        for card in subject.cards:
            proof = getattr(card.detail, "proof", None) if card.kind == "proof" else None
            keys.update(dict.fromkeys(key for rule in getattr(proof, "rules", ()) for key in rule.cites))
            rules = card.detail if card.kind == "proof" and isinstance(card.detail, tuple) else ()
            keys.update(dict.fromkeys(key for rule in rules for key in getattr(rule, "cites", ())))
    return tuple(keys)

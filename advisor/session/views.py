"""The contents of views: the places of findings in the code, and the requests whose results an open view needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from advisor.records.diagnosis import Finding, LaunchDiagnosis, Location, main_finding
from advisor.session.cards import finding_card, fix_card, preview_card
from advisor.session.records import Card
from advisor.session.requests import Failed, Locate, Prove, Request, Suppose
from advisor.session.state import State, best_position
from advisor.session.transitions import settled, wait
from advisor.view.blocks import Line
from advisor.view.pages.launch import location_text
from advisor.view.text import source_line

if TYPE_CHECKING:
    from advisor.source.viewer import Seen

_KEPT: Final = 8  # maximum results kept per kind of request, so that going back is fast


def plain(request: Request) -> bool:
    """Return whether the request of the source view covers all of the code, by the finding's own measure."""
    return isinstance(request, Locate) and not (request.by or request.search or request.where)


def _located(state: State, position: int | None) -> list[Any]:
    """Return the source results of a launch, failures included, the newest first."""
    asked = ((request, result) for request, result in reversed(state.results) if plain(request))
    return [result for request, result in asked if getattr(request, "position", None) == position]


def read(state: State, position: int | None = None) -> list[Seen]:
    """Return the views of a launch (None: the selected one) that were read without a filter, the newest first."""
    found = _located(state, state.position if position is None else position)
    if not found:
        return []
    from advisor.source.viewer import Seen  # the readers of code load slowly, and have read something

    return [result for result in found if isinstance(result, Seen)]


def places(state: State, finding: Finding, position: int | None = None) -> tuple[Location, ...]:
    """Return the places of a finding of a launch (None: the selected one); empty if unknown or not read yet."""
    if finding.locations:
        return finding.locations
    for seen in read(state, position):
        if seen.wanted is not None and seen.wanted.own and seen.wanted.finding == finding.id:
            return seen.places
    return ()


def located(state: State, finding: Finding, position: int | None = None) -> Finding:
    """Return the finding of a launch (None: the selected one) with its places, as far as they were read."""
    return replace(finding, locations=places(state, finding, position))


def where(state: State, finding: Finding) -> list[Line]:
    """Return the places of a finding as lines of a card, or why they are unknown; empty if it has no place."""
    found = places(state, finding)
    if found:
        return [
            Line(f"{location_text(place)}{_array(state, place)}", "fact", "At" if at == 0 else " ")
            for at, place in enumerate(found)
        ]
    if finding.id not in state.knowledge.placed or not _readable(state, state.launch):
        return []
    last = next(iter(_located(state, state.position)), None)
    failed = last.message if isinstance(last, Failed) else ""
    reading = any(isinstance(one, Locate) and one.finding == finding.id for one in state.waiting)
    text = "being read …" if reading else "not read from the report yet; s (or /source) shows lines and instructions"
    return [Line(failed or text, "unknown", "At")]


def _readable(state: State, launch: LaunchDiagnosis | None) -> bool:
    """Return whether the launch comes from a report that can contain instructions."""
    diagnosis = state.diagnosis
    if state.numbers or launch is None or diagnosis is None or launch.report >= len(diagnosis.reports):
        return False
    return diagnosis.reports[launch.report].format == "ncu-rep"


def _array(state: State, place: Location) -> str:
    """Return `, array tile` for the shared array that a place reads or writes; empty if that is unknown."""
    for seen in read(state):
        groups = [group for group in seen.view.shared if (place.file, place.line) in group.lines]
        names = {str(group.array) for group in groups if set(place.sass.split()) & set(group.opcodes)}
        if len(names) == 1:
            return f", array {names.pop()}"
    return ""


def ask_for_hot_lines(state: State) -> State:
    """Request the hot lines of the first finding, of the selected launch or of the one whose fix saves most time.

    A session that asks for predictions reads them only on request.
    """
    if state.diagnosis is None or state.numbers or state.expects or state.view:
        return state
    position = state.position if state.place == "launch" else best_position(state.diagnosis.launches)
    if position is None or state.place not in ("launch", "launches") or position >= len(state.diagnosis.launches):
        return state
    request = hot_line_request(state, position) or _producers_request(state, position)
    if request is not None:
        return wait(state, request)
    finding = main_finding(state.diagnosis.launches[position])
    # Lines read while the list was shown belong on the card that opening the launch adds.
    return state if finding is None else with_hot_lines(state, Locate(position, finding=finding.id))


def hot_line_request(state: State, position: int) -> Locate | None:
    """Return the request for the hot lines of a launch's first finding; None if they are known or cannot be read."""
    launch = None if state.diagnosis is None else state.diagnosis.launches[position]
    finding = None if launch is None else main_finding(launch)
    if finding is None or finding.id not in state.knowledge.placed or not _readable(state, launch):
        return None
    request = Locate(position, finding=finding.id)
    known = finding.locations or places(state, finding, position) or state.result(request) is not None
    return None if known else request


def _producers_request(state: State, position: int) -> Locate | None:
    """Return the request for the code of an open launch whose finding has no place, but whose issue slots are lost."""
    launch = None if state.diagnosis is None else state.diagnosis.launches[position]
    if state.place != "launch" or launch is None or launch.issue_slots is None or not _readable(state, launch):
        return None
    finding = main_finding(launch)
    if finding is not None and finding.id in state.knowledge.placed:
        return None  # its places come with them
    request = Locate(position)
    return None if state.result(request) is not None else request


def with_hot_lines(state: State, request: Locate) -> State:
    """Show the hot lines that were read on the cards of their finding."""
    if state.diagnosis is None or not plain(request):
        return state
    launch = state.diagnosis.launches[request.position]
    finding = next((f for f in launch.findings if f.id == request.finding), None)
    if finding is None or finding.locations:
        return state
    placed = located(state, finding, request.position)
    if not placed.locations:
        return state
    made = [finding_card(launch, placed, request.position)]
    if request.position == state.position:
        made.append(fix_card(finding, request.position, where(state, finding), state.launch))
    anew = {(card.kind, card.position, card.finding, False): card for card in made}
    cards = tuple(anew.get((card.kind, card.position, card.finding, card.past), card) for card in state.cards)
    return state if cards == state.cards else replace(state, cards=cards)


def preview(state: State, position: int) -> tuple[Card, ...]:
    """Return the card with the answer about a launch before it is opened; none if a prediction comes first."""
    if state.diagnosis is None or not 0 <= position < len(state.diagnosis.launches):
        return ()
    launch = state.diagnosis.launches[position]
    finding = main_finding(launch)
    if state.expects or finding is None:
        return ()
    placed = located(state, finding, position)
    reading = hot_line_request(state, position) is not None
    return (preview_card(launch, placed, position, _code(state, placed.locations[:1], position), reading),)


def _code(state: State, places: tuple[Location, ...], position: int) -> str:
    """Return the source text of the first place, as far as it was read."""
    texts = (seen.view.texts.get((place.file, place.line), "") for place in places for seen in read(state, position))
    return source_line(next(filter(None, texts), ""))


def requests_of(state: State) -> tuple[Request, ...]:
    """Return the requests whose results the open view shows, the most important first."""
    launch, position = state.launch, state.position
    if launch is None or position is None:
        return ()
    if state.view == "source":
        return (state.source_query,) if state.source_query is not None else ()
    if state.view == "proof":
        concluded = state.view_subject == launch.verdict.id or state.concluded(state.view_subject)
        return (Prove("how" if concluded else "why_not", position, state.view_subject, quiet=True),)
    if state.view == "whatif":
        # The proof of the class contains the values that flip it.
        flips = Prove("how", position, launch.verdict.id, quiet=True)
        return (Suppose(position, state.supposing, quiet=True), flips) if state.supposing else (flips,)
    return ()


def ask_for_view(state: State) -> State:
    """Request the contents of the open view, and of no other view; repeat failed requests."""
    wanted = requests_of(state)
    results = tuple(pair for pair in state.results if pair[0] not in wanted or not isinstance(pair[1], Failed))
    waiting = tuple(r for r in state.waiting if not is_for_view(r) or r in wanted)
    state = replace(state, results=results, waiting=waiting)
    for request in wanted:
        state = state if state.result(request) is not None else wait(state, request)
    return state


def is_for_view(request: Request) -> bool:
    """Return whether the result is for a view only, without a card."""
    return isinstance(request, Locate) or bool(getattr(request, "quiet", False))


def leave_view(state: State) -> State:
    """Return to where the view was opened, and stop waiting for its contents."""
    if not state.view:
        return state
    *under, (view, subject) = state.view_stack or (("", ""),)
    left = replace(state, view=view, view_subject=subject, view_stack=tuple(under))
    return ask_for_view(left if view else replace(left, supposing=()))


def keep_result(state: State, request: Request, result: Any) -> State:
    """Keep the result (or the Failed) of a view's request, and only the newest results of each kind.

    Results of searches are dropped first, since cards and evidence need the results without one.
    """
    results = [pair for pair in state.results if pair[0] != request]
    alike = [pair for pair in results if type(pair[0]) is type(request)]
    if len(alike) >= _KEPT:
        results.remove(next((pair for pair in alike if not plain(pair[0])), alike[0]))
    return replace(state, results=(*results, (request, result)))


def view_failed(state: State, outcome: Failed) -> State:
    """Keep the failure of a view's request: the view shows it."""
    after = settled(state, outcome.request)
    return state if after is None else keep_result(after, outcome.request, outcome)


def diagnosed_anew(state: State) -> State:
    """After new conclusions, drop results that depend on the former ones; an open view requests them again."""
    kept = tuple(pair for pair in state.results if not isinstance(pair[0], Prove | Suppose))
    return ask_for_view(replace(state, results=kept))

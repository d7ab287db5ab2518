"""Laws of the understanding: any text, any state."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from session.test_commands import opened
from session.test_reducer_laws import PATHS, STEPS, walk

from advisor.session import events as e
from advisor.session.actions import COMMANDS
from advisor.session.choices import choices
from advisor.session.language.names import squash
from advisor.session.language.understand import completions, event_of, understand
from advisor.session.records import Choice
from advisor.session.reducer import reduce
from advisor.session.state import State

WORDS = st.sampled_from(
    (
        *("dram", "l2", "=", "70", "83%", "1.2 TB/s", ",", "and", "what", "is", "if", "why", "not", "how", "compare"),
        *("with", "x.ncu-rep", "open", "i expect", "memory", "goto", "2b", "/", "/how", "/whatif", "/source", "2^20"),
        *("/export", "banana", "\ud800", "\x00", "\x1b[2J", "[bold]", "\u202e", "'", '"', "~nobody/x", "//", "(", "\\"),
    )
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(WORDS, max_size=8).map(" ".join),
    st.tuples(st.sampled_from(list(COMMANDS)), st.text(max_size=30)).map(lambda t: f"/{t[0]} {t[1]}"),
)


@settings(max_examples=300, deadline=None)
@given(TEXTS, STEPS, PATHS)
def test_any_text_is_understood_or_answered_in_any_state_and_completing_it_never_raises(text, steps, paths):
    state = walk(steps[:6], paths)[-1]
    event = understand(text, state)
    assert (event is None) == (not text.split())
    completions(text, state, lambda typed, endings: ())
    if event is not None:
        after = reduce(state, event)
        assert after.log[: len(state.log)] == state.log or isinstance(event, e.Back)


def unique(text: str, choice: Choice, state: State) -> bool:
    """Whether this choice alone has a name that equals the text, or begins with it where none equals it."""
    listed = [c for c in choices(state) if not c.id.startswith("meant:")]
    names = {c.id: [squash(word) for word in (*c.words, c.label, c.id)] for c in listed}
    wanted = squash(text)
    equal = [name for name, own in names.items() if wanted in own]
    begun = [name for name, own in names.items() if any(word.startswith(wanted) for word in own)]
    return (equal or begun) == [choice.id]


@settings(max_examples=150, deadline=None)
@given(STEPS, PATHS, TEXTS)
def test_every_choice_can_be_taken_by_its_number_its_label_and_a_beginning_of_its_own(steps, paths, text):
    state = walk(steps, paths)[-1]
    event = understand(text, state)
    state = state if event is None else reduce(state, event)
    offered = choices(state)
    typed_freely = state.ask is not None and state.ask.kind in ("number", "text")
    for at, choice in enumerate(offered, 1):
        wanted = event_of(choice.id, state)
        assert wanted is not None
        if state.place == "start":
            continue
        if not typed_freely:
            assert same(understand(str(at), state), wanted)
        if choice.id.startswith("meant:") or unique(choice.label, choice, state):
            assert same(understand(choice.label, state), wanted)
        for length in range(3, min(len(choice.label), 12)):
            begun = choice.label[:length].strip()
            if not choice.id.startswith("meant:") and unique(begun, choice, state) and not typed_freely:
                assert same(understand(begun, state), wanted), begun


def same(event: e.Event | None, wanted: e.Event) -> bool:
    """Equal but for the words in which it was said."""
    if isinstance(event, e.Answered) and isinstance(wanted, e.Answered):
        return (event.question, event.value) == (wanted.question, wanted.value)
    if isinstance(event, e.Volunteered) and isinstance(wanted, e.Volunteered):
        return event.values == wanted.values
    return event == wanted


def test_every_command_of_the_help_is_understood():
    given = {"finding": "tail_effect", "step": "1", "word": "occupancy", "file": "new.ncu-rep", "md|html|json": "md"}
    given["question"] = "is it slow"
    for command in COMMANDS.values():
        wanted = command.takes.split()[0] if command.takes and not command.takes.startswith("[") else ""
        event = understand(f"/{command.name} {given.get(wanted, '')}", opened())
        refused = {"goto": "steps of the factory", "skip": "nothing is asked", "back": "nothing to undo"}
        assert not isinstance(event, e.NotUnderstood) or command.name in refused, command.name


@settings(max_examples=200, deadline=None)
@given(TEXTS, STEPS, PATHS)
def test_what_could_have_been_meant_is_understood_as_typed(text, steps, paths):
    state = walk(steps[:6], paths)[-1]
    event = understand(text, state)
    if isinstance(event, e.NotUnderstood):
        for line in event.meant:
            again = understand(line, state)
            assert again is not None
            # Only what must be chosen among may be asked back, and never the same again.
            assert again != event

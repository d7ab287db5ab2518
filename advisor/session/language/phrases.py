"""What may be said without a slash: plain sentences of a few fixed shapes, each as the command that it stands for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from advisor.session import events as e
from advisor.session.choices import choices, event_of
from advisor.session.language import files
from advisor.session.language import words_commands as words
from advisor.session.language.slash import DOES, Slash, event_of_command, named
from advisor.session.language.suggestions import squash
from advisor.session.state import State

_LONGEST: Final = 4000
_POLITE = re.compile(
    r"^(?:please|can you|could you|would you|let me|let us|let's|i want to|i would like to|i'd like to|now)\s+", re.I
)
_SHOW = re.compile(r"^(?:show me|show|open|see|give me|list|view|display|tell me|take me to|look at)\s+", re.I)
_ARTICLE = re.compile(r"^(?:(?:the|my|all|its|this|that|me|of)\s+)+", re.I)
_BOUND = re.compile(
    r"^(?:i\s+)?(?:expect|think|guess|bet|believe|suspect|would say|assume)\s+(?:that\s+)?"
    r"(?:(?:it|this|the kernel)\s+)?(?:to be\s+|is\s+|should be\s+|will be\s+)?(?P<rest>.+)$",
    re.I,
)
_WHAT_IS = re.compile(
    r"^(?:what(?:\s+is|\s+are|'s|’s|s)|what\s+do(?:es)?|whats|explain|define|tell me about|meaning of|what about)\s+"
    r"(?:(?:the|a|an|meaning of)\s+)*(?P<rest>.+?)(?:\s+means?|\s+stands? for|\s+do)?$",
    re.I,
)


# Commands that would take any words: without a slash they are meant only where a file is named.
_TAKES_ANYTHING: Final = ("compare", "timeline", "save", "version", "source")


def phrase(text: str, state: State) -> e.Event | None:
    """The event that the words stand for now; None where they are no phrase that is known."""
    line = text[:_LONGEST].rstrip("?!. ").strip()
    line = _POLITE.sub("", line)
    if not line:
        return None
    said = words.SAID.get(squash(line))
    if said is not None:
        return _do(said, "", state)
    if squash(line) in ("what next", "what now", "next", "go on", "continue", "and now"):
        return _next(state)
    for pattern, make in _SHAPES:
        found = pattern.match(line)
        event = make(found["rest"].strip(), state) if found else None
        if event is not None:
            return event
    return _command(line, state) or _shown(line, state)


def _do(name: str, rest: str, state: State) -> e.Event:
    return event_of_command(Slash(name, " ".join(rest.split()), rest), state)


def _next(state: State) -> e.Event | None:
    """The likeliest choice."""
    offered = [choice for choice in choices(state) if not choice.id.startswith("meant:")]
    return event_of(offered[0].id, state) if offered and state.ask is None else None


def _command(line: str, state: State) -> e.Event | None:
    """A command without its slash: alone, or with what it takes, if that makes sense."""
    first, _, rest = line.partition(" ")
    name = first.casefold()
    if name not in DOES or (rest and not words.BY_NAME[name].takes):
        return None
    if rest and name in _TAKES_ANYTHING and not files.names_file(rest):
        return None
    event = _do(name, rest, state)
    return None if rest and isinstance(event, e.NotUnderstood) else event


def _shown(line: str, state: State) -> e.Event | None:
    """`show me the source` and the like."""
    bare = _SHOW.sub("", line)
    bare = _ARTICLE.sub("", bare).strip()
    if bare == line:
        return None
    said = words.SAID.get(squash(bare))
    return _do(said, "", state) if said is not None else _command(bare, state)


def _opened(rest: str, state: State) -> e.Event | None:
    """A file: a trace is read, a report is set beside the one at hand."""
    path = files.named_file(rest)
    if not path:
        return None
    return e.TraceGiven((path,)) if files.is_trace(path) else e.ReportGiven(path)


def _compared(rest: str, state: State) -> e.Event | None:
    path, change = files.file_and_rest(rest)
    return e.ReportGiven(path, change) if files.names_file(rest) else None


def _why(rest: str, state: State) -> e.Event | None:
    """Why a finding: how it was concluded; of one that was not found here, why not."""
    launch = state.launch
    here = {} if launch is None else {f.id: f.title for f in launch.findings}
    name, _ = named(rest, here)
    if name:
        return e.HowAsked(name)
    name, _ = named(rest, dict(state.lore.findings))
    return e.WhyNotAsked(name) if name else None


def _why_not(rest: str, state: State) -> e.Event | None:
    return _do("whynot", rest, state)


def _what_is(rest: str, state: State) -> e.Event | None:
    return _do("explain", rest, state)


def _expected(rest: str, state: State) -> e.Event | None:
    plain = squash(rest).removesuffix(" bound").removesuffix(" limited").removesuffix(" bottleneck")
    bound = next((name for name, said in words.BOUNDS.items() if plain in said), "")
    return e.Expected(bound) if bound else None


def _going(rest: str, state: State) -> e.Event | None:
    event = _do("goto", rest, state)
    return None if isinstance(event, e.NotUnderstood) else event


def _kernel(rest: str, state: State) -> e.Event | None:
    event = _do("kernel", rest, state)
    return None if isinstance(event, e.NotUnderstood) else event


def _shape(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"^{pattern}\s+(?P<rest>.+)$", re.I | re.S)


_SHAPES: Final[tuple[tuple[re.Pattern[str], Callable[[str, State], e.Event | None]], ...]] = (
    (_shape("(?:what if|suppose|what would happen if|and if)"), lambda rest, state: _do("whatif", rest, state)),
    (_shape("(?:why not|why no|why is (?:it|this|there) (?:not|no)|why isn't (?:it|this|there))"), _why_not),
    (_shape("(?:why is it|why is there|why|how did you find|how do you know about|how)"), _why),
    (_WHAT_IS, _what_is),
    (_shape("(?:compare (?:it |this )?(?:with|to|against)|compare)"), _compared),
    (_shape("(?:open|read|load|use)"), _opened),
    (_BOUND, _expected),
    (_shape("(?:go to|jump to|step|go to step)"), _going),
    (_shape("(?:launch|kernel|go to kernel|go to launch|another kernel|look at)"), _kernel),
    (
        _shape("save(?: it| this| the session)? (?:as|to|in|into)"),
        lambda rest, state: _do("save", rest, state),
    ),
    (
        _shape("export(?: it| this| the session)? (?:as|to|in|into)"),
        lambda rest, state: _do("export", rest, state),
    ),
)

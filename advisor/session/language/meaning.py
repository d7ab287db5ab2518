"""The one way from a typed question to its meaning, for the session and for `ncu-advisor ask`."""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from advisor.records.questions import LEAST, RESIDENT, SPILLED, Alternative, Meaning, Subject
from advisor.session.language.forms import HOLDS, by_form
from advisor.session.language.intents import DOUBT, OUT_OF_SCOPE, recognise
from advisor.session.language.lexicon import Known
from advisor.session.language.names import pick, squash

_ENTRY: Final = re.compile(
    r"(?:what(?:\s+(?:is|are|does|do)|'s|s)?|explain|define|meaning of|tell me about)\s+", re.IGNORECASE
)
_MEANT: Final = re.compile(r"\s+(?:means?|stands? for|do)$", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"^(?:the|a|an|my|this|that)\s+", re.IGNORECASE)
_WHAT_IS: Final = re.compile(r"^(?:what is|what's|what are)\s+(?:the|a|an)\s", re.IGNORECASE)
_SPEEDUP: Final = "estimated_speedup"  # the entry for a number such as 3.1x
# A number as the pages show it: `3.1x`, `36 % margin`, `confidence of 65 %`.
_SHOWN: Final = re.compile(
    r"(?:~?\d[\d.,]*\s*(?:x|×|times)(?:\s*(?:faster|speedup|speed up))?(?:\s*\(.*\))?"
    r"|(?:\d[\d.,]*\s*%?\s*(?:of\s+)?)?(?P<of>margin|confidence)(?:\s*(?:of\s+)?\d[\d.,]*\s*%?)?)",
    re.IGNORECASE,
)


def meaning_of(text: str, known: Known) -> Meaning:
    """Return how a question is read: an entry asked for by its name, a form with one meaning, else by its words."""
    entry = shown_entry(text) or _named(object_of(text), known)
    if entry:
        subject = Subject(entry, object_of(text), word=entry)
        return Meaning(text=text, intent="explain", says=f"what {entry} means", subject=subject, confidence=1.0)
    found = recognise(text, known)
    form = by_form(text, known)
    if form is not None:
        return _of_form(form, found)
    if found.confidence < LEAST and found.subject is not None and found.subject.word and _WHAT_IS.match(text):
        # `what is the X` asks for the meaning of X, whatever else the words of X suggest.
        says = f"what {found.subject.text or found.subject.word} means"
        return replace(found, intent="explain", says=says, confidence=LEAST)
    return found


def _of_form(form: Meaning, by_words: Meaning) -> Meaning:
    """Return the meaning by form, with the reading by the words offered where the two differ."""
    same = form.intent in (RESIDENT, SPILLED) or _same(form.subject, by_words.subject)
    if not is_understood(by_words) or (by_words.intent in HOLDS[form.intent] and same):
        return form
    other = Alternative(by_words.intent, by_words.says, by_words.example)
    return replace(form, confidence=DOUBT, alternatives=(other,))


def _same(one: Subject | None, other: Subject | None) -> bool:
    """Return whether two subjects can be the same thing; nothing speaks against it if a reading names none."""
    if one is None or other is None or one.id == other.id:
        return True
    return bool({*one.metrics, *one.findings} & {*other.metrics, *other.findings})


def is_understood(meaning: Meaning) -> bool:
    """Return whether a question is answered; of others the readings are offered, or what can be asked instead."""
    return meaning.intent != OUT_OF_SCOPE and meaning.confidence >= LEAST


def _named(word: str, known: Known) -> str:
    """Return the entry of the knowledge base with exactly this name; empty if there is none."""
    exact = pick(word, known.entries) if word else ()
    return exact[0] if exact and squash(exact[0]) == squash(word) else ""


def bare_object(text: str) -> str:
    """Return the object of a question for a meaning without its article; the whole text of others."""
    return _ARTICLE.sub("", object_of(text) or text)


def shown_entry(text: str) -> str:
    """Return the entry for a number that the pages show, such as `what does 3.1x mean`; empty for other questions."""
    shown = _SHOWN.fullmatch(_ARTICLE.sub("", object_of(text)))
    return "" if shown is None else shown["of"] or _SPEEDUP


def object_of(text: str) -> str:
    """Return the object of a question for a meaning, such as `what is X`; empty for other texts."""
    bare = text.strip().rstrip("?!. ")
    found = _ENTRY.match(bare)
    return _MEANT.sub("", bare[found.end() :]) if found else ""

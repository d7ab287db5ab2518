"""Recognise the question whether a technique would help: `should I use float4?`, `will more occupancy help?`."""

from __future__ import annotations

import re
from typing import Final

from advisor.knowledge.techniques import techniques
from advisor.records.questions import WOULD_HELP, Meaning, Subject

_LEAD: Final = r"^(?:(?:so|and|but|ok|well|then|hi|hey|please)\W+)*"
_USE: Final = r"(?:use|try|add|apply|switch to|move to|go for|need|want|have|increase|raise)"
_HELPS: Final = r"(?:help|helps|speed|be faster|make it faster|make a difference|improve|pay off|be worth|be better|do)"
# What stands before and after the name of the technique.
_FORMS: Final = (
    (r"(?:would|will|could|can|might|does|do) (?:using |adding |trying |a |an |the )*", rf" {_HELPS}\b.*"),
    (
        rf"(?:should|could|can|may|shall|must) (?:i|we|this kernel|it) {_USE} (?:a |an |the |some )*",
        r"(?: here| for this| now| instead)?",
    ),
    (
        r"do (?:i|we) (?:really )?(?:need|have)(?: to (?:use|have|add|apply))? (?:a |an |the |some )*",
        r"(?: here| for this)?",
    ),
    (
        r"(?:would|will|does|do) it help (?:to use |to have |to add |if i use |if i used |with )?(?:a |an |the )*",
        r"(?: here)?",
    ),
    (r"is it worth (?:using|trying|adding|having) (?:a |an |the )*", r"(?: here)?"),
    (r"(?:is|are) (?:a |an |the )*", r" worth (?:it|using|trying)(?: here)?"),
    (r"(?:what|how) about (?:using |the |a |an |my )*", r"(?: here)?"),
)


def asked(text: str) -> Meaning | None:
    """Return the meaning of a question whether a technique would help; None for any other text."""
    line = " ".join(text.casefold().split()).rstrip("?!. ")
    for name, entry in techniques().items():
        words = "|".join(re.escape(word.casefold()) for word in sorted(entry.named, key=len, reverse=True))
        for before, after in _FORMS:
            found = re.fullmatch(f"{_LEAD}{before}(?P<name>{words}){after}", line)
            if found is not None:
                subject = Subject(name, found["name"], findings=entry.fixes)
                says = f"whether {found['name']} would help"
                return Meaning(
                    text=text, intent=WOULD_HELP, says=says, subject=subject, confidence=1.0, words=tuple(line.split())
                )
    return None

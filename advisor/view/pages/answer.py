"""The answer to a plain question about a launch: one sentence with its number, the reason, and what to ask next."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from advisor.records.diagnosis import overriding
from advisor.records.questions import LEAST, SURE, UNSURE, Meaning
from advisor.view.blocks import Block, Bullets, Command, Fact, Facts, Page, Paragraph
from advisor.view.pages.answers import block_size, cause, elsewhere, judged, low_or_high, numbers, spills, techniques
from advisor.view.pages.answers.elsewhere import on_named_gpu, out_of_scope
from advisor.view.pages.answers.parts import Answer, Answers, Asked
from advisor.view.pages.diagnosis import launch_title
from advisor.view.text import sentence


def answered(meaning: Meaning, asked: Asked) -> Answer:
    """Return the answer to a question; about a launch without valid numbers it begins with the reason."""
    if meaning.intent != "out_of_scope" and meaning.confidence < LEAST:
        return Answer(UNSURE, blocks=(Bullets(meaning.readings),), then=("what can I ask",))
    answer = _ANSWERS.get(meaning.intent, out_of_scope)(meaning, asked)
    if asked.gpu and meaning.intent not in _OF_NO_GPU:
        answer = on_named_gpu(meaning, asked, answer)
    first = overriding(asked.launch)
    if first is None or meaning.intent not in _ABOUT_THE_LAUNCH:
        return answer
    reason = f"{first.title}: {sentence(first.because)}"
    fix = f" {sentence(first.fix.summary)}" if first.fix is not None else ""
    return replace(answer, says=f"{reason}{fix} {answer.says.removeprefix(reason)}".strip())


def answer_blocks(meaning: Meaning, answer: Answer, note: str = "") -> tuple[Block, ...]:
    """Return an answer as blocks: how it was read if that is uncertain, the sentence, the reasons, what to do next.

    note: which launch was chosen.
    """
    blocks: list[Block] = []
    # A question that names another GPU is answered for both.
    read = [other for other in meaning.alternatives if not (meaning.gpu and other.intent == "other_gpu")]
    both = bool(meaning.gpu and meaning.alternatives and not read)
    if LEAST <= meaning.confidence < SURE and meaning.intent != "out_of_scope" and not both:
        text = f"I read this as: {meaning.says}."
        others = [f"{other.says} (type: {other.example})" for other in read]
        text += f" Or did you mean {'; or '.join(others)}?" if others else " Say it in other words if that is not it."
        blocks.append(Paragraph(text, "warn"))
    blocks.append(Paragraph(answer.says, "lead"))
    blocks += answer.blocks
    blocks += [Command(line, fold=True) for line in answer.run]
    rows = [Fact("Ask next", "; ".join(answer.then))] if answer.then else []
    blocks += [Facts(tuple(rows))] if rows else []
    return (*blocks, *([Paragraph(note, "dim")] if note else []))


def answer_page(meaning: Meaning, answer: Answer, asked: Asked, note: str = "") -> Page:
    """Return an answer as a page."""
    return Page(launch_title(asked.launch), answer_blocks(meaning, answer, note), ())


_ABOUT_THE_LAUNCH: Final = frozenset(
    (
        *cause.ANSWERS,
        *numbers.ANSWERS,
        *judged.ANSWERS,
        *low_or_high.ANSWERS,
        *spills.ANSWERS,
        *techniques.ANSWERS,
        *block_size.ANSWERS,
    )
)
# Questions whose answer does not depend on a GPU.
_OF_NO_GPU: Final = frozenset(("explain", "practise", "help", "undo", "quit", "save", "compare", "out_of_scope"))
_ANSWERS: Final[Answers] = {
    **cause.ANSWERS,
    **numbers.ANSWERS,
    **judged.ANSWERS,
    **low_or_high.ANSWERS,
    **spills.ANSWERS,
    **techniques.ANSWERS,
    **block_size.ANSWERS,
    **elsewhere.ANSWERS,
}

"""The command `ncu-advisor explain`."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.cli import terminal
from advisor.cli.options import Knowledge, argument, command, formats
from advisor.explain.explain import explain as explain_word
from advisor.records.errors import EXIT_DONE
from advisor.view.pages.explain import explain_page
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_json


@dataclass(frozen=True, kw_only=True)
class Options(Knowledge):
    """Options of `explain`."""

    words: tuple[str, ...] = argument(nargs=-1)
    form: str = formats("text", "json", *PAGE_FORMATS)


@command(Options)
def explain(options: Options) -> int:
    """Explain a diagnosis, observation, rule, stall reason, opcode, metric, pitfall, step, GPU or question.

    Without an argument, list the kinds of entries.
    """
    found = explain_word(" ".join(options.words), options.knowledge)
    if options.form == "json":
        terminal.write(document_json(found))
    else:
        terminal.write_long(explain_page(found), options.form)
    return EXIT_DONE

"""The answer how much is spilled: requests, and bytes of local memory where the report separates them from arrays."""

from __future__ import annotations

from typing import Final

from advisor.knowledge.base import metric_title
from advisor.records.questions import SPILLED, Meaning
from advisor.view.blocks import Fact, Facts
from advisor.view.numbers import count_text, percent_text, size_text
from advisor.view.pages.answers.parts import Answer, Answers, Asked, lacking

_SECTOR: Final = 32  # bytes
_PER_THREAD: Final = "unknown: a profile counts what is executed; `-Xptxas -v` prints the bytes per thread"


def _spilled(meaning: Meaning, asked: Asked) -> Answer:
    have = asked.launch.metrics
    spills, local = have.get("spill_inst"), have.get("local_inst")
    rows = [Fact("Of a thread", _PER_THREAD)]
    if spills is None:
        unknown = lacking(("spill_inst",), asked.launch, asked)
        if local is None:
            return Answer(unknown.says, "unknown", (Facts(tuple(rows)),), unknown.then, unknown.run)
        says = f"{unknown.says} All local memory has {count_text(local)} requests, spills and indexed arrays together"
        return Answer(f"{says}.", "unknown", (Facts(tuple(rows)),), unknown.then, unknown.run)
    if spills == 0:
        return Answer("None: no instruction spills or reloads a register.", "no", then=("why is it slow",))
    says = f"{count_text(spills)} spill requests: loads and stores of warps that spill or reload registers"
    sectors = have.get("local_sectors")
    if sectors is None:
        rows.insert(0, Fact("Bytes", f"unknown: {metric_title('local_sectors')} was not collected"))
    else:
        moved = size_text(sectors * _SECTOR)
        text = f"{count_text(sectors)} sectors of {_SECTOR} bytes: {moved}"
        # Each access that does not spill has an address computed at run time, which may touch more sectors.
        if local and (spills >= local or have.get("indexed_local_inst") == 0):
            says += f", {moved} of local memory through L1"
        elif local:
            part = f"spills are {percent_text(100 * spills / local)} of its {count_text(local)} requests"
            rows.insert(0, Fact("Of these", f"{part}; the report does not separate their sectors"))
        else:
            text += ", spills and indexed arrays together"
        rows.insert(0, Fact("Local memory", text))
    parts = {"Of L2 traffic": "local_l2_share", "Of DRAM traffic": "local_dram_share"}
    rows += [
        Fact(label, f"{percent_text(100 * have[name])}, all local memory")
        for label, name in parts.items()
        if name in have
    ]
    section = () if sectors is not None else lacking(("local_sectors",), asked.launch, asked).run
    return Answer(
        f"{says}.", blocks=(Facts(tuple(rows)),), then=("how do I fix the spills", "why is it slow"), run=section
    )


ANSWERS: Final[Answers] = {SPILLED: _spilled}

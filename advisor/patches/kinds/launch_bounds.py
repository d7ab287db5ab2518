"""Let the compiler use more registers: launch bounds without a minimum of blocks, or with the block's real size."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, walk


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield launch bounds that allow more registers per thread than the present ones."""
    node = cause.kernel.node
    threads = cause.block[0] * cause.block[1] * cause.block[2]
    bounds = next((n for n in walk(node, "launch_bounds") if n.start_byte < cause.kernel.body.start_byte), None)
    line = source.line(node)
    if bounds is None:
        at = node.child_by_field_name("declarator")
        if at is not None:
            yield Proposal(
                line,
                (Edit(at.start_byte, at.start_byte, f"__launch_bounds__({threads}) "),),
                f"the compiler may count on blocks of at most {threads} threads",
            )
        return
    rows = bounds.named_children
    if len(rows) > 1:
        yield Proposal(
            line,
            (Edit(rows[0].end_byte, rows[-1].end_byte, ""),),
            f"no minimum of blocks per SM ({source.at(rows[1])}), which limits the registers of a thread",
        )

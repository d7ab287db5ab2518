"""Leave one unused word after every 32 of a flat shared array, so that strides of powers of two use all banks."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, has_effects, whole_access
from advisor.patches.types import SIZES, clean

_BANK_BYTES = 128


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch for each flat shared array of a known size, if it is only used with an index."""
    for function in source.reached(cause.kernel):
        for array in source.declarations(function.body):
            size = SIZES.get(clean(array.type), 0) if not array.pointers else 0
            if "__shared__" not in array.qualifiers or len(array.dimensions) != 1 or size not in (4, 8):
                continue
            line, count, name = source.line(array.name), array.dimensions[0], source.at(array.name)
            if count is None:
                yield Unsuited(line, f"the size of {name} is given at the launch")
                continue
            accesses = [whole_access(use) for use in source.uses(array)]
            if any(not indices for _, indices in accesses):
                yield Unsuited(line, f"{name} is used as an address: padding would break its indexing")
                continue
            if any(a.parent is not None and a.parent.type == "pointer_expression" for a, _ in accesses):
                yield Unsuited(line, f"the address of an element of {name} is taken")
                continue
            if any(has_effects(index) for _, rows in accesses for index in rows):
                yield Unsuited(line, f"an index of {name} has side effects")
                continue
            shift = (_BANK_BYTES // size).bit_length() - 1
            (helper,) = source.fresh("padded")
            start = function.node.start_byte
            holder = function.node.parent
            while holder is not None and holder.type in ("linkage_specification", "template_declaration"):
                start, holder = holder.start_byte, holder.parent
            text = source.at(count)
            plain = text if text.isalnum() or text.replace("_", "").isalnum() else f"({text})"
            edits = [
                Edit(
                    start, start, f"__device__ __forceinline__ int {helper}(int i) {{ return i + (i >> {shift}); }}\n\n"
                ),
                Edit(count.start_byte, count.end_byte, f"{text} + {plain} / {1 << shift} + 1"),
            ]
            edits += [
                Edit(row.start_byte, row.end_byte, f"{helper}({source.at(row)})")
                for _, rows in accesses
                for row in rows
            ]
            yield Proposal(line, tuple(edits), f"{name} has an unused word after every {1 << shift} elements")

"""Check the kinds of patches: each has an entry and a function, and names a counter and diagnoses that exist."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.knowledge.patches import FILE, PatchDef
from advisor.lint.base import Base, Mistake
from advisor.patches.counters import COUNTERS
from advisor.patches.kinds import kinds


def check_patches(base: Base) -> Iterator[Mistake]:
    """Yield every mistake in patches.yaml of our own folder, if it exists."""
    document = base.document(FILE)
    if document is None or document.path.parent != base.folders[0]:
        return
    known = kinds()
    for name, raw in document.raw.items():
        entry = document.convert(raw, PatchDef, name)
        if entry is None:
            yield document.mistakes[-1]
            continue
        if name not in known:
            yield document.mistake(f"{name}: no function proposes this kind of patch", name)
        if entry.counter not in COUNTERS:
            yield document.mistake(f"{name}: {entry.counter!r} is not a counter", name, "counter")
        for diagnosis in entry.diagnoses:
            if diagnosis not in base.findings and not base.is_broken(diagnosis):
                yield document.mistake(f"{name}: {diagnosis!r} is not a diagnosis", name, "diagnoses")
        if not entry.cites or not entry.diagnoses:
            yield document.mistake(f"{name}: cites and diagnoses must not be empty", name)
    for name in known:
        if name not in document.raw:
            yield document.mistake(f"the kind of patch {name!r} has no entry")

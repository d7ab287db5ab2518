"""Mistakes in the kinds of patches, each with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.lint.base import load_base
from advisor.lint.patches import check_patches
from advisor.records import resources


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("counter: double_inst", "counter: doubles", "'doubles' is not a counter"),
        ("diagnoses: [fp64_unintended]", "diagnoses: [fp64]", "'fp64' is not a diagnosis"),
        ("single_precision:", "half_precision:", "no function proposes"),
        ("rounds: true", "round: true", "unknown field `round`"),
    ],
)
def test_a_mistake_is_named_with_its_line(old: str, new: str, says: str, tmp_path: Path) -> None:
    text = (resources.folder("knowledge") / "patches.yaml").read_text(encoding="utf-8")
    assert old in text
    own = resources.folder("knowledge")
    base = load_base([own])
    changed = tmp_path / "patches.yaml"
    changed.write_text(text.replace(old, new, 1), encoding="utf-8")
    base.documents = [d for d in base.documents if d.path.name != "patches.yaml"]
    other = load_base([tmp_path])
    base.documents += other.documents
    base.folders = (tmp_path,)
    line = next(i for i, row in enumerate(changed.read_text(encoding="utf-8").splitlines(), 1) if new in row)
    assert any(says in m.text and m.line == line for m in check_patches(base))


def test_the_bundled_kinds_have_no_mistake() -> None:
    assert list(check_patches(load_base([resources.folder("knowledge")]))) == []

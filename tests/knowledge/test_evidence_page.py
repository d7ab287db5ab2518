"""What docs/evidence.md names exists: rules, findings and tests."""

from __future__ import annotations

import re
from pathlib import Path

from advisor.knowledge.base import catalog

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
ROWS = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("| ")][2:]


def test_every_named_test_exists() -> None:
    assert len(ROWS) >= 15
    for *_, tested in ROWS:
        path, name = tested.strip().strip("`").split("::")
        assert re.search(rf"^(?:async )?def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), name


def test_every_named_rule_exists() -> None:
    known = catalog()
    rules = {rule.id for entry in {**known.findings, **known.trust}.values() for rule in entry.seen}
    for _, held, _ in ROWS:
        if not held.strip().startswith("none"):
            names = re.findall(r"`([^`]+)`", held)
            assert names
            assert not {*names} - rules - {*known.findings} - {*known.trust}

"""An explanation as the data of a JSON document."""

from __future__ import annotations

from typing import Any

from advisor.explain.entries import Explanation

SCHEMA = "ncu-advisor/explain/1"


def explain_json(explanation: Explanation) -> dict[str, Any]:
    """The explanation as plain data, as schemas/explain.json describes it."""
    return {
        "schema": SCHEMA,
        "kind": explanation.kind,
        "id": explanation.id,
        "title": explanation.title,
        "sections": [{"heading": name, "lines": list(lines)} for name, lines in explanation.sections],
        "cites": [{"key": key, "title": title} for key, title in explanation.cites],
        "see": list(explanation.see),
    }

"""What the session says of its views where they have nothing to show."""

from __future__ import annotations

from typing import Final

TITLES: Final = {
    "source": "Source",
    "proof": "Proof",
    "whatif": "What if",
    "timeline": "Timeline",
    "knowledge": "Knowledge",
    "practice": "Practice",
    "steps": "Steps of the method",
    "log": "Experiment log",
}
NOTHING_TO_SHOW: Final = "Nothing to show"
NEEDS_LAUNCH: Final = "This is about one launch, and there is none to look at yet."
NEEDS_REPORT: Final = "Lines and instructions come from a report, and this session has only typed numbers."
NEEDS_TRACE: Final = "No trace is open: /timeline FILE reads one."
AT: Final = "At"
NOT_READ: Final = "not read from the report yet; /source (F7) shows lines and instructions"
CALLED_OFF: Final = "Called off."

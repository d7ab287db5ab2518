"""The strip with the stages of an exercise; the one at hand is marked."""

from __future__ import annotations

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from advisor.session.practice.exercising import STAGE_NAMES as NAMES
from advisor.session.practice.exercising import STAGES


class Stages(Widget):
    """One line; a click on a name goes there. Where not all fit, those before the one at hand go first."""

    class Taken(Message):
        """A stage was clicked."""

        def __init__(self, stage: str) -> None:
            super().__init__()
            self.stage = stage

    def __init__(self) -> None:
        super().__init__()
        self._at = STAGES[0]
        self._places: list[tuple[int, int, str]] = []

    def show(self, stage: str) -> None:
        """Mark this stage."""
        if stage != self._at:
            self._at = stage
            self.refresh()

    def render(self) -> Content:
        """The names in their order, the one at hand in brackets."""
        room = max(self.content_size.width, 1)
        first = 0
        while first < STAGES.index(self._at) and sum(len(NAMES[s][0]) + 1 for s in STAGES[first:]) + 1 > room:
            first += 1
        parts, x, self._places = [], 0, []
        for stage in STAGES[first:]:
            name = NAMES[stage][0]
            part = f"[{name}]" if stage == self._at else name
            self._places.append((x, x + len(part), stage))
            x += len(part) + 1
            parts.append(Content.styled(part, "bold $text-accent" if stage == self._at else "$quiet"))
        return Content(" ").join(parts).truncate(room)

    def on_click(self, event: Click) -> None:
        """Go to the stage under the mouse."""
        for start, end, stage in self._places:
            if start <= event.x < end:
                self.post_message(self.Taken(stage))

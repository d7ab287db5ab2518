"""The words about sessions that the program keeps by itself."""

from __future__ import annotations

from typing import Final

OFFER: Final = "A session on this was broken off. Go on where you were?"
GO_ON: Final = "Go on: {title}"
ANEW: Final = "Begin anew"
ANEW_NOTE: Final = "it stays and is offered again"
FORGET: Final = "Begin anew and forget it"
TIP_ANEW: Final = "Begin anew"
TIP_FORGET: Final = "Throw away the session that the mark stands on"

"""The interactive session: a Textual program that shows the session state and turns key presses into events."""

from __future__ import annotations

import os
from typing import Final

# Textual reads both when it is imported; what the user has set stays. A key often needs two or three frames, since
# places and sizes follow from each other: at 60 frames a second each of them waits up to 17 ms. A lone ESC byte is
# the Escape key or the begin of a sequence: the wait for the rest, in ms, is over before a person notices it.
_QUICK: Final = {"TEXTUAL_FPS": "250", "ESCDELAY": "20"}
_ours = [name for name in _QUICK if name not in os.environ]
os.environ.update({name: _QUICK[name] for name in _ours})

import textual.constants  # noqa: E402, F401

for _name in _ours:  # not for the programs that the session starts, such as the user's editor
    del os.environ[_name]

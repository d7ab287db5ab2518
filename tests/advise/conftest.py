from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "program"))
from program_machine import machine, recorded

__all__ = ["machine", "recorded"]

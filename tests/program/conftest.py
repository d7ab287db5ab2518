from __future__ import annotations

from program_machine import machine, recorded

__all__ = ["machine", "recorded"]

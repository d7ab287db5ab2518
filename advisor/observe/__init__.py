"""Numbers meet thresholds here and nowhere else: named tests on the columns of a frame, three-valued, with margins."""

from advisor.observe.observe import Observed, observe

__all__ = ["Observed", "observe"]

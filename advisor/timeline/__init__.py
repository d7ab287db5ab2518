"""Traces of Nsight Systems: read them, find patterns by rules, rank kernels, say whether to drill down and how."""

from advisor.timeline.analyse import analyse
from advisor.timeline.door import read_trace, read_traces
from advisor.timeline.results import GpuTimeline, TimelineResult

__all__ = ["GpuTimeline", "TimelineResult", "analyse", "read_trace", "read_traces"]

"""`diagnose --on GPU`: predict a launch's time and counters on another GPU, and diagnose those counters.

If a unit's rate there is r times its rate here, the same work needs 1 / r of the time. Rates come from the GPU table:
DRAM bandwidth, SMs x clock for the units of an SM, peaks by data type for the arithmetic pipes. L2 slices scale with
the memory bus width among GPUs of one compute capability (counter peaks: 2 sectors per cycle for each 64 bits of bus on
both an H100 PCIe and an H200). If a rate is unknown, the time is assumed to be between two bounds and the estimate is
their geometric mean:

- L2 of another architecture: unchanged, or scaled like SMs x clock.
- The width of an SM unit of another architecture: the same, half or double.
- Load latency: the same in nanoseconds (DRAM has its own clock), or the same in SM cycles.

Time that the model cannot account for here is assumed unchanged. The range covers the bounds, more and less overlap
between units, and the model's own error for the part of the time that changes.

`rates`: how long each unit takes there for the work of here; `predict`: the time; `counters`: the metrics for the
rules; `launch`: the prediction of one launch, and what it leaves open.
"""

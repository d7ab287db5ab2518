"""Every metric, column, section, window and button of the sources is known to `explain` under its printed name."""

from __future__ import annotations

import pytest

from advisor.explain.explain import explain
from advisor.explain.index import Index
from advisor.records import resources

# Entry -> the names, as the sources print them, that lead to it. Grouped by source.
GUIDE: dict[str, tuple[str, ...]] = {
    "duration_ns": ("gpu__time_duration.sum", "Duration"),
    "dram_bytes": ("dram__bytes.sum",),
    "dram_pct": ("dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput"),
    "sm_throughput_pct": ("sm__throughput.avg.pct_of_peak_sustained_elapsed",),
    "ffma_lanes": ("sm__sass_thread_inst_executed_op_ffma_pred_on.sum",),
    "l2_read_sectors": ("lts__t_sectors_srcunit_tex_op_read.sum",),
    "spill_inst": ("sass__inst_executed_register_spilling",),
    "conflict_counter": (
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared*",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    ),
    "errata.nsys_reports": ("gpukernsum", "gpumemsizesum", "cudaapisum"),
    "section.speed_of_light": ("SpeedOfLight", "GPU Speed Of Light Throughput"),
    "section.roofline": ("SpeedOfLight_RooflineChart", "Roofline Chart"),
    "section.compute": ("ComputeWorkloadAnalysis", "Compute Workload Analysis"),
    "section.memory": ("MemoryWorkloadAnalysis", "Memory Workload Analysis"),
    "section.scheduler": ("Scheduler Statistics",),
    "section.warp_states": ("Warp State Statistics",),
    "section.instructions": ("Instruction Statistics",),
    "section.launch": ("Launch Statistics",),
    "section.source_counters": ("Source Counters",),
    "III.pm_sampling": ("PM Sampling", "PM Sampling: Warp States"),
    "occupancy": ("Occupancy",),
    "sm_throughput": ("SM Throughput",),
    "memory_throughput": ("Memory Throughput",),
    "page.breakdown": ("Throughput Breakdown", "SOL Breakdown"),
    "2b": ("Memory Chart",),
    "column.percent_of_peak": ("% of Peak",),
    "no_eligible": ("No Eligible",),
    "eligible_warps": ("Eligible Warps Per Active Cycle", "Eligible Warps Per Scheduler"),
    "scheduler": ("Issued Warp Per Active Cycle",),
    "issue_active": ("Issued Warp Per Scheduler",),
    "not_issued": ("All stalls", "Not-issued"),
    "occupancy_decision": ("Theoretical Occupancy", "Achieved Occupancy"),
    "registers_per_thread": ("Registers Per Thread",),
    "column.sectors_per_request": ("Sectors per Request", "Sectors/Req", "Global Load"),
    "column.wavefronts_per_request": ("Wavefronts/Requests",),
    "column.executed_issued": ("Avg. Executed Instructions", "Avg. Issued Instructions"),
    "lanes_pred_on": (
        "Avg. Not Predicated Off Threads Per Warp",
        "Avg. Predicated-On Threads",
        "Avg. Predicated-On Threads Executed",
    ),
    "column.l2_sectors": ("L2 Theoretical Sectors Global", "L2 Theoretical Sectors Global Excessive"),
    "column.l1_wavefronts": (
        "L1 Wavefronts Shared",
        "L1 Wavefronts Shared Ideal",
        "L1 Wavefronts Shared Excessive",
    ),
    "column.instructions_executed": ("Instructions Executed",),
    "sass.live_registers": ("Live Registers", "Live Registers column"),
    "column.attributed_stalls": ("Attributed Stalls",),
    "column.scoreboard_dependencies": ("Scoreboard Dependencies",),
    "long_scoreboard": ("stall_long_scoreboard", "stall_long_sb"),
    "short_scoreboard": ("stall_short_scoreboard",),
    "barrier": ("stall_barrier",),
    "not_selected": ("stall_not_selected",),
    "mio_throttle": ("stall_mio_throttle",),
    "lg_throttle": ("stall_lg_throttle", "Stall LG Throttle"),
    "math_pipe_throttle": ("stall_math_pipe_throttle",),
    "IssueSlotUtilization": ("Issue Slot Utilization",),
    "CPIStall": ("CPI Stall",),
    "page.metric_details": ("Metric Details", "Metric Details tool window"),
    "page.baselines": ("Add Baseline", "Clear Baselines"),
    "page.jump": ("jump to max", "jump to maximum", "Navigation menu"),
    "page.heat_map": ("heat map", "heatmap", "difference heatmap"),
    "page.diff_by": ("Diff By",),
    "page.column_sets": ("Source View Profiles", "saved views"),
    "page.inline_tables": ("Inline Tables",),
    "page.apply_rules": ("Apply Rules",),
    "page.source": ("Details page", "Source page"),
    "page.resources": ("Resources window", "Resources tab", "Resources"),
    "page.interactive": ("Interactive mode", "Profile mode"),
    "III.mig": ("TPC mask",),
    "5b": ("Profile Series",),
    "S5b": ("System Trace", "Profile Kernel"),
    "6b": ("Source Comparison",),
}
ARTICLES: dict[str, tuple[str, ...]] = {
    # Analysis-driven optimization
    "column.l2_sectors": ("Memory L2 Transactions Global", "Memory Ideal L2 Transactions Global"),
    "CPIStall": ("CPI Stall LG Throttle",),
    "page.interactive": ("Run to Next Kernel", "Auto Profile", "Resume"),
    "column.other_accesses": ("Other",),
    # What the profiler is telling you
    "wall_clock": ("WCT",),
    "pipe_idc": ("IDC",),
    "instruction_mix_ceiling": ("op_dfma",),
    "page.events_view": ("Events View",),
}
P3: dict[str, tuple[str, ...]] = {
    "graphics.metrics": (
        "sm__throughput.avg.pct_of_peak_sustained_active",
        "sm__active_sol_pct",
        "sm__issue_active_per_active_cycle_sol_pct",
        "smsp__warp_cycles_per_issue_stall_{reason}",
        "smsp__warp_stall_{reason}_pct",
        "SM Throughput For Active Cycles",
        "GPU Elapsed Time",
        "SM SOL%",
    ),
    "long_scoreboard": (
        "smsp__warp_stall_long_scoreboard_pct",
        "smsp__warp_cycles_per_issue_stall_long_scoreboard",
        "SM Warp Stall Long Scoreboard",
    ),
    "barrier": ("smsp__warp_stall_barrier_pct",),
    "pipeline_idle": ("Graphics/Compute Idle%",),
    "thresholds.sm_active": ("SM Active%",),
    "p3_active": ("SM Occupancy",),
    "l1_hit_pct": ("TEX hit rate",),
    "III.l2": ("L2 hit rate",),
    "graphics.range_profiler": (
        *("Range Profiler", "Perf Markers", "Pipeline Overview", "Range Diagram", "Top SOLs", "Top SOL Units"),
        *("User Metrics", "API Statistics View", "Program Ranges", "Linked Programs View", "Regs"),
    ),
    "graphics.capture": ("Generate C++ Capture", "Frame Profiler", "Nsight Graphics"),
    "graphics.gpu_trace": ("GPU Trace", "Advanced Mode", "Top Throughput", "L2 load hit rate", "L1TEX tag hit rate"),
    "primitive_distributor_bound": ("PD",),
    "vertex_fetch_bound": ("VAF",),
    "vpc_pct": ("VPC",),
    "raster_output_bound": ("CROP", "ZROP"),
    "dram": ("VRAM",),
    "wait_for_idle": ("Wait For Idle", "WFI"),
}
NAMES = [(name, entry) for group in (GUIDE, ARTICLES, P3) for entry, names in group.items() for name in names]


@pytest.mark.parametrize(("name", "entry"), NAMES, ids=[name for name, _ in NAMES])
def test_a_printed_name_leads_to_its_meaning(name: str, entry: str) -> None:
    found = explain(name)
    assert found.kind != "search"
    assert found.id == entry
    assert any(found.section(part) for part in ("what", "means", "formula")), "the entry says what it is"


def test_a_name_of_the_tools_belongs_to_one_entry() -> None:
    index = Index([resources.folder("knowledge")])
    ours = [(name, place) for name, place in index.aliases if place.path.name == "tool_pages.yaml"]
    taken = {name.casefold() for name, place in index.aliases if place.path.name != "tool_pages.yaml"}
    names = [name.casefold() for name, _ in ours]
    assert len(names) > 80
    assert sorted(names) == sorted(set(names))
    assert not taken & set(names)

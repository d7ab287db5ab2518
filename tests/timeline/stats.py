"""The output of `nsys stats --format csv`, by old and by new names, as text."""

from __future__ import annotations

NEW_KERNELS = """Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
75.0,3000000,3,1000000.0,1000000.0,900000,1100000,100.0,"void gemm<float, 4>(float const*, float*)"
25.0,1000000,250,4000.0,4000.0,3000,5000,10.0,"add(int, int)"
"""
OLD_KERNELS = """Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,StdDev,Name
75.0,"3,000,000",3,1000000.0,900000,1100000,100.0,"void gemm<float, 4>(float const*, float*)"
25.0,1000000,250,4000.0,3000,5000,10.0,"add(int, int)"
"""
MICROSECONDS = """Time (%),Total Time (us),Instances,Avg (us),Min (us),Max (us),Name
75.0,3000.0,3,1000.0,900.0,1100.0,"void gemm<float, 4>(float const*, float*)"
25.0,1000.0,250,4.0,3.0,5.0,"add(int, int)"
"""
NEW_COPIES = """Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation
100.0,6000000,3,2000000.0,2000000.0,1,2,3.0,[CUDA memcpy Host-to-Device]
"""
OLD_COPIES = """Time(%),Total Time (ns),Operations,Average,Minimum,Maximum,StdDev,Operation
100.0,6000000,3,2000000.0,1,2,3.0,[CUDA memcpy HtoD]
"""
CALLS = """Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
90.0,900,3,300.0,300.0,1,2,3.0,cudaLaunchKernel
"""
PROGRESS = (
    "Generating '/tmp/nsys-report-1.qdstrm'\n" + "\r".join(f"[1/3] [{n:3}%] r.nsys-rep" for n in (0, 50, 100)) + "\n"
)


TEXT = """[5/8] Executing 'cuda_gpu_kern_sum' stats report

 Time (%)  Total Time (ns)  Instances   Avg (ns)    Min (ns)  Max (ns)                Name
 --------  ---------------  ---------  -----------  --------  ---------  --------------------------
     75.0        3,000,000          3  1,000,000.0    900000  1,100,000  void gemm<float, 4>(float const*, float*)
     25.0        1,000,000        250       4000.0      3000       5000  add(int, int)

[6/8] Executing 'cuda_gpu_mem_time_sum' stats report
"""


def preamble(report: str) -> str:
    return f"Processing [run.sqlite] with [/opt/nsys/reports/{report}.py]... \n"


TRACE = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
    "Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name"
)


def trace(rows: list[tuple[int, int, int, str, str]]) -> str:
    """A GPU trace: (start, duration, correlation, name, kind of the host's memory or '')."""
    out = [TRACE]
    for start, duration, correlation, name, memory in rows:
        copy = name.startswith("[")
        source, target = (memory, "Device") if "Host-to" in name or "HtoD" in name else ("Device", memory)
        out.append(
            f"{start},{duration},{correlation},{',,,,,,,,' if copy else '128,1,1,256,1,1,32,0,0'},"
            f"{'8.0,100.0' if copy else ','},{source if copy else ''},{target if copy else ''},"
            f'NVIDIA H200 (0),1,,7,"{name}"'
        )
    return "\n".join(out) + "\n"

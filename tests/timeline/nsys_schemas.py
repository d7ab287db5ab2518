"""Which columns the tables of `nsys export` have, by schema version: `name:3.13` came with 3.13."""

from __future__ import annotations

VERSIONS = ("2.7.0", "2.9.1", "3.1.7", "3.13.2", "3.20.3", "3.24.0", "3.25.0")

_KERNEL = (
    "start end deviceId contextId greenContextId:3.13 streamId correlationId globalPid demangledName shortName "
    "mangledName launchType cacheConfig registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory "
    "dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted graphNodeId "
    "sharedMemoryLimitConfig qmdBulkReleaseDone:3.24 qmdPreexitDone:3.24 qmdLastCtaDone:3.24 graphId:3.24 clusterX:3.24"
)
_COPY = (
    "start end deviceId contextId greenContextId:3.13 streamId correlationId globalPid bytes copyKind deprecatedSrcId "
    "srcKind dstKind srcDeviceId srcContextId dstDeviceId dstContextId migrationCause graphNodeId virtualAddress "
    "copyCount:3.20"
)
_SET = (
    "start end deviceId contextId greenContextId:3.13 streamId correlationId globalPid value bytes graphNodeId memKind"
)
_GRAPH = "start end deviceId graphId graphExecId contextId greenContextId:3.13 streamId correlationId globalPid"
_RUNTIME = "start end eventClass globalTid correlationId nameId returnValue callchainId"
_NVTX = "start end eventType rangeId category color text globalTid endGlobalTid textId domainId uint64Value jsonText"
_SYSTEM = "start end eventClass globalTid nameId returnValue nestingLevel callchainId argumentsId:3.24"
_GPU_FAULT = "start end globalPid deviceId address numberOfPageFaults faultAccessType"
_HOST_FAULT = "start globalPid address originalFaultPc CpuInstruction module"
_MPI = "start end globalTid textId commHandle"
_COLUMNS = {
    "CUPTI_ACTIVITY_KIND_KERNEL": _KERNEL,
    "CUPTI_ACTIVITY_KIND_MEMCPY": _COPY,
    "CUPTI_ACTIVITY_KIND_MEMSET": _SET,
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": _GRAPH,
    "CUPTI_ACTIVITY_KIND_RUNTIME": _RUNTIME,
    "NVTX_EVENTS": _NVTX,
    "OSRT_API": _SYSTEM,
    "MPI_COLLECTIVES_EVENTS": _MPI,
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS": _GPU_FAULT,
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS": _HOST_FAULT,
}


def number_of(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def columns(table: str, version: str) -> list[str]:
    """The columns that a table has in a version."""
    out = []
    for word in _COLUMNS[table].split():
        name, _, since = word.partition(":")
        if not since or number_of(version)[:2] >= number_of(since):
            out.append(name)
    return out

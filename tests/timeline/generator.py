"""Databases as `nsys export` of schema 2.7 to 3.25 writes them, with work that a test plants; and CSV of `nsys stats`.

Columns come with the version that brought them, tables are made only when something goes into them, as nsys does it.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

from tests.timeline.nsys_schemas import columns, number_of

US, MS = 1_000, 1_000_000
PROCESS = 4242
PID = (1 << 48) | (PROCESS << 24)
TID = PID | PROCESS


@dataclass
class Planted:
    """A trace in the making: rows by table, and a clock that is moved by hand."""

    version: str = "3.20.3"
    rows: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    strings: dict[str, int] = field(default_factory=dict)
    correlation: int = 0
    gpus: tuple[str, ...] = ("NVIDIA H200",)
    sms: int = 100
    duration: int | None = None

    def text(self, value: str) -> int:
        return self.strings.setdefault(value, len(self.strings) + 1)

    def add(self, table: str, **values: object) -> None:
        self.rows.setdefault(table, []).append(values)

    def call(self, name: str, start: int, end: int, correlation: int | None = None, thread: int = TID) -> None:
        """A call of the CUDA API."""
        self.add(
            "CUPTI_ACTIVITY_KIND_RUNTIME",
            start=start,
            end=end,
            eventClass=0,
            globalTid=thread,
            correlationId=-1 if correlation is None else correlation,
            nameId=self.text(name),
            returnValue=0,
        )

    def _next(self, name: str, asked: int | None, thread: int) -> int:
        self.correlation += 1
        if asked is not None:
            self.call(name, asked, asked + 3 * US, self.correlation, thread)
        return self.correlation

    def kernel(
        self,
        start: int,
        duration: int,
        name: str = "void work<float>(float*)",
        short: str = "work",
        *,
        asked: int | None = None,
        gpu: int = 0,
        stream: int = 7,
        node: int | None = None,
        correlation: int | None = None,
        thread: int = TID,
        grid: tuple[int, int, int] = (128, 1, 1),
        block: tuple[int, int, int] = (256, 1, 1),
    ) -> int:
        """A kernel; `asked`: when its launch was called. Returns its end."""
        number = self._next("cudaLaunchKernel_v7000", asked, thread) if correlation is None else correlation
        self.add(
            "CUPTI_ACTIVITY_KIND_KERNEL",
            start=start,
            end=start + duration,
            deviceId=gpu,
            contextId=1,
            streamId=stream,
            correlationId=number,
            globalPid=thread & ~0xFFFFFF,
            demangledName=self.text(name),
            shortName=self.text(short),
            graphNodeId=node,
            **dict(zip(("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"), (*grid, *block), strict=True)),
        )
        return start + duration

    def copy(
        self,
        start: int,
        duration: int,
        kind: int = 1,
        *,
        size: int = 64 << 20,
        pageable: bool = False,
        asked: int | None = None,
        gpu: int = 0,
        stream: int = 7,
        api: str = "cudaMemcpyAsync_v3020",
    ) -> int:
        """A copy of a CUPTI kind (1 to the device, 2 to the host, 10 peer, 11 managed). Returns its end."""
        host = 0 if pageable else 1
        number = self._next(api, asked, TID)
        self.add(
            "CUPTI_ACTIVITY_KIND_MEMCPY",
            start=start,
            end=start + duration,
            deviceId=gpu,
            contextId=1,
            streamId=stream,
            correlationId=number,
            globalPid=PID,
            bytes=size,
            copyKind=kind,
            srcKind=host if kind == 1 else 2,
            dstKind=host if kind == 2 else 2,
        )
        return start + duration

    def graph(self, start: int, duration: int, *, asked: int | None = None, gpu: int = 0) -> int:
        """A graph traced as a whole. Returns its end."""
        number = self._next("cudaGraphLaunch_v10000", asked, TID)
        self.add(
            "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
            start=start,
            end=start + duration,
            deviceId=gpu,
            graphId=1,
            graphExecId=1,
            contextId=1,
            streamId=7,
            correlationId=number,
            globalPid=PID,
        )
        return start + duration

    def range(
        self, name: str, start: int, end: int | None, *, registered: bool = False, domain: int = 0, kind: int = 59
    ) -> None:
        """An NVTX range, its name as a text or registered as a string id."""
        self.add(
            "NVTX_EVENTS",
            start=start,
            end=end,
            eventType=kind,
            text=None if registered else name,
            textId=self.text(name) if registered else None,
            globalTid=TID,
            domainId=domain,
        )

    def domain(self, name: str, number: int) -> None:
        self.add("NVTX_EVENTS", start=-5, end=None, eventType=75, text=name, globalTid=TID, domainId=number)

    def fault(self, start: int, end: int, pages: int = 8, *, gpu: int = 0) -> None:
        """Page faults of a GPU, dealt with from start to end."""
        table = "CUDA_UM_GPU_PAGE_FAULT_EVENTS"
        self.add(table, start=start, end=end, globalPid=PID, deviceId=gpu, numberOfPageFaults=pages)

    def mpi(self, start: int, end: int) -> None:
        self.add("MPI_COLLECTIVES_EVENTS", start=start, end=end, globalTid=TID, textId=self.text("MPI_Allreduce"))

    def system(self, name: str, start: int, end: int) -> None:
        self.add("OSRT_API", start=start, end=end, globalTid=TID, nameId=self.text(name), returnValue=0)

    def write(self, path: Path, *, without: tuple[str, ...] = (), drop: tuple[str, ...] = ()) -> Path:
        """The database; without: tables left out, drop: columns left out of all tables."""
        path.unlink(missing_ok=True)
        db = sqlite3.connect(path)
        number = number_of(self.version)
        db.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
        for table, rows in self.rows.items():
            if table in without:
                continue
            names = [n for n in columns(table, self.version) if n not in drop]
            typed = ", ".join(f'"{n}" {"TEXT" if n in ("text", "jsonText") else "INTEGER"}' for n in names)
            db.execute(f"CREATE TABLE {table} ({typed})")
            marks = ", ".join("?" * len(names))
            db.executemany(f"INSERT INTO {table} VALUES ({marks})", ([row.get(n) for n in names] for row in rows))
        db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, text) for text, i in self.strings.items()])
        meta = "EXPORT_META_DATA" if number < (3, 2) else "META_DATA_EXPORT"
        db.execute(f"CREATE TABLE {meta} (name TEXT, value TEXT)")
        tool = {2: "2021.5.2.53", 3: "2025.3.2.367"}[number[0]]
        db.executemany(
            f"INSERT INTO {meta} VALUES (?, ?)",
            [("EXPORT_PRODUCT_VERSION", tool), ("EXPORT_SCHEMA_VERSION", self.version), ("EXPORT_PARAM_LAZY", "true")],
        )
        db.execute(
            "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, cuDevice INTEGER, smCount INTEGER)"
        )
        known = [(i, name, i, self.sms) for i, name in enumerate(self.gpus)]
        db.executemany("INSERT INTO TARGET_INFO_GPU VALUES (0, ?, ?, ?, ?)", known)
        if number >= (3, 20):
            db.execute("CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER)")
            rows_ = [(i, i, PROCESS) for i in range(len(self.gpus))]
            db.executemany("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (?, ?, ?)", rows_)
        if self.duration is not None:
            db.execute("CREATE TABLE ANALYSIS_DETAILS (duration INTEGER, startTime INTEGER, stopTime INTEGER)")
            db.execute("INSERT INTO ANALYSIS_DETAILS VALUES (?, 0, ?)", (self.duration, self.duration))
        db.commit()
        db.close()
        return path


def busy(version: str = "3.20.3", launches: int = 50) -> Planted:
    """A healthy pipeline: kernels back to back, queued ahead, data copied behind them on a stream of their own."""
    out = Planted(version)
    at = 10 * MS
    for i in range(launches):
        out.copy(at + 100 * US, 300 * US, 1, asked=at - 2 * MS, stream=9)
        end = out.kernel(at, 990 * US, f"void gemm<{i % 4}>(float*)", "gemm", asked=at - 1500 * US)
        at = end + 2 * US
    out.call("cudaDeviceSynchronize_v3020", at - 3 * MS, at + 5 * US)
    return out


def synchronised(version: str = "3.20.3", launches: int = 200) -> Planted:
    """The host waits for each kernel, and launches the next 25 us after it."""
    out = Planted(version)
    at = 10 * MS
    for _ in range(launches):
        end = out.kernel(at, 50 * US, asked=at - 8 * US)
        out.call("cudaDeviceSynchronize_v3020", at - 4 * US, end + 6 * US)
        at = end + 25 * US
    return out


def serial_copies(version: str = "3.20.3", *, pageable: bool = False) -> Planted:
    """Copy in, compute, copy out, again and again on one stream, queued ahead."""
    out = Planted(version)
    at = 10 * MS
    for _ in range(20):
        for kind in (1, 0, 2):
            if kind:
                at = out.copy(at, 1 * MS, kind, pageable=pageable, asked=5 * MS) + 1 * US
            else:
                at = out.kernel(at, 2 * MS, asked=5 * MS) + 1 * US
    return out


def starved(version: str = "3.20.3", *, named: bool = False) -> Planted:
    """Each step waits 4 ms for its data, then copies and computes for 3 ms."""
    out = Planted(version)
    at = 10 * MS
    for _ in range(30):
        ready = at + 4 * MS
        if named:
            out.range("load batch", at, ready)
            end = out.kernel(ready + 20 * US, 3 * MS, asked=ready)
        else:
            end = out.copy(ready, 500 * US, 1, asked=ready - 10 * US)
            end = out.kernel(end + 1 * US, 3 * MS, asked=ready - 5 * US)
        at = end
    return out


def handling(version: str = "3.20.3") -> Planted:
    """Results are fetched, and dealt with for 3 ms before the next launch."""
    out = Planted(version)
    at = 10 * MS
    for _ in range(30):
        end = out.kernel(at, 2 * MS, asked=at - 10 * US)
        end = out.copy(end + 1 * US, 300 * US, 2, asked=at - 5 * US)
        out.system("write", end + 100 * US, end + 2 * MS)
        at = end + 3 * MS
    return out


def round_trips(version: str = "3.20.3") -> Planted:
    """Results are fetched, and 3 ms later the next data are sent: nobody can tell which of the two takes that long."""
    out = Planted(version)
    at = 10 * MS
    for _ in range(30):
        end = out.copy(at, 300 * US, 1, asked=at - 10 * US)
        end = out.kernel(end + 1 * US, 2 * MS, asked=at - 8 * US)
        end = out.copy(end + 1 * US, 300 * US, 2, asked=at - 5 * US)
        at = end + 3 * MS
    return out


def migrating(version: str = "3.20.3") -> Planted:
    """Managed memory moves between kernels."""
    out = Planted(version)
    out.call("cudaMallocManaged_v6000", 1 * MS, 2 * MS)
    at = 10 * MS
    for _ in range(40):
        end = out.kernel(at, 2 * MS, asked=at - 3 * MS)
        at = out.copy(end, 1 * MS, 11, size=2 << 20)
    return out


def collectives(version: str = "3.20.3", length: int = 2 * MS) -> Planted:
    """Each step ends with a collective that nothing runs beside."""
    out = Planted(version)
    at = 10 * MS
    for _ in range(30):
        end = out.kernel(at, 4 * MS, asked=at - 5 * MS)
        at = out.kernel(
            end + 1 * US,
            length,
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)",
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            asked=at - 4 * MS,
            stream=20,
        )
        at += 1 * US
    return out


def mpi_waits(version: str = "3.20.3") -> Planted:
    """The GPU is idle while the host is in MPI."""
    out = Planted(version)
    at = 10 * MS
    for _ in range(30):
        end = out.kernel(at, 4 * MS, asked=at - 10 * US)
        out.mpi(end + 5 * US, end + 2 * MS)
        at = end + 2 * MS + 20 * US
    return out


def short_graphs(version: str = "3.20.3", *, nodes: bool = False) -> Planted:
    """Graphs of 60 us with gaps of 15 us, traced as a whole or node by node."""
    out = Planted(version)
    at = 10 * MS
    for _ in range(200):
        asked = at - 10 * US
        if nodes:
            out.correlation += 1
            number = out.correlation
            out.call("cudaGraphLaunch_v10000", asked, asked + 5 * US, number)
            for k in range(3):
                out.kernel(at + 20 * k * US, 20 * US, node=100 + k, correlation=number)
            end = at + 60 * US
        else:
            end = out.graph(at, 60 * US, asked=asked)
        at = end + 15 * US
    return out


def tiny(version: str = "3.20.3") -> Planted:
    """A thousand kernels of 4 us with 3 us between them, launched ahead."""
    out = Planted(version)
    at = 10 * MS
    for i in range(1000):
        at = out.kernel(at, 4 * US, f"void op{i % 7}(float*)", f"op{i % 7}", asked=at - 100 * US) + 3 * US
    return out


def host_work(version: str = "3.20.3") -> Planted:
    """Kernels with 5 ms of the host's own work between them, no copies, no waits."""
    out = Planted(version)
    at = 10 * MS
    for _ in range(20):
        end = out.kernel(at, 2 * MS, asked=at - 10 * US)
        at = end + 5 * MS
    return out


# What is planted -> the patterns that must be found, besides which only notes, the idle GPU and the kernel may be.
PATTERNS = {
    "gpu_idle": host_work,
    "sync_between_kernels": synchronised,
    "copy_not_overlapped": serial_copies,
    "data_loading_starved": starved,
    "blocking_post_processing": handling,
    "unified_memory_migration": migrating,
    "communication_bound": collectives,
    "graph_launch_granularity": short_graphs,
    "many_tiny_kernels": tiny,
    "healthy_pipeline": busy,
}

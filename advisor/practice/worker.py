"""The child process that runs kernels, so that one that destroys its CUDA context or hangs affects nothing else.

    python -m advisor.practice.worker REQUEST.json RESULT.json

REQUEST.json is a `tasks.Request`. RESULT.json is rewritten after every stage:

    card        the GPU: name, cc, sms, memory, l2, shared_per_block, shared_per_sm; null before it is known
    versions    cupy, runtime, driver
    failure     why nothing could run (a `failures.Failure`), or null
    now         the current {exercise, step, stage}, so that the parent knows what a child did when it died; null at the
                end; stages are start, inputs, compile, reference, check, time, warm, profile
    done        true after all requested jobs were tried
    exercises   name -> {sizes, work: {bytes, flop}}
    jobs        a record per finished or failed job: exercise, step, vary, failure, kernels, correct, mismatch,
                changed (inputs written to), times_ns, profiled (launches shown to the profiler; null: not counted)

Progress goes to stdout, one JSON object with the key "advisor" a line; kernels may print there too. Exit code 0: all
tried; 3: a kernel ended the CUDA context and jobs are left; 4: nothing can run here. Needs only NumPy and CuPy.
"""

from __future__ import annotations

import ctypes
import dataclasses
import json
import math
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from advisor.practice.failures import DEAD, of_exception, of_import, of_machine
from advisor.practice.tasks import Job, Request, Task, load_case
from advisor.profiling.failures import Failure
from advisor.records.child import give_way

_LIBRARY: Final = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"


def devices(load: Callable[[str], Any] = ctypes.CDLL) -> int | None:
    """Return the number of usable GPUs from the driver, without CuPy; None if no driver is installed.

    cuInit fails if there is no device, if all are hidden (CUDA_VISIBLE_DEVICES), or if the driver does not run.
    """
    try:
        driver = load(_LIBRARY)
        count = ctypes.c_int(0)
        if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
            return 0
    except (OSError, AttributeError):
        return None
    return max(0, count.value)


EXIT_CONTEXT = 3
EXIT_MACHINE = 4


class Report:
    """The RESULT.json written so far, and the progress lines."""

    def __init__(self, path: Path, jobs: int) -> None:
        self.path, self.total = path, jobs
        self.content: dict[str, Any] = {"card": None, "versions": {}, "failure": None, "now": None, "done": False}
        self.content |= {"exercises": {}, "jobs": []}

    def write(self) -> None:
        """Write a temporary file and rename it."""
        handle, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as f:
            json.dump(_plain(self.content), f)
        Path(temporary).replace(self.path)

    def at(self, exercise: str, step: str, stage: str) -> None:
        """Report the stage that begins, in the file and on stdout."""
        self.content["now"] = {"exercise": exercise, "step": step, "stage": stage}
        self.write()
        line = {"advisor": "now", **self.content["now"], "job": len(self.content["jobs"]) + 1, "of": self.total}
        print(json.dumps(line), flush=True)

    def add(self, record: dict[str, Any]) -> None:
        """Add the record of a finished job."""
        self.content["jobs"].append(record)
        self.content["now"] = None
        self.write()


def _plain(value: Any) -> Any:
    """Convert a value for JSON: dataclasses and NumPy numbers to plain values, NaN and infinity to strings."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(dataclasses.asdict(value))
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return _plain(value.item()) if hasattr(value, "item") else str(value)


def load_cupy() -> tuple[Any, Failure | None]:
    """Import CuPy, or return why it is unusable: not installed, for another CUDA version, or no GPU."""
    try:
        import cupy as cp
    except Exception as e:
        return None, of_import(e, devices())
    try:
        if not cp.cuda.is_available():
            cp.cuda.runtime.getDeviceCount()  # The call raises the reason: no device, or a driver that is too old.
            raise cp.cuda.runtime.CUDARuntimeError(100)  # cudaErrorNoDevice
        cp.zeros(1).sum().item()
    except Exception as e:
        return None, of_machine(e, _driver(cp))
    return cp, None


def _driver(cp: Any) -> int:
    """Return the CUDA version of the driver, 0 if there is none."""
    try:
        return int(cp.cuda.runtime.driverGetVersion())
    except Exception:
        return 0


def _versions(cp: Any) -> dict[str, Any]:
    runtime = cp.cuda.runtime
    return {"cupy": cp.__version__, "runtime": runtime.runtimeGetVersion(), "driver": runtime.driverGetVersion()}


def _free(cp: Any) -> None:
    cp.get_default_memory_pool().free_all_blocks()
    cp.get_default_pinned_memory_pool().free_all_blocks()


def run_job(cp: Any, bench: Any, job: Job, request: Request, report: Report, record: dict[str, Any]) -> None:
    """Run all stages of one job; store each result in `record` at once. Raises what CUDA, CuPy and cases raise."""
    exercise = record["exercise"]
    report.at(exercise, job.step, "compile")
    step = bench.build(Path(job.source), tuple(Path(e) for e in job.extra), job.vary)
    record["kernels"] = step.kernels
    if "check" in job.do and job.result:
        report.at(exercise, job.step, "reference")
        bench.expected()
        report.at(exercise, job.step, "check")
        record["mismatch"] = bench.check(step)
        record["changed"] = bench.changed()
        record["correct"] = record["mismatch"] is None and not record["changed"]
    if "time" in job.do:
        report.at(exercise, job.step, "time")
        record["times_ns"] = bench.time(step, request.runs, request.budget_s)
    if "profile" in job.do:
        report.at(exercise, job.step, "warm")
        bench.warm(step)
        report.at(exercise, job.step, "profile")
        with _range(cp, f"{exercise}/{job.step}"):
            record["profiled"] = bench.profile(step, job.launches)


@contextmanager
def _range(cp: Any, name: str) -> Iterator[None]:
    """Open an NVTX range that names the launches of a step in a report, if this version of CuPy has NVTX."""
    nvtx = getattr(cp.cuda, "nvtx", None)
    if nvtx is None or not getattr(nvtx, "available", True):
        yield
        return
    nvtx.RangePush(name)
    try:
        yield
    finally:
        nvtx.RangePop()


def run_task(cp: Any, task: Task, request: Request, report: Report) -> Failure | None:
    """Run all jobs on the data of one case; return the failure that destroyed the CUDA context, or None."""
    from advisor.practice.bench import Bench  # needs NumPy

    bench = None
    for job in task.jobs:
        record: dict[str, Any] = {
            "exercise": task.exercise,
            "step": job.step,
            "vary": job.vary,
            "failure": None,
            "kernels": [],
            "correct": None,
            "mismatch": None,
            "changed": [],
            "times_ns": [],
            "profiled": 0,
        }
        try:
            if bench is None:
                report.at(task.exercise, job.step, "inputs")
                module = load_case(Path(task.case))
                bench = Bench(cp, module, task.seed)
                report.content["exercises"][task.exercise] = {"sizes": bench.sizes, "work": module.work(bench.sizes)}
            run_job(cp, bench, job, request, report, record)
        except (Exception, SystemExit) as e:  # a step in Python may call exit()
            failure = of_exception(e, task.case if bench is None else job.source)
            record["failure"] = failure
            e.__traceback__ = None  # Its frames would keep the arrays alive.
            report.add(record)
            if failure.kind in DEAD:
                return failure
            _free(cp)
            continue
        report.add(record)
    del bench
    _free(cp)
    return None


def _watch(parent: int) -> None:
    """End this process, and so its kernels, when its parent process has ended."""

    def look() -> None:
        while True:
            try:
                os.kill(parent, 0)
            except ProcessLookupError:
                os._exit(EXIT_CONTEXT)
            except PermissionError:
                pass
            time.sleep(1.0)

    threading.Thread(target=look, daemon=True).start()


def main(argv: list[str]) -> int:
    """Perform the request; see the module's docstring."""
    if len(argv) != 3:
        print("usage: python -m advisor.practice.worker REQUEST.json RESULT.json", file=sys.stderr)
        return 2
    request = Request.from_json(json.loads(Path(argv[1]).read_text(encoding="utf-8")))
    report = Report(Path(argv[2]), sum(len(t.jobs) for t in request.tasks))
    if request.parent:
        _watch(request.parent)
        give_way()
    report.at("", "", "start")
    cp, failure = load_cupy()
    if failure is not None:
        report.content.update(failure=failure, now=None)
        report.write()
        return EXIT_MACHINE
    from advisor.practice.bench import card

    report.content.update(card=card(cp), versions=_versions(cp))
    for task in request.tasks:
        if run_task(cp, task, request, report) is not None:
            sys.stdout.flush()
            os._exit(EXIT_CONTEXT)  # After a context error nothing of the context can be freed.
    report.content.update(now=None, done=True)
    report.write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

"""An ncu that needs no GPU: runs the program, and writes the recorded launches that its options select.

STANDIN_LOG: file of its command lines; STANDIN_REPORT: a report; STANDIN_NAMES: the kernel names of its launches, one
per line; STANDIN_FAILS: `STAGE: ERROR` with stage survey, kernel or application.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, os.environ["STANDIN_ROOT"])
WITHOUT_VALUE = ("--force-overwrite",)


def main() -> int:
    arguments = sys.argv[1:]
    with Path(os.environ["STANDIN_LOG"]).open("a", encoding="utf-8") as log:
        print(*arguments, file=log)
    given = {}
    while arguments and arguments[0].startswith("-"):
        name = arguments.pop(0)
        given[name] = "" if name in WITHOUT_VALUE else arguments.pop(0)
    stage = "survey" if "--metrics" in given else given.get("--replay-mode", "kernel")
    failing, _, error = os.environ.get("STANDIN_FAILS", "").partition(": ")
    if failing == stage or failing == "collect" != stage != "survey":
        print(f"==ERROR== {error}")
        return 1
    code = subprocess.call(arguments)
    if code:
        print(f"==PROF== Disconnected from process\n==ERROR== The application returned an error code ({code}).")
        return code
    names = Path(os.environ["STANDIN_NAMES"]).read_text(encoding="utf-8").split()
    pattern = re.compile(given.get("--kernel-name", "regex:").removeprefix("regex:"))
    matching = [at for at, name in enumerate(names) if pattern.search(name)]
    skip = int(given.get("--launch-skip", 0))
    chosen = matching[skip : skip + int(given["--launch-count"])]
    if not chosen:
        print("==WARNING== No kernels were profiled.")
        return 0
    for number, at in enumerate(chosen):
        print(f'==PROF== Profiling "{names[at]}" - {number}: 0%....50%....100% - 8 passes', flush=True)
    write(frozenset(chosen), given["-o"] + ".ncu-rep")
    return 0


def write(launches: frozenset[int], place: str) -> None:
    import io

    from advisor.readers.container import extract, walk

    data = Path(os.environ["STANDIN_REPORT"]).read_bytes()
    out = io.BytesIO()
    extract(data, walk(data), launches, out)
    Path(place).write_bytes(out.getvalue())


sys.exit(main())

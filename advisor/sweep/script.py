"""Write a sweep as a POSIX shell script, for a machine without this program."""

from __future__ import annotations

import shlex
from pathlib import Path

from advisor.profiling.ncu import SUFFIX
from advisor.sweep.plan import FAILED, MANIFEST, Plan, Point, collected, manifest, manifest_text

_HEAD = """\
#!/bin/sh
# Made by `ncu-advisor sweep --script`: builds, runs, checks and profiles {count}, without locking the clocks.
# Run it in the folder of the sources. Then, where ncu-advisor is installed, on a copy of the folder of the reports:
#   ncu-advisor sweep --read {folder}
dir={folder}
mkdir -p "$dir" || exit 2
full='{full}'
limit=
if command -v timeout >/dev/null 2>&1; then limit='timeout {limit}'; fi

begin() {{  # begin NAME: the point whose files are NAME.*; what it needs is written into $out
  point=$1
  out=$(cd "$dir" && pwd)/$point
  echo "$point" >&2
  rm -f "$dir/$point{suffix}" "$dir/$point".[0-9]*{suffix} "$dir/$point{failed}" "$dir/$point".*.log
  mkdir -p "$out"
}}

step() {{  # step STAGE COMMAND...: on failure, note the stage and the exit code
  stage=$1
  shift
  code=0
  $limit "$@" >"$dir/$point.$stage.log" 2>&1 </dev/null || code=$?
  if [ "$code" -ne 0 ]; then
    echo "$stage $code" >"$dir/$point{failed}"
    echo "$point: $stage failed with exit code $code, see $dir/$point.$stage.log" >&2
    if grep -q ERR_NVGPUCTRPERM "$dir/$point.$stage.log"; then
      echo 'the driver keeps performance counters for administrators: run this as root' >&2
      exit 2
    fi
  fi
  return "$code"
}}

command -v ncu >/dev/null 2>&1 || {{ echo 'ncu is not on the PATH' >&2; exit 2; }}
cat >"$dir/{manifest}" <<'END'
{content}END
"""


def script(plan: Plan, folder: Path, repeat: int, limit_s: int) -> str:
    """Return the script. folder: of the reports, relative to where it runs; limit_s: of each command, in seconds."""
    content = manifest_text(manifest(plan, measured=True))
    lines = [
        _HEAD.format(
            count=f"{len(plan.points):,} points",
            folder=shlex.quote(_relative(folder)),
            full=" ".join(collected(1)),
            limit=limit_s,
            suffix=SUFFIX,
            failed=FAILED,
            manifest=MANIFEST,
            content=content,
        )
    ]
    once = plan.build if plan.build is not None and not plan.build.names else None
    if once is not None:
        lines.append(f"point=all\nstep build {once.shell({})} || exit 2")
    for point in plan.points:
        stages = [(stage, command) for stage, command in plan.stages() if command is not once]
        steps = [f"step {stage} {command.shell(dict(point.values))}" for stage, command in stages]
        steps.append(f"step ncu {_ncu(plan, point, folder, 1)}")
        lines.append(f"begin {point.name} &&\n  " + " &&\n  ".join(steps))
    for number in range(2, repeat + 1):
        lines.append(f"\n# Repeat {number} of {repeat}: the duration alone.")
        for point in plan.points:
            again = _ncu(plan, point, folder, number)
            lines.append(
                f'point={point.name} out=$(cd "$dir" && pwd)/{point.name}\n'
                f'[ -f "$dir/{point.name}{SUFFIX}" ] && $limit {again} >"$dir/{point.name}.ncu.log" 2>&1 </dev/null'
            )
    return "\n".join([*lines, "exit 0\n"])


def _relative(folder: Path) -> str:
    """Return the folder as an argument that is no option."""
    text = str(folder)
    return f"./{text}" if text.startswith("-") else text


def _ncu(plan: Plan, point: Point, folder: Path, number: int) -> str:
    """Return the ncu command of a repeat; what the first collects is in a variable."""
    options = plan.ncu_options(point.report(Path(_relative(folder)), number), number)
    what = ("$full", options[len(collected(1)) :]) if number == 1 else ("", options)
    return " ".join(x for x in ("ncu", what[0], shlex.join(what[1]), plan.run.shell(dict(point.values))) if x)

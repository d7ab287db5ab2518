#!/bin/sh
# Profile ten programs with `ncu-advisor profile` on a machine with a GPU, nvcc, CuPy, PyTorch and Triton:
#   sh tests/bench/program/run.sh OUTDIR
# OUTDIR gets a text and a log of each program, and times.txt: seconds alone, of the survey, and of each run of ncu.
out=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
python=${PYTHON:-python3}
cd "$here/../../.." || exit 1
for name in columns several waits graph reads crashes; do
  nvcc -O3 -lineinfo -arch=native -o "$work/$name" "$here/$name.cu" || exit 1
done
show() {
  name=$1
  shift
  "$python" -m advisor profile --report "$work/$name" --format json --out "$work/$name.json" --limit-s 25 -- "$@" 2>"$out/$name.err"
  code=$?
  if [ -f "$work/$name.json" ]; then
    "$python" - "$work/$name.json" "$name" <<'END' >>"$out/times.txt"
import json, sys
d = json.load(open(sys.argv[1]))
share = d.get("gpu_share")
print(f"{sys.argv[2]}: alone {d['seconds_alone']:.2f} s, survey {d['seconds_survey']:.2f} s, ncu "
      f"{', '.join('%.2f s' % r['seconds'] for r in d['runs'])} ({d['runs'][0]['replay']}), GPU "
      f"{'unknown' if share is None else '%.1f %%' % (100 * share)} of the time")
for k in d["kernels"][:4]:
    print(f"  {'*' if k['profiled'] else ' '} {k['kernel'][:50]} {100 * k['share']:.0f} % x{k['launches']}")
for l in d["diagnosis"]["launches"]:
    found = [f["id"] for f in l["findings"]]
    print(f"    {l['kernel'][:40]} {l['duration_ns'] / 1e3:.1f} us: {found[:3]}")
END
  fi
  echo "$name: exit code $code $(tail -n 1 "$out/$name.err" | cut -c1-300)" >>"$out/times.txt"
  for made in "$work/$name"*.ncu-rep; do
    [ -f "$made" ] && xz -q "$made"
  done
}
show columns "$work/columns" 5
show several "$work/several"
show waits "$work/waits"
show graph "$work/graph"
seq 1 1000 | show reads "$work/reads"
show crashes "$work/crashes"
show cupy "$python" "$here/with_cupy.py"
show torch "$python" "$here/with_torch.py"
show triton "$python" "$here/with_triton.py"
show on_cpu "$python" "$here/on_cpu.py"
tar -C "$work" -cf "$out/reports.tar" $(cd "$work" && ls | grep '\.ncu-rep\.xz$')
cat "$out/times.txt"

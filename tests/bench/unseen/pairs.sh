#!/usr/bin/env bash
# Times and profiles the pairs of a round on a machine with a GPU of compute capability 9.0: pairs.sh ROUND OUTDIR
# ROUND is a folder here, such as third.
# OUTDIR gets pack-N.tar, at most 8 of at most 15.5 MB: times.json, profiled-*.json, reports (.ncu-rep.xz) and logs.
# What an earlier run left in WORK is not done again.
# WORK=dir      where all is kept before it is packed      CUBINS=dir    cubins that were built elsewhere
# PYTHON, NCU, NVCC    which to take                       MOST=12       pairs in a report, two launches each or more
# LIMIT_S=500   seconds after which nothing more is started but the packing; GRACE_S=20 for what is under way
# PAIR_S=60     seconds after which a pair is ended; one of very many launches takes longer to profile
# TIME_S=200    seconds for the times before profiling, the rest of them comes last
set -u
start=$EPOCHSECONDS
here=$(cd "$(dirname "$0")" && pwd)
round=$(basename "$1") pairs=$here/$(basename "$1")
out=$(mkdir -p "$2" && cd "$2" && pwd) || exit 2
work=${WORK:-${TMPDIR:-/tmp}/unseen-$round}
python=${PYTHON:-python3} ncu=${NCU:-ncu} nvcc=${NVCC:-nvcc}
cubins=${CUBINS:-$work/cubins}
grace=${GRACE_S:-20} end=$((start + ${LIMIT_S:-500}))
export PYTHONUNBUFFERED=1
mkdir -p "$work" "$cubins"

on_time() { [ "$EPOCHSECONDS" -lt "$end" ]; }

run_until() { # run_until MODE SECONDS [ARGUMENT...]: until a second of the epoch
  local mode=$1 until=$(($2 < end ? $2 : end))
  shift 2
  [ "$EPOCHSECONDS" -lt "$until" ] || return 0
  timeout -k 5 $((until - EPOCHSECONDS + grace)) \
    "$python" "$here/pairs_run.py" "$pairs" "$mode" "$cubins" "$work/times.json" --until "$until" "$@" 2>&1 | tee -a "$work/$mode.log"
}

profile_some() { # profile_some PART: into a report of its own; fails where ncu wrote none
  local part=$1 n=1 name
  while [ -e "$work/profile-$part-$n.log" ] || grep -qs "\"$round-$part-$n\"" "$work/profiled-$part.json"; do n=$((n + 1)); done
  name=$round-$part-$n
  # ncu writes its report when the program ends, so the program is what the inner limit ends.
  timeout -k 5 $((end - EPOCHSECONDS + 2 * grace)) \
    "$ncu" --set full --import-source yes --clock-control none --profile-from-start off --nvtx --target-processes all \
    -f -o "$work/$name" timeout -k 5 $((end - EPOCHSECONDS + grace)) \
    "$python" "$here/pairs_run.py" "$pairs" profile "$cubins" "$work/profiled-$part.json" --part "$part" --times "$work/times.json" \
    --until "$end" --most "${MOST:-12}" --report "$name" >"$work/profile-$part-$n.log" 2>&1 \
    || echo "$round: ncu reports an error, see profile-$part-$n.log"
  grep -h "^profiled" "$work/profile-$part-$n.log"
  if [ -s "$work/$name.ncu-rep" ]; then
    xz -T4 -6 -k -f "$work/$name.ncu-rep" &
    return 0
  fi
  "$python" "$here/pairs_run.py" "$pairs" forget "$cubins" "$work/profiled-$part.json" --report "$name"
  return 1
}

build() {
  local source name
  for source in "$pairs"/*.cu; do
    name=$(basename "$source" .cu)
    [ -s "$cubins/$name.cubin" ] && continue
    "$nvcc" -cubin -arch=sm_90 -lineinfo -O3 -std=c++17 -Xptxas -v -o "$cubins/$name.cubin" "$source" >"$work/build-$name.log" 2>&1 \
      || echo "$round: $name.cu does not build, see build-$name.log" &
  done
  wait
}

build &
building=$!
until=$((EPOCHSECONDS + ${TIME_S:-200}))
run_until time "$until" --part libraries
wait "$building"
run_until time "$until" --part ours
for part in ours libraries; do
  failed=0
  while on_time && [ "$failed" -lt 2 ]; do
    "$python" "$here/pairs_run.py" "$pairs" left "$cubins" "$work/profiled-$part.json" --part "$part" --times "$work/times.json" && break
    profile_some "$part" || failed=$((failed + 1))
  done
done
run_until time "$end"
run_until check "$end"
wait
"$python" - "$work" "$out" <<'PACK'
"""Tar files first fit into packs of at most 15.5 MB, what matters most first."""
import sys, tarfile
from pathlib import Path

work, out = map(Path, sys.argv[1:])
small = sorted([*work.glob("*.json"), *work.glob("*.log")], key=lambda p: (p.suffix != ".json", p.name))
packs = []
for path in [*small, *sorted(work.glob("*.ncu-rep.xz"))]:
    size = path.stat().st_size + 1024
    if size > 15_500_000:
        print(f"{path.name} has {size} bytes and is left out")
        continue
    for pack in packs:
        if pack[0] + size <= 15_500_000:
            break
    else:
        pack = [20_480]
        packs.append(pack)
    pack[0] += size
    pack.append(path)
for n, (_, *paths) in enumerate(packs[:8], 1):
    with tarfile.open(out / f"pack-{n}.tar", "w") as tar:
        for path in paths:
            tar.add(path, path.name)
PACK
ls -l "$work" "$out"
echo "$round: $((EPOCHSECONDS - start)) s"

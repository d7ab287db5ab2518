#!/usr/bin/env bash
# Builds, times and profiles the unseen launches on a machine with a GPU of compute capability 9.0: unseen.sh OUTDIR
# OUTDIR gets times.json, unseen-{ours,libraries}-N.ncu-rep, profiled-{ours,libraries}.json (which launch of which report
# each is) and the logs. What an earlier run left there is not done again.
# CUBINS=dir    cubins that were built elsewhere     PYTHON, NCU, NVCC    which to take
# LIMIT_S=240   seconds after which nothing more is started; what is under way is given GRACE_S=40 to end
# TIME_S=60     seconds for the times before profiling, the rest of them comes last    MOST=10    launches in a report
set -u
start=$EPOCHSECONDS
out=$(mkdir -p "$1" && cd "$1" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3} ncu=${NCU:-ncu} nvcc=${NVCC:-nvcc}
cubins=${CUBINS:-$out/cubins}
grace=${GRACE_S:-40} end=$((start + ${LIMIT_S:-3600}))
part_s=300 # after which a report, or a round of times, is ended: so much is lost where something hangs

on_time() { [ "$EPOCHSECONDS" -lt "$end" ]; }

time_until() { # time_until SECONDS: of the epoch
  local until=$(($1 < end ? $1 : end))
  [ "$EPOCHSECONDS" -lt "$until" ] || return 0
  timeout -k 5 $((until - EPOCHSECONDS + grace)) \
    "$python" "$here/run.py" time "$cubins" "$out/times.json" --until "$until" 2>&1 | tee -a "$out/times.log"
}

profile_some() { # profile_some PART: into a report of its own; fails where ncu wrote none
  local part=$1 n=1 name until=$((EPOCHSECONDS + part_s))
  [ "$until" -lt "$end" ] || until=$end
  while [ -e "$out/profile-$part-$n.log" ] || grep -qs "\"unseen-$part-$n\"" "$out/profiled-$part.json"; do n=$((n + 1)); done
  name=unseen-$part-$n
  # ncu writes its report when the program ends, so the program is what the inner limit ends.
  timeout -k 5 $((until - EPOCHSECONDS + 2 * grace)) \
    "$ncu" --set full --import-source yes --clock-control none --profile-from-start off --nvtx --target-processes all \
    -f -o "$out/$name" timeout -k 5 $((until - EPOCHSECONDS + grace)) \
    "$python" "$here/run.py" profile "$cubins" "$out/profiled-$part.json" --part "$part" --times "$out/times.json" \
    --until "$until" --most "${MOST:-10}" --report "$name" >"$out/profile-$part-$n.log" 2>&1 \
    || echo "unseen: ncu reports an error, see profile-$part-$n.log"
  grep -h "^profiled" "$out/profile-$part-$n.log"
  [ -s "$out/$name.ncu-rep" ] && return 0
  "$python" "$here/run.py" forget "$cubins" "$out/profiled-$part.json" --report "$name"
  return 1
}

mkdir -p "$cubins"
for source in "$here"/*.cu; do
  name=$(basename "$source" .cu)
  [ -s "$cubins/$name.cubin" ] && continue
  "$nvcc" -cubin -arch=sm_90 -lineinfo -O3 -std=c++17 -Xptxas -v -o "$cubins/$name.cubin" "$source" >"$out/build-$name.log" 2>&1 \
    || echo "unseen: $name.cu does not build, see build-$name.log" &
done
wait
[ "${ONLY:-time}" = profile ] || time_until $((EPOCHSECONDS + ${TIME_S:-60}))
for part in ours libraries; do
  failed=0
  while on_time && [ "$failed" -lt 2 ]; do
    "$python" "$here/run.py" left "$cubins" "$out/profiled-$part.json" --part "$part" --times "$out/times.json" && break
    profile_some "$part" || failed=$((failed + 1))
  done
done
[ "${ONLY:-time}" = profile ] || time_until $((EPOCHSECONDS + part_s))
ls -l "$out"

#!/usr/bin/env bash
# Builds, times and profiles the unseen launches on a machine with a GPU of compute capability 9.0: unseen.sh OUTDIR
# OUTDIR gets times.json, unseen-{ours,libraries}.ncu-rep (with -2, -3 where another process went on),
# profiled-*.json (the order of the launches) and the logs. CUBINS=dir takes cubins that were built elsewhere; PYTHON, NCU, NVCC.
set -u
out=$(mkdir -p "$1" && cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3} ncu=${NCU:-ncu} nvcc=${NVCC:-nvcc}
cubins=${CUBINS:-$out/cubins}
mkdir -p "$cubins"
for source in "$here"/*.cu; do
  name=$(basename "$source" .cu)
  [ -s "$cubins/$name.cubin" ] && continue
  "$nvcc" -cubin -arch=sm_90 -lineinfo -O3 -std=c++17 -Xptxas -v -o "$cubins/$name.cubin" "$source" >"$out/build-$name.log" 2>&1 \
    || echo "unseen: $name.cu does not build, see build-$name.log" &
done
wait
[ "${ONLY:-time}" = profile ] || "$python" "$here/run.py" time "$cubins" "$out/times.json" 2>&1 | tee "$out/times.log"
for part in ours libraries; do
  for try in "" -2 -3; do
    "$python" "$here/run.py" left "$cubins" "$out/profiled-$part.json" --part "$part" --times "$out/times.json" && break
    timeout 400 "$ncu" --set full --import-source yes --clock-control none --profile-from-start off --nvtx -f \
      -o "$out/unseen-$part$try" "$python" "$here/run.py" profile "$cubins" "$out/profiled-$part.json" --part "$part" \
      --times "$out/times.json" --report "unseen-$part$try" >"$out/profile-$part$try.log" 2>&1 \
      || echo "unseen: ncu reports an error, see profile-$part$try.log"
  done
  grep -h "^profiled" "$out"/profile-"$part"*.log
done
ls -l "$out"

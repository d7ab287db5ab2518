#!/usr/bin/env bash
# Builds, times and profiles the kernels with published optimisations on a machine with a GPU: published.sh OUTDIR
# OUTDIR gets times.jsonl (old time over new of each pair, and whether the results agree), NAME.ncu-rep (the slow and the
# fixed launch, each after one warm-up) and NAME.log. A case that fails stops no other.
# ARCH=sm_90   CASES="transpose spmv"   SET=basic (of ncu; full)   NCU, NVCC   which to take
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: published.sh OUTDIR}"
out=$(cd "$1" && pwd)
cases=${CASES:-$(cd "$here/cases" && ls ./*.cu | sed 's|^./||; s|\.cu$||')}
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
cd "$here/cases" || exit 1

printf '%s\n' $cases | xargs -P "$(nproc)" -I{} sh -c \
  "${NVCC:-nvcc} -O3 -std=c++17 -arch=${ARCH:-sm_90} -lineinfo -o '$programs/{}' {}.cu >'$out/{}.log' 2>&1 || echo 'not compiled: {}'"
: >"$out/times.jsonl"
for name in $cases; do
  [ -x "$programs/$name" ] || continue
  timeout 60 "$programs/$name" 2>>"$out/$name.log" | grep '"slow_us"' >>"$out/times.jsonl" || echo "not timed: $name"
  kernels=$(sed -n 's/.*bench(argc, argv, "[a-z0-9_]*", "\([A-Za-z0-9_]*\)", "\([A-Za-z0-9_]*\)".*/\1|\2/p' "$name.cu" | head -1)
  timeout 120 "${NCU:-ncu}" --set "${SET:-full}" --import-source yes --clock-control none -k "regex:^($kernels)\$" --launch-skip 2 \
    --launch-count 2 -f -o "$out/$name" "$programs/$name" profile >>"$out/$name.log" 2>&1 || echo "not profiled: $name"
done

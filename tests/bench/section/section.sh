#!/usr/bin/env bash
# The written section beside ncu's full set, on a machine with a GPU of compute capability 9.0: section.sh OUTDIR
# OUTDIR gets NcuAdvisor.section, the reports, section.json, log.txt, what ncu says of the section itself, and speed.txt:
# `diagnose` of a report of 40 launches and 70 MB beside ncu's own details page.
# PYTHON, NCU: which to take     LIMIT_S=480: seconds after which no group is begun; a second call goes on from there
# ARGS: more options of run.py, such as `--clock-control none` where clocks cannot be locked
set -u
out=$(mkdir -p "$1" && cd "$1" && pwd) || exit 2
cd "$(dirname "$0")/../../.." || exit 2
python=${PYTHON:-python3} ncu=${NCU:-$(command -v ncu)}
[ -n "$ncu" ] || { echo "section.sh: no ncu; name it in NCU" >&2; exit 2; }
"$python" -m advisor collect --section-file "$out" >"$out/command.txt" || exit 2
"$ncu" --version >"$out/version.txt"
# A mistake in the file shows here, and so does every metric that the chip lacks.
"$ncu" --section-folder "$out" --list-sections 2>&1 | grep -i "advisor\|error" | tee "$out/listed.txt"
# shellcheck disable=SC2086  # ARGS holds several words
"$python" -m tests.bench.section.run "$out" --ncu "$ncu" --limit "${LIMIT_S:-480}" ${ARGS:-} 2>&1 | tee "$out/log.txt"
code=${PIPESTATUS[0]}
[ -e "$out/speed.txt" ] || {
  "$python" -m tests.bench.large_report "$out/large.ncu-rep" \
    && "$python" -m tests.bench.beside_ncu "$out/large.ncu-rep" "$ncu" >"$out/speed.part" \
    && mv "$out/speed.part" "$out/speed.txt"
}
[ ! -e "$out/speed.txt" ] || cat "$out/speed.txt"
rm -f "$out/large.ncu-rep" "$out/speed.part"
exit "$code"

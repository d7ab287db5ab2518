"""Apply the rule of a folder to every launch of some reports, in an interpreter without packages: JSON lines.

Arguments: the folder of the rule, the folder in which ncu_report is, the reports.
"""

import json
import sys
from pathlib import Path

_FOLDER, _LIBRARY, *_REPORTS = sys.argv[1:]
sys.path[:0] = [str(Path(__file__).parent), _LIBRARY]
import ncu_report  # noqa: E402
import NvRules  # noqa: E402

sys.path[:] = [place for place in sys.path if place != _LIBRARY]
for name in ("numpy", "pandas", "msgspec", "yaml", "experta", "advisor"):
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit(f"this interpreter has {name}")
sys.path.insert(0, _FOLDER)
import NcuAdvisor  # noqa: E402

for report in _REPORTS:
    loaded = ncu_report.load_report(report)
    for number in range(loaded.num_ranges()):
        part = loaded.range_by_idx(number)
        for place in range(part.num_actions()):
            context = NvRules.Context(part.action_by_idx(place))
            NcuAdvisor.apply(context)
            print(json.dumps(context.frontend().shown | {"report": report, "rule": NcuAdvisor.get_identifier()}))
left = {"numpy", "pandas", "msgspec", "advisor"} & set(sys.modules)
assert not left, f"the rule leaves {left} behind for other rules"

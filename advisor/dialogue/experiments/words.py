"""The words of the experiment log and of the comparison after a fix."""

from __future__ import annotations

from typing import Final

VERSION: Final = "v{number}"
NEW: Final = "New version"
COMPARED: Final = "Compared"
JUDGED: Final = {
    "faster": "Faster: {speed} as fast",
    "slower": "Slower: it takes {speed} as long",
    "same": "No difference that could be told from noise",
    "unknown": "Without both times nothing can be said of faster or slower",
}
TIMES: Final = "{before} → {after} ({change}; noise {noise})"
TIME: Final = "Time"
CLASS: Final = "Class"
CLASS_AS_BEFORE: Final = "{title}, as before"
GONE: Final = "Gone"
STAYED: Final = "Stayed"
CAME: Final = "Came"
PROMISE: Final = "Promised"
NEXT: Final = "Next"
TRAP: Final = "Mind"
CAREFUL: Final = "Careful"
MOVED: Final = "Moved"
MOVED_TEXT: Final = "{metric}: {before} → {after}"
LOG: Final = "Log"
LOG_TITLE: Final = "The versions so far"
LOG_EMPTY: Final = (
    "There is one version so far. After a change give the new report (/compare REPORT), and it becomes a row here."
)
LOG_RATIO: Final = ", {ratio:.2f} times as fast as the version before"
LOG_CHANGE: Final = "Change"
LOG_SEEN: Final = "Seen"
LOG_NEXT: Final = "Next"
LOG_TOTAL: Final = "Together"
LOG_TOTAL_TEXT: Final = "{ratio:.2f} times as fast as {first}"
SEEN: Final = "{verdict}; {finding}"
SEEN_ONLY: Final = "{verdict}"
SAME_SEEN: Final = "; no difference in time beyond noise"
ADVICE: Final = {
    "go_on": "go on: {title}",
    "stop": "stop",
    "go_back": "take the change back",
    "look": "look at what differs first",
}
BEGUN: Final = "The numbers of {version} are kept. Type those of the new version: what is asked is asked anew."
NO_MATCH: Final = "{report} holds no launch of {kernel}: name the launch that is meant as {report}#N"
NOT_COMPARED: Final = "The new version is not concluded yet: give its numbers first."
NO_INDEX: Final = "{report} has no launch {launch}: they count from 0 to {highest}"
OF_REPORT: Final = "A new version of a report is a new report: /compare FILE. /version is for typed numbers."

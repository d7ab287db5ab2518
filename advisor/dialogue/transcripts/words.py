"""The words of transcripts: what was done, told to whoever plays it again, and what is wrong with a file."""

from __future__ import annotations

from typing import Final

NOT_AGAIN: Final = "exercises are not run again when a session is replayed"
NOT_CARRIED: Final = "{names}: this session was saved without it, and files that a session names are not opened"
NOT_BUNDLED: Final = "{name}: no such file comes with this version of ncu-advisor"
NO_CODE: Final = "{name}: the session was saved without the code: open the report itself to see its source"
NO_SUCH_REPORT: Final = "the transcript holds a launch of a report that it does not name"
RULES_NOT_CARRIED: Final = "{name}: the session used a team's rules that are too large to be saved with it"
BAD_NAME: Final = "{name!r} is not the name of a file that a session may carry"
TOO_MANY_FILES: Final = "it carries more files than any session needs"
BAD_RULES: Final = "the rules that it carries are refused: {problem}"
NO_ROOM: Final = "no room for what the session carries in the folder for temporary files: {why}"
IGNORED: Final = "this could not be done here: nothing came of it"

# What was done, in words. {…} are fields of the deed.
DONE: Final = {
    "begin": "begins with {paths}",
    "launch": "looks at the launch at place {position}",
    "launches": "goes to the list of launches",
    "finding": "looks at the finding {finding}",
    "fix": "asks for the fix",
    "evidence": "asks for the numbers behind it",
    "missing": "asks what the report lacks",
    "ask": "takes up the question {question}",
    "answer": "answers {question}: {value}",
    "skip": "puts off {question}",
    "napkin": "begins the napkin math",
    "numbers": "goes on with the numbers",
    "conclude": "wants the conclusion",
    "why": "asks why",
    "how": "asks how {finding} was concluded",
    "whynot": "asks why not {finding}",
    "whatif": "asks what if {values}",
    "explain": "asks what {word} means",
    "help": "asks for help",
    "unclear": "types {text}, which is not understood",
    "cancel": "calls the work off",
    "retry": "tries again",
    "steps": "looks at the steps of the method",
    "goto": "goes to the step {step}",
    "expect": "expects the bound {bound}",
    "volunteer": "tells {values}",
    "report": "gives the new report {path}",
    "version": "begins a new version: {change}",
    "log": "looks at the experiment log",
    "trace": "gives the trace {paths}",
    "collect": "asks for the command that collects more",
    "write": "saves the session as {what}",
    "practise": "practises: {action} {exercise}",
    "view": "opens {view}",
    "leave": "leaves the view",
    "source": "wants the source {sought}",
    "suppose": "tries {values}",
    "quit": "ends the session",
}
LAUNCH: Final = "looks at {kernel}"
ONE_OF_LAUNCHES: Final = "looks at {kernel}, the launch at place {position}"
AS_MEASURED: Final = "takes the measured values again"
SOUGHT: Final = {
    "by": "by {value}",
    "search": "with {value}",
    "where": "where {value}",
    "columns": "with columns {value}",
}
SOUGHT_FIRST: Final = "by the measure of the finding"
OPENED: Final = {
    "source": "the source",
    "proof": "the proof",
    "whatif": "what-if",
    "timeline": "the timeline",
    "knowledge": "the knowledge base",
    "practice": "the exercises",
    "steps": "the steps of the method",
    "log": "the experiment log",
}
OPENED_AT: Final = "{view}: {subject}"
DONT_KNOW: Final = "don't know"
NOTHING: Final = "nothing"
AT_HAND: Final = "this"
NO_REPORT: Final = "no report"

# What `replay` says.
STEP: Final = "step {number}, {what}"
SAME: Final = "{name}: all {count} conclusions as saved"
DIFFERS: Final = "{name}: {count} of {steps} steps conclude something else"
EXPECTED: Final = "expected"
CAME: Final = "came"
ABSENT: Final = "nothing"
ACCEPTED: Final = "{name}: rewritten"
UNCHANGED: Final = "{name}: already so, not rewritten"
NONE_FOUND: Final = "no transcript (*.jsonl) in {folder}"
NOTHING_KEPT: Final = "no session is kept yet: they are saved while you work, or with /save in a session"
ONE_OF: Final = "--check only looks and --accept rewrites: give one of them"
WHICH_FILE: Final = "name the sessions to check: files, or folders of them"
RECORD_ALONE: Final = "--record makes a session of a script: give neither sessions nor --check, --accept or --export"
EXPORT_ALONE: Final = "--export writes one session: name one file, and give neither --check nor --accept with it"
OVER_ITSELF: Final = "{name}: is the session itself: name another file"
OUT_WITH_RECORD: Final = "--out belongs to --record SCRIPT.yaml and to --export"
ONE_AT_A_TIME: Final = "one session at a time can be played: name one file, or give --check"
WOULD_LOSE: Final = "{name}: not rewritten: it holds lines that this version does not know: update ncu-advisor"
CANNOT_BE_DONE: Final = "{name}: not rewritten: step {number} cannot be done any more: record the session anew"
MANY_MORE: Final = "… and {count} more"
MORE_STEPS: Final = "… and {count} later steps"

# Sessions that were kept.
TYPED: Final = "numbers typed by hand"
AND_OTHERS: Final = "{name} and {count} more"
NOW: Final = "just now"
YESTERDAY: Final = "yesterday"
AGO: Final = "{time} ago"
BROKEN_OFF: Final = "broken off"
OPEN_NOW: Final = "open now"
KEPT_TITLE: Final = "Sessions kept by themselves, the latest first (ncu-advisor replay ID):"
BUNDLED_TITLE: Final = "Sessions that come with the program (ncu-advisor replay NAME):"

# What /save and the saving by itself say.
WRITTEN: Final = "Saved"
WRITTEN_AGAIN: Final = "Saved again, in the same file"
FILE: Final = "File"
REPLAY_IT: Final = "ncu-advisor replay {path} plays it again, with --check it tells whether all is still concluded so"
BAD_PLACE: Final = "{path}: cannot be a file: {why}"
NO_SESSION_THERE: Final = "{path}: holds something that is no session: name another file"
OTHER_SESSION_THERE: Final = "{path}: holds another session: name another file, or remove it first"
NAME_IT: Final = "this folder is full of numbered sessions: give the file a name of its own (/save NAME)"
NOT_KEPT: Final = "This session cannot be saved by itself, and goes on all the same: {why}"
TAKEN: Final = "this session is open in another terminal"
CHANGED_SINCE: Final = "{name}: has changed since, and so may what is concluded"

"""The slash commands in words: what each takes and does. Help, completion and the parser all read this one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Described:
    """A slash command: its name, what it takes in words ([optional]), and what it does."""

    name: str
    takes: str
    does: str

    @property
    def usage(self) -> str:
        """As it is typed: `/how [finding]`."""
        return f"/{self.name} {self.takes}".strip()


COMMANDS: Final = (
    Described("why", "", "why a question is asked, or why this class"),
    Described("how", "[finding]", "how a finding was concluded, down to the numbers and sources"),
    Described("proof", "[finding]", "the same as a tree that folds"),
    Described("whynot", "finding", "why a finding was not concluded"),
    Described("whatif", "[metric=value, …]", "what would be concluded with other values; alone: try them by steps"),
    Described("explain", "[word]", "what a metric, stall, opcode, finding or term means; alone: browse"),
    Described("evidence", "", "the numbers behind the finding"),
    Described("fix", "", "the fix, step by step"),
    Described("missing", "", "what the report lacks"),
    Described("collect", "", "the ncu command that collects what is missing"),
    Described("source", "[measure] [/regex/] [test]", "hot lines and instructions, such as /source /LDG/ share>5%"),
    Described("timeline", "[file]", "the timeline of the whole program, or read a trace of Nsight Systems"),
    Described("steps", "", "the steps of the method, and where you are"),
    Described("goto", "step", "a step of the method: what to do there, what your launch says about it"),
    Described("compare", "file [what you changed]", "a new report after a change, set beside this one"),
    Described("version", "[what you changed]", "typed numbers: a new version of the code"),
    Described("log", "", "the log of versions: time, observation, next step"),
    Described("kernel", "[number or name]", "another launch"),
    Described("kernels", "", "the list of launches"),
    Described("napkin", "", "compare with what the algorithm needs"),
    Described("practice", "[exercise]", "kernels with a known fault, to find and mend"),
    Described("back", "", "undo the last thing you did"),
    Described("skip", "", "put the question off"),
    Described("save", "[file]", "keep this session, to be replayed"),
    Described("export", "md|html|json [file]", "the session as a page or as data"),
    Described("help", "", "this list"),
    Described("quit", "", "leave"),
)
BY_NAME: Final = {command.name: command for command in COMMANDS}

# Said without a slash: the words -> the command and what it is given.
SAID: Final = {
    "why": "why",
    "why this": "why",
    "how": "how",
    "why not": "whynot",
    "how come": "how",
    "how so": "how",
    "how sure": "how",
    "how sure are you": "how",
    "how certain": "how",
    "are you sure": "how",
    "how do you know": "how",
    "prove it": "proof",
    "proof": "proof",
    "show the proof": "proof",
    "back": "back",
    "undo": "back",
    "go back": "back",
    "undo that": "back",
    "help": "help",
    "help me": "help",
    "commands": "help",
    "what can i say": "help",
    "what can i do": "help",
    "what can i type": "help",
    "quit": "quit",
    "exit": "quit",
    "bye": "quit",
    "leave": "quit",
    "skip": "skip",
    "later": "skip",
    "ask me later": "skip",
    "what if": "whatif",
    "what would change it": "whatif",
    "collect": "collect",
    "how to collect": "collect",
    "what is missing": "missing",
    "what is lacking": "missing",
    "the numbers": "evidence",
    "numbers": "evidence",
    "where": "source",
    "code": "source",
    "sass": "source",
    "hot lines": "source",
    "hot spots": "source",
    "lines": "source",
    "the method": "steps",
    "method": "steps",
    "where am i": "steps",
    "history": "log",
    "experiments": "log",
    "experiment log": "log",
    "other kernels": "kernels",
    "launches": "kernels",
    "other launches": "kernels",
    "list": "kernels",
    "trace": "timeline",
    "system": "timeline",
    "exercises": "practice",
    "exercise": "practice",
    "how do i fix it": "fix",
    "how to fix it": "fix",
    "fix it": "fix",
    "what should i do": "fix",
    "what to do": "fix",
    "save": "save",
    "save the session": "save",
}
# Said of numbers, around their names: they name nothing themselves.
FILLERS: Final = frozenset(
    (
        *("a", "about", "almost", "and", "approximately", "are", "around", "at", "equals", "from", "gives", "had"),
        *("has", "have", "i", "is", "it", "its", "kernel", "me", "my", "ncu", "nearly", "of", "on", "our", "percent"),
        *("reads", "roughly", "runs", "said", "says", "shows", "than", "that", "the", "there", "to", "value", "was"),
        *("we", "were", "with"),
    )
)
YES: Final = ("y", "yes", "yep", "yeah", "sure", "ok", "okay", "true")
NO: Final = ("n", "no", "nope", "false")

WHICH_NUMBER: Final = "That could be several numbers: choose one."
NO_VALUE: Final = "{name} needs a number behind it."
# What people call the bound that they expect -> its id.
BOUNDS: Final = {
    "memory": ("memory", "dram", "bandwidth", "memory bandwidth", "mem", "dram bandwidth", "bytes", "traffic"),
    "compute": ("compute", "arithmetic", "math", "alu", "fma", "flops", "flop", "computation", "the arithmetic"),
    "latency": ("latency", "neither", "waiting", "stalls", "occupancy", "none of both"),
}

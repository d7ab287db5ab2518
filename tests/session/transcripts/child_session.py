"""A session in a process of its own, to be killed: says each step on stdout once it is done and kept.

python child_session.py FOLDER SEED
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from session.transcripts.talk import Talk

from advisor.session import events as e


def main() -> None:
    folder, chance = Path(sys.argv[1]), random.Random(int(sys.argv[2]))
    talk = Talk(place=folder).begin("tour.ncu-rep").do(e.LaunchSelected(1))
    done = 1
    while True:
        talk.do(e.NotUnderstood(f"step {done + 1} " + "x" * chance.randrange(2000)))
        done += 1
        if chance.random() < 0.7:  # the others are written together with a later one
            talk.saving.flush()
            print(done, flush=True)


if __name__ == "__main__":
    main()

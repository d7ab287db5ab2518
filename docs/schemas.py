"""Write the JSON schemas of the documents that the commands print: docs/schemas/NAME.json.

python docs/schemas.py            # rewrite the files
python docs/schemas.py --check    # exit 1 if one is out of date
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from advisor.cli.json_schema import DOCUMENTS, TRANSCRIPT, schema

NAMES = (*DOCUMENTS, TRANSCRIPT)
FOLDER = Path(__file__).resolve().parent / "schemas"


def main() -> int:
    """Rewrite the schemas, or check them."""
    made = {FOLDER / f"{name}.json": json.dumps(schema(name), indent=1, sort_keys=False) + "\n" for name in NAMES}
    if "--check" in sys.argv:
        there = {path: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
        return int(made != there)
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.json"):
        path.unlink()
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Copies recordings and the programs that replay them: ``python -m tests.recordings.copy FROM``.

FROM holds ``conformance/`` and ``kubectl/``. A file whose content would not change is not written, because another
release of the compressor could write other bytes.
"""

import argparse
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from tests.recordings.archive import packed, path_of, unpacked

_SUITES: Final = {
    "auth": "conformance/auth/*.json",
    "cases": "conformance/cases/*.json",
    "controllers": "conformance/controllers/*.json",
    "extensions": "conformance/extensions/*.json",
    "kinds": "conformance/kinds/*.json",
    "kubectl": "kubectl/sessions/*.json",
    "kubectl-kinds": "kubectl/kinds.json",
}
"""Paths of the recordings of each suite. Each file contains a list of them."""
_PROGRAMS: Final = (
    "conformance/conformance.py",
    "conformance/webhooks.py",
    "conformance/webhooks.pem",
    "conformance/tokens.csv",
    "kubectl/sessions.py",
)
_REFERENCE: Final = Path(__file__).with_name("reference")


def main() -> None:
    """Copy all recordings, and print the number of each suite."""
    parser = argparse.ArgumentParser(prog="tests.recordings.copy", description=__doc__)
    parser.add_argument("source", type=Path, metavar="FROM")
    source: Path = parser.parse_args().source
    for program in _PROGRAMS:
        # Copy only the contents, not the file mode: the source may be write-protected.
        shutil.copyfile(source / program, _REFERENCE / Path(program).name)
    for suite, pattern in _SUITES.items():
        recordings = _read(sorted(source.glob(pattern)))
        if not recordings:
            raise SystemExit(f"there is nothing at {source / pattern}")
        size = _store(path_of(suite), recordings)
        print(f"{suite}: {len(recordings)} recordings in {size:,} bytes")  # noqa: T201 - a program's output


def _read(files: Iterable[Path]) -> list[Any]:
    return [recording for file in files for recording in json.loads(file.read_text())]


def _store(path: Path, recordings: list[Any]) -> int:
    if not path.exists() or unpacked(path) != recordings:
        path.write_bytes(packed(recordings))
    return path.stat().st_size


if __name__ == "__main__":
    main()

"""Reading a report that ``memkube hunt --report`` wrote."""

import json
from pathlib import Path
from typing import Any, Final

from memkube.errors import UsageError

_FIELDS: Final = ("findings", "plans", "runs", "seconds", "seed", "coverage")
_OF_FINDINGS: Final = ("pattern", "oracle", "plan", "objects", "explanation")


def read_report(path: Path) -> dict[str, Any]:
    """Return a report as JSON data, with the text of each finding's plan as ``planText``.

    Raises UsageError if the file cannot be read, or is not a report.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the report {path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path} is not the report of a hunt: {error}") from None
    if not _is_report(report):
        raise UsageError(f"{path} is not the report of a hunt: it lacks one of {', '.join(_FIELDS)}")
    for finding in report["findings"]:
        # Only files in the folder of the report are read, even if the report names a file elsewhere.
        plan = path.parent / Path(finding["plan"]).name
        finding["planText"] = plan.read_text(encoding="utf-8") if plan.is_file() else ""
    return dict(report)


def _is_report(report: Any) -> bool:
    if not isinstance(report, dict) or any(name not in report for name in _FIELDS):
        return False
    return all(isinstance(one, dict) and all(name in one for name in _OF_FINDINGS) for one in report["findings"])

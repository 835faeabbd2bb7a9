"""Options of the audit log: those of kube-apiserver's ``--audit-policy-file`` and ``--audit-log-*``."""

from pathlib import Path
from typing import NamedTuple

JSON_LINES = "json"
LEGACY = "legacy"


class AuditOptions(NamedTuple):
    """Options of the audit log: its policy, and the path, format and rotation of its file."""

    policy_file: Path
    """YAML file with the audit policy."""
    path: str = "-"
    """Path of the log file; ``-`` for the standard output."""
    format: str = JSON_LINES
    """``json`` for a line of JSON for each event, ``legacy`` for a line of plain text."""
    max_megabytes: int = 0
    """Size in megabytes at which the file is renamed and a new one begins; 0 for no limit."""
    max_backups: int = 0
    """Maximum number of renamed files to keep; 0 for no limit."""
    max_age_days: int = 0
    """Age in days at which renamed files are deleted; 0 to keep them."""

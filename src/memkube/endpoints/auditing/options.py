"""Options of the audit log, as of kube-apiserver's ``--audit-policy-file`` and ``--audit-log-*``."""

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
    """``json``: a line of JSON for each event. ``legacy``: a line of text."""
    max_megabytes: int = 0
    """Size at which the file is renamed and a new one begun; 0 for never."""
    max_backups: int = 0
    """Maximum number of renamed files; 0 for all."""
    max_age_days: int = 0
    """Number of days after which renamed files are deleted; 0 for never."""

"""Options of auditing: kube-apiserver's ``--audit-policy-file``, ``--audit-log-*`` and ``--audit-webhook-*``."""

from pathlib import Path
from typing import NamedTuple

JSON_LINES = "json"
LEGACY = "legacy"


class AuditWebhookOptions(NamedTuple):
    """Options of the webhook that receives audit events in batches (``--audit-webhook-mode=batch``)."""

    kubeconfig: Path
    """Kubeconfig with the address of the webhook, and with the credentials that the server sends to it."""
    buffer_size: int = 10_000
    """Maximum number of events that wait to be sent; further ones are dropped, and a warning is logged."""
    batch_size: int = 400
    """Maximum number of events in one request."""
    batch_seconds: float = 30
    """Maximum number of seconds, in real time, that an event waits before its batch is sent although it is not full."""
    backoff_seconds: float = 10
    """Seconds to wait before a failed request is sent again for the first time."""


class AuditOptions(NamedTuple):
    """Options of auditing: the policy, the path, format and rotation of the log file, and the webhook."""

    policy_file: Path
    """YAML file with the audit policy."""
    path: str = "-"
    """Path of the log file; ``-`` for the standard output, empty for no file."""
    format: str = JSON_LINES
    """``json`` for a line of JSON for each event, ``legacy`` for a line of plain text."""
    max_megabytes: int = 0
    """Size in megabytes at which the file is renamed and a new one begins; 0 for no limit."""
    max_backups: int = 0
    """Maximum number of renamed files to keep; 0 for no limit."""
    max_age_days: int = 0
    """Age in days at which renamed files are deleted; 0 to keep them."""
    webhook: AuditWebhookOptions | None = None
    """The webhook that receives audit events in addition to the log file; None for no webhook."""

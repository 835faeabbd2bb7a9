"""Options of auditing: the audit policy, the log file and its rotation, and a webhook that receives audit events."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from memkube.cli.commands import ANY_PATH, PATH
from memkube.cli.options.durations import seconds_of
from memkube.cli.options.groups import option
from memkube.endpoints.auditing.options import AuditOptions, AuditWebhookOptions


@dataclass(frozen=True, slots=True)
class AuditLogOptions:
    """Options of auditing: the policy, the path, format and rotation of the log file, and the webhook."""

    audit_policy_file: Path | None = option(
        "YAML file with the audit policy, which decides what the audit log records.", type=PATH
    )
    audit_log_path: str = option(
        "File of the audit log, or - for the standard output. It needs an audit policy.",
        type=ANY_PATH,
        default="",
    )
    audit_log_format: Literal["json", "legacy"] = option(
        "Format of the lines of the audit log: json, or legacy for plain text.",
        type=click.Choice(["json", "legacy"]),
        default="json",
    )
    audit_log_maxsize: int = option(
        "Megabytes at which the audit log is renamed and a new file begun; 0 for never.",
        type=click.IntRange(0),
        default=0,
    )
    audit_log_maxbackup: int = option(
        "Maximum number of renamed audit logs that are kept; 0 for all.", type=click.IntRange(0), default=0
    )
    audit_log_maxage: int = option(
        "Days after which renamed audit logs are deleted; 0 for never.", type=click.IntRange(0), default=0
    )

    audit_webhook_config_file: Path | None = option(
        "Kubeconfig of a webhook that receives the events of the audit log in batches. It needs an audit policy.",
        metavar="FILE",
        type=PATH,
    )
    audit_webhook_batch_max_size: int = option(
        "Maximum number of events in one request to the webhook of the audit log.", type=click.IntRange(1), default=400
    )
    audit_webhook_batch_max_wait: str = option(
        "Maximum time for which events are collected for one request to the webhook, such as 30s.", default="30s"
    )

    def log(self) -> AuditOptions | None:
        """Return the settings of auditing, or None if no policy, log file or webhook is given.

        Raises ValueError if a policy is given without a log file and without a webhook. Raises it also if a log file or
        a webhook is given without a policy.
        """
        is_written = bool(self.audit_log_path or self.audit_webhook_config_file)
        if self.audit_policy_file is None and not is_written:
            return None
        if self.audit_policy_file is None or not is_written:
            raise ValueError(
                "--audit-policy-file must be given together with --audit-log-path or --audit-webhook-config-file"
            )
        return AuditOptions(
            self.audit_policy_file,
            self.audit_log_path,
            self.audit_log_format,
            self.audit_log_maxsize,
            self.audit_log_maxbackup,
            self.audit_log_maxage,
            self._webhook(),
        )

    def _webhook(self) -> AuditWebhookOptions | None:
        if self.audit_webhook_config_file is None:
            return None
        return AuditWebhookOptions(
            self.audit_webhook_config_file,
            batch_size=self.audit_webhook_batch_max_size,
            batch_seconds=seconds_of(self.audit_webhook_batch_max_wait),
        )

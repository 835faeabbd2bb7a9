"""Options of the audit log."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from typer import Option

from memkube.endpoints.auditing.options import AuditOptions


@dataclass(frozen=True, slots=True)
class AuditLogOptions:
    """Options of the audit log: its policy, and the path, format and rotation of its file."""

    audit_policy_file: Annotated[
        Path | None, Option(help="YAML file with the audit policy, which decides what the audit log records.")
    ] = None
    audit_log_path: Annotated[
        str, Option(help="File of the audit log, or - for the standard output. It needs an audit policy.")
    ] = ""
    audit_log_format: Annotated[
        Literal["json", "legacy"], Option(help="Format of the lines of the audit log: JSON, or text.")
    ] = "json"
    audit_log_maxsize: Annotated[
        int, Option(min=0, help="Megabytes at which the audit log is renamed and a new file begun; 0 for never.")
    ] = 0
    audit_log_maxbackup: Annotated[
        int, Option(min=0, help="Maximum number of renamed audit logs that are kept; 0 for all.")
    ] = 0
    audit_log_maxage: Annotated[
        int, Option(min=0, help="Days after which renamed audit logs are deleted; 0 for never.")
    ] = 0

    def log(self) -> AuditOptions | None:
        """Return the settings of the audit log; None if neither file nor policy is given.

        Raises ValueError if only one of them is given.
        """
        if self.audit_policy_file is None and not self.audit_log_path:
            return None
        if self.audit_policy_file is None or not self.audit_log_path:
            raise ValueError("--audit-log-path and --audit-policy-file must be given together")
        return AuditOptions(
            self.audit_policy_file,
            self.audit_log_path,
            self.audit_log_format,
            self.audit_log_maxsize,
            self.audit_log_maxbackup,
            self.audit_log_maxage,
        )

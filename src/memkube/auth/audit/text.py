"""Formats an audit as text: roles as YAML, and lists of the RBAC rules that refused requests would have needed."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memkube.auth.audit.roles import UserAudit


def audit_text(users: Iterable[UserAudit]) -> str:
    """Return the roles of users as YAML documents, which ``kubectl apply`` accepts."""
    return "".join(_lines(users))


def missing_rules(users: Iterable[UserAudit]) -> Iterator[str]:
    """Yield text lines that show, for each user, the rules that the user lacks."""
    for user in users:
        yield f"these rules are missing for {user.user}:"
        for role in user.roles:
            if "rules" not in role:
                continue
            namespace = role["metadata"].get("namespace")
            yield f"  {role['kind']} in namespace {namespace}:" if namespace else f"  {role['kind']}:"
            yield from (f"  {line}" for line in _yaml(role["rules"]).splitlines())


def _lines(users: Iterable[UserAudit]) -> Iterator[str]:
    for user in users:
        refused = f", {user.refused} of them refused" if user.refused else ""
        yield f"# {user.user}: {user.requests} request{'' if user.requests == 1 else 's'}{refused}\n"
        for role in user.roles:
            yield "---\n"
            yield _yaml(role)


def _yaml(data: dict[str, Any] | Sequence[Any]) -> str:
    # The YAML module is imported here, because importing it takes time and few programs print roles.
    import yaml  # noqa: PLC0415

    text: str = yaml.dump(
        data, Dumper=yaml.CSafeDumper, sort_keys=False, default_flow_style=None, width=2**31 - 1, allow_unicode=True
    )
    return text

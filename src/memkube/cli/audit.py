"""``memkube audit``: the smallest roles that would have allowed the requests of clients."""

from typing import Literal

import click

from memkube.auth.audit.roles import UserAudit
from memkube.auth.audit.text import audit_text
from memkube.cli.commands import Command
from memkube.cli.control_api import ControlApi, server_option
from memkube.cli.output import print_json


@click.command(cls=Command)
@click.option("--who", help="Only requests of this user, such as system:serviceaccount:shop:operator.")
@click.option("--agent", help="Only requests of this client: its user agent up to the slash.")
@click.option("--namespace", "-n", help="Only requests in this namespace.")
@click.option("--refused", is_flag=True, help="Only the rights that were missing when a request was refused.")
@click.option("--names", is_flag=True, help="Limit the rules by resourceNames to the objects in the requests.")
@click.option("--cluster-wide", is_flag=True, help="Print one ClusterRole instead of a Role in each namespace.")
@click.option("--subject", help="User to bind the roles to; by default the user that sent the requests.")
@click.option(
    "--output",
    "-o",
    type=click.Choice(["yaml", "json"]),
    default="yaml",
    help="Format of the printed roles: yaml, for kubectl apply, or json.",
)
@server_option
def audit(
    who: str | None,
    agent: str | None,
    namespace: str | None,
    refused: bool,
    names: bool,
    cluster_wide: bool,
    subject: str | None,
    output: Literal["yaml", "json"],
    server: str,
) -> None:
    """Print the smallest roles that allow the requests of clients.

    The requests are those in the server's request log, allowed or refused. So you can run your program on a server
    without RBAC, and print the roles that it needs. Rights that all users have by default are left out. User, client
    and namespace may contain * as a wildcard.

    Example::

        memkube audit --agent 'kubectl*' --subject system:serviceaccount:default:operator
    """
    asked = {"who": who, "agent": agent, "namespace": namespace, "subject": subject}
    flags = {"refused": refused, "names": names, "clusterWide": cluster_wide}
    asked |= {flag: "true" for flag, is_set in flags.items() if is_set}
    answer = ControlApi.of(server).get("/audit", {key: value for key, value in asked.items() if value})
    if not answer["complete"]:
        click.echo("older requests are no longer in the request log: the roles may lack rights", err=True)
    users = [UserAudit(**user) for user in answer["users"]]
    if output == "json":
        print_json({"apiVersion": "v1", "kind": "List", "items": [role for user in users for role in user.roles]})
    elif users:
        click.echo(audit_text(users), nl=False)
    else:
        click.echo("no requests need a role", err=True)

"""``memkube audit``: the smallest roles that would have allowed the requests of clients."""

from typing import Annotated, Literal

import typer

from memkube.auth.audit.roles import UserAudit
from memkube.auth.audit.text import audit_text
from memkube.cli.control_api import ControlApi, ServerOption
from memkube.cli.output import print_json

app = typer.Typer(add_completion=False)


@app.command()
def audit(
    who: Annotated[
        str, typer.Option(help="Only requests of this user, such as system:serviceaccount:shop:operator.")
    ] = "",
    agent: Annotated[str, typer.Option(help="Only requests of this client: its user agent up to the slash.")] = "",
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="Only requests in this namespace.")] = "",
    refused: Annotated[
        bool, typer.Option("--refused", help="Only the rights that were missing when a request was refused.")
    ] = False,
    names: Annotated[
        bool, typer.Option("--names", help="Limit the rules by resourceNames to the objects in the requests.")
    ] = False,
    cluster_wide: Annotated[
        bool, typer.Option("--cluster-wide", help="Print one ClusterRole instead of a Role in each namespace.")
    ] = False,
    subject: Annotated[
        str, typer.Option(help="User to bind the roles to; by default the user that sent the requests.")
    ] = "",
    output: Annotated[
        Literal["yaml", "json"],
        typer.Option("--output", "-o", help="Format of the printed roles: yaml, for kubectl apply, or json."),
    ] = "yaml",
    server: ServerOption = "",
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
        typer.echo("older requests are no longer in the request log: the roles may lack rights", err=True)
    users = [UserAudit(**user) for user in answer["users"]]
    if output == "json":
        print_json({"apiVersion": "v1", "kind": "List", "items": [role for user in users for role in user.roles]})
    elif users:
        typer.echo(audit_text(users), nl=False)
    else:
        typer.echo("no requests need a role", err=True)

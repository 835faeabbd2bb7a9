"""``memkube services``: lets the API server call other servers instead of Services, for example for webhooks."""

from typing import Any

import click

from memkube.cli.commands import Group, argument
from memkube.cli.control_api import ControlApi, print_items, server_option
from memkube.cli.output import output_option

_service = argument(
    "service",
    metavar="NAMESPACE/NAME:PORT",
    help="Service and port that the API server calls, for example for a webhook. The Service need not exist.",
)


@click.group(cls=Group)
def services() -> None:
    """Redirect the server's calls of Services to other servers."""


@services.command("list")
@server_option
@output_option
def show(server: str, output: str) -> None:
    """List the service ports whose calls are redirected, with the addresses of the servers that get the calls.

    Example::

        memkube services list
    """
    print_items(server, "/services", output, _line)


@services.command()
@_service
@argument(
    "address",
    metavar="[HOST:]PORT",
    help="Address of the server outside of memkube that gets the calls. It must use TLS.",
)
@server_option
def put(service: str, address: str, server: str) -> None:
    """Redirect the API server's calls of a Service, for example of a webhook, to a server outside of memkube.

    Example::

        memkube services put default/my-webhook:443 127.0.0.1:9443
    """
    host, _, port = address.rpartition(":")
    body = {"host": host or "127.0.0.1", "port": _port(port)}
    ControlApi.of(server).put(_path(service), body)


@services.command()
@_service
@server_option
def delete(service: str, server: str) -> None:
    """End the redirection of a service port, so that the API server calls the Service itself again.

    Example::

        memkube services delete default/my-webhook:443
    """
    ControlApi.of(server).delete(_path(service))


def _path(service: str) -> str:
    namespace, _, rest = service.partition("/")
    name, _, port = rest.partition(":")
    if not namespace or not name:
        raise click.BadParameter(f"{service!r} is not of the form NAMESPACE/NAME:PORT")
    return f"/services/{namespace}/{name}/{_port(port)}"


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise click.BadParameter(f"{text!r} is not a port number")
    return int(text)


def _line(item: dict[str, Any]) -> str:
    listener = item["listener"]
    return f"{item['namespace']}/{item['name']}:{item['port']} -> {listener['host']}:{listener['port']}"

"""``memkube k3s server``: a server that Testcontainers' k3s modules start in place of the image ``rancher/k3s``.

The modules of Testcontainers for Java, Go, .NET, Node.js and Python run the command ``server`` of the image, wait for a
line in its log, and copy the kubeconfig out of the container.
"""

import os
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final, Self

import click
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from memkube.auth.authentication.options import ADMINISTRATOR, AuthenticationOptions
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.cli.commands import PATH, PORT, Command, argument
from memkube.cli.options.cluster import ClusterOptions
from memkube.cli.options.groups import option_group
from memkube.cli.options.storage import EngineOptions
from memkube.cli.server import open_server
from memkube.controllers.certificates.authority import CertificateAuthority
from memkube.endpoints.filters.origins import OriginOptions
from memkube.server.kubeconfig import CertificateUser, certificate_kubeconfig
from memkube.server.serving_certificate import TlsOptions
from memkube.server.settings import Settings

_LIFETIME: Final = timedelta(days=365)
_READY: Final = "Node controller sync successful"
"""The line in the log of k3s that the Testcontainers modules wait for before they use the cluster."""
_NAME: Final = "default"
"""Name of the context in the kubeconfig. Testcontainers' module for Java makes the context with this name current."""


@dataclass(frozen=True, slots=True)
class ClientCertificate:
    """The certificate of the administrator, its private key, and the certificate of its authority, all in PEM."""

    certificate: bytes
    key: bytes
    authority: bytes

    @classmethod
    def created(cls) -> Self:
        """Create an authority and a certificate of the administrator, with new keys, valid for a year."""
        now = datetime.now(UTC)
        authority = CertificateAuthority.created(now)
        organizations = (x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in ADMINISTRATOR.groups)
        subject = x509.Name([*organizations, x509.NameAttribute(NameOID.COMMON_NAME, ADMINISTRATOR.name)])
        builder = x509.CertificateSigningRequestBuilder(subject)
        pair = authority.issued(builder, "client auth", _LIFETIME, now)
        return cls(*pair, authority.certificate.public_bytes(Encoding.PEM))

    def kubeconfig(self, url: str, server_authority: bytes) -> str:
        """Return a kubeconfig of the administrator for the server at `url`, as YAML.

        `server_authority` is the certificate, in PEM, of the authority that signed the server's certificate.
        """
        user = CertificateUser(self.certificate, self.key)
        return certificate_kubeconfig(url, _NAME, user, server_authority)


@click.command(cls=Command)
@argument(
    "command", type=click.Choice(["server"]), expose_value=False, help="Command of k3s; only server is available."
)
@click.option(
    "--tls-san",
    metavar="NAME",
    multiple=True,
    help="Host name or address under which clients reach the server; may be repeated.",
)
@click.option("--https-listen-port", type=PORT, default=6443, help="Port to listen on.")
@click.option(
    "--write-kubeconfig",
    metavar="FILE",
    type=PATH,
    default=Path("/etc/rancher/k3s/k3s.yaml"),
    help="File to write a kubeconfig of the administrator into.",
)
@click.option(
    "--write-kubeconfig-mode",
    envvar="K3S_KUBECONFIG_MODE",
    show_envvar=True,
    default="600",
    help="Permissions of the kubeconfig file, in octal, such as 644.",
)
@click.option(
    "--disable",
    "--no-deploy",
    multiple=True,
    expose_value=False,
    help="Component of k3s to leave out. Has no effect: memkube installs none.",
)
@option_group(ClusterOptions, "cluster")
def k3s(
    tls_san: tuple[str, ...],
    https_listen_port: int,
    write_kubeconfig: Path,
    write_kubeconfig_mode: str,
    cluster: ClusterOptions,
) -> None:
    """Run a server that Testcontainers' k3s modules can start.

    The server listens on all addresses, over TLS. Its clients need certificates or tokens, and RBAC decides what they
    may do; the kubeconfig has a certificate of an administrator. This is the entry point of the container image.

    Example::

        memkube k3s server --tls-san localhost --write-kubeconfig k3s.yaml
    """
    client = ClientCertificate.created()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memkube-")))
        authority = folder / "client-ca.crt"
        authority.write_bytes(client.authority)

        def settings() -> Settings:
            return replace(
                cluster.settings(EngineOptions().settings()),
                authorizers=ConfiguredAuthorizers(("Node", "RBAC")),
                authentication=AuthenticationOptions(client_ca_file=authority),
                tls=TlsOptions(),
                origins=OriginOptions(tls_san),
            )

        server = open_server(settings, "0.0.0.0", https_listen_port)  # noqa: S104  a container's port is published
        url = f"https://127.0.0.1:{server.url.rpartition(':')[2]}"
        _write(write_kubeconfig, client.kubeconfig(url, server.authority), int(write_kubeconfig_mode, 8))
        if not server.run(partial(_announce, url, write_kubeconfig)):
            sys.exit(1)


def _write(path: Path, kubeconfig: str, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as file:
        file.write(kubeconfig)
    path.chmod(mode)


def _announce(url: str, kubeconfig: Path) -> None:
    sys.stdout.write(f"memkube serves at {url}; the kubeconfig is {kubeconfig}\n{_READY}\n")
    sys.stdout.flush()

"""``memkube doctor``: a check of the environment of memkube and its clients.

The module imports nothing of the server, because a package that the server needs may be missing.
"""

import contextlib
import http.client
import json
import os
import platform
import re
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Final, Literal
from urllib.parse import urlsplit

import click

from memkube.cli.commands import Command
from memkube.cli.control_api import ControlApi
from memkube.cli.output import output_option, print_json
from memkube.errors import MemkubeError
from memkube.server.kubeconfig import current_context, kubeconfig_paths
from memkube.version import KUBERNETES_VERSION, VERSION

_COLORS: Final = {"ok": "green", "note": "yellow", "problem": "red"}
_SECONDS: Final = 10.0
_PATIENCE: Final = 30.0
_UNAUTHENTICATED: Final = (401, 403)


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check of ``memkube doctor``: the subject of the check, the result, and a message."""

    about: Literal["python", "memkube", "port", "kubectl", "kubeconfig"]
    state: Literal["ok", "note", "problem"]
    says: str


@click.command(cls=Command)
@click.option("--host", default="127.0.0.1", help="Host on which to check the port.")
@click.option("--port", default=8080, help="Port on which a server is to listen: check that it is free.")
@output_option
@click.pass_obj
def doctor(environment: Mapping[str, str], host: str, port: int, output: str) -> None:
    """Check that memkube and its clients have what they need.

    The exit status is 1 if a check reports a problem, and 0 if all are ok or notes.

    Example::

        memkube doctor --port 8080
    """
    findings = [
        _python(),
        _packages(),
        _port(host, port),
        _kubectl(environment),
        _kubeconfig(environment),
    ]
    if output == "json":
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            state = click.style(f"{finding.state:7}", fg=_COLORS[finding.state])
            click.echo(f"{state} {finding.about:10} {finding.says}")
    sys.exit(any(finding.state == "problem" for finding in findings))


def _python() -> Finding:
    return Finding("python", "ok", f"{platform.python_version()}, {sys.executable}")


def _packages() -> Finding:
    says = f"{VERSION}, Kubernetes {KUBERNETES_VERSION}"
    try:
        required = metadata.requires("memkube") or []
    except metadata.PackageNotFoundError:
        return Finding("memkube", "note", f"{says}; run from its source without being installed")
    found: list[str] = []
    missing: list[str] = []
    optional = True
    for requirement in required:
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
            # A requirement with an environment marker, after a semicolon, may not apply to this system: if its
            # package is missing, only note that.
            optional = optional and ";" in requirement
    if missing:
        return Finding("memkube", "note" if optional else "problem", f"{says}, without {', '.join(missing)}")
    return Finding("memkube", "ok", f"{says}, with {', '.join(found)}")


def _port(host: str, port: int) -> Finding:
    where = f"{host}:{port}"
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    try:
        socket.create_connection((host, port), _SECONDS).close()
    except ConnectionRefusedError:
        return Finding("port", "ok", f"{where} is free")
    except OSError as error:
        return Finding("port", "problem", f"{where}: {error.strerror or error}")
    release = _release(url)
    if release is None:
        return Finding("port", "problem", f"{where} is used by another program: serve on another --port")
    try:
        clock = ControlApi(url, _SECONDS).get("/clock")
        shows = f"whose clock ({clock['mode']}) shows {clock['now']}"
    except (MemkubeError, ValueError, LookupError, TypeError):
        says = f"{where} is used by another API server (Kubernetes {release}): serve on another --port"
        return Finding("port", "problem", says)
    return Finding("port", "ok", f"{where} is used by memkube, {shows}")


def _kubectl(environment: Mapping[str, str]) -> Finding:
    program = shutil.which("kubectl", path=environment.get("PATH"))
    if program is None:
        return Finding("kubectl", "note", "is not on PATH; memkube itself does not need it")
    command = [program, "version", "--client", "--output=json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, env=environment, check=True)
        release = json.loads(done.stdout)["clientVersion"]["gitVersion"].removeprefix("v")
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError, AttributeError) as error:
        return Finding("kubectl", "problem", f"{program} does not print its version: {error}")
    skew = abs(_minor(release) - _minor(KUBERNETES_VERSION))
    says = f"{release}, {program}"
    if skew > 1:
        return Finding("kubectl", "note", f"{says}; it differs by {skew} minor releases, and Kubernetes supports one")
    return Finding("kubectl", "ok", says)


def _kubeconfig(environment: Mapping[str, str]) -> Finding:
    paths = kubeconfig_paths(environment)
    where = os.pathsep.join(str(path) for path in paths)
    try:
        context = current_context(paths)
    except MemkubeError as error:
        return Finding("kubeconfig", "problem", str(error))
    if context is None:
        return Finding("kubeconfig", "note", f"{where} has no current context: kubectl uses http://localhost:8080")
    says = f"{where}, context {context.name}, is {context.server}"
    release = _release(context.server)
    if release is None:
        return Finding("kubeconfig", "problem", f"{says}, which does not answer")
    if not context.memkube:
        return Finding("kubeconfig", "note", f"{says}, which answers ({release}) but is not memkube")
    return Finding("kubeconfig", "ok", f"{says}, a memkube server that answers ({release})")


def _release(url: str) -> str | None:
    """Return the release of an API server, ``unknown`` if it demands credentials; None if no API server answers."""
    parts = urlsplit(url)
    try:
        connection = _connection(parts.scheme, parts.netloc)
        with contextlib.closing(connection):
            connection.request("GET", f"{parts.path.rstrip('/')}/version")
            answer = connection.getresponse()
            document = json.loads(answer.read())
        if answer.status in _UNAUTHENTICATED:
            return "unknown"
        return str(document["gitVersion"]).removeprefix("v")
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        return None


def _connection(scheme: str, netloc: str) -> http.client.HTTPConnection:
    if scheme == "http":
        return http.client.HTTPConnection(netloc, timeout=_SECONDS)
    # The request carries no secrets, and the answer is only printed: the certificate need not be verified.
    unverified = ssl.create_default_context()
    unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection(netloc, timeout=_SECONDS, context=unverified)


def _minor(release: str) -> int:
    return int(release.split(".")[1])

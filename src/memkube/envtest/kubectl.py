"""The program kubectl that `memkube envtest` installs.

It runs the real kubectl if PATH has one, and otherwise implements the few commands that test frameworks need.
"""

import contextlib
import http.client
import json
import os
import ssl
import sys
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from memkube.envtest.flags import Flag, FlagError, Values, parse_pflags
from memkube.envtest.launchers import is_launcher
from memkube.errors import MemkubeError
from memkube.server.kubeconfig import current_context, edited_kubeconfig, kubeconfig_paths, set_entry

_FLAGS: Final = {
    flag.name: flag
    for flag in (
        Flag("certificate-authority"),
        Flag("client-certificate"),
        Flag("client-key"),
        Flag("cluster"),
        Flag("embed-certs", "bool"),
        Flag("insecure-skip-tls-verify", "bool"),
        Flag("kubeconfig"),
        Flag("namespace"),
        Flag("request-timeout"),
        Flag("server"),
        Flag("token"),
        Flag("user"),
    )
}
_SHORTHANDS: Final = {"n": "namespace", "s": "server"}
_NAMESPACES: Final = ("namespace", "namespaces", "ns")
_FILES: Final = ("certificate-authority", "client-certificate", "client-key")
_LISTS: Final = {"set-cluster": "clusters", "set-credentials": "users", "set-context": "contexts"}
_SECONDS: Final = 30.0
_OK: Final = 200
_MINUTE: Final = 60


class KubectlError(Exception):
    """Raised if a command fails. The message is kubectl's."""


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Replace this process by the real kubectl, or if PATH has none, run a command that this module implements.

    Return the exit status of that command.
    """
    real = real_kubectl(environment)
    if real is not None:
        os.execv(real, [str(real), *arguments])  # noqa: S606  runs what the user called, without a shell
    try:
        print_line = _answer(parse_pflags(_FLAGS, arguments, _SHORTHANDS), environment)
    except (FlagError, KubectlError, MemkubeError, OSError) as error:
        message = str(error)
        sys.stderr.write(f"{message if message.startswith('Error from server') else f'error: {message}'}\n")
        return 1
    sys.stdout.write(f"{print_line}\n")
    return 0


def real_kubectl(environment: Mapping[str, str]) -> Path | None:
    """Return the first kubectl on PATH that is not a script of `memkube envtest`; None if there is none."""
    folders = (folder for folder in environment.get("PATH", "").split(os.pathsep) if folder)
    found = (Path(folder, "kubectl") for folder in folders)
    return next((path for path in found if os.access(path, os.X_OK) and not is_launcher(path)), None)


def _answer(values: Values, environment: Mapping[str, str]) -> str:
    """Run the built-in command that the arguments and flags in `values` give, and return its output.

    Raises KubectlError if the command fails, or if it is not built in, so that the real kubectl would be needed.
    """
    match values.arguments:
        case ["get", kind, name] if kind in _NAMESPACES:
            return _namespace(values, name)
        case ["config", "current-context"]:
            context = current_context(_paths(values, environment))
            if context is None:
                raise KubectlError("current-context is not set")
            return context.name
        case ["config", ("set-cluster" | "set-credentials" | "set-context") as command, name]:
            return _set(values, environment, command, name)
        case ["config", "use-context", name]:
            return _use(values, environment, name)
        case ["config", "unset", prop]:
            return _unset(values, environment, prop)
    asked = " ".join(values.arguments) or "no command"
    raise KubectlError(
        f'{asked}: there is no kubectl on PATH, and its replacement has only "get namespace NAME" and "config" with '
        "current-context, set-cluster, set-credentials, set-context, use-context or unset"
    )


def _namespace(values: Values, name: str) -> str:
    document = _get(values, f"/api/v1/namespaces/{quote(name)}")
    created = datetime.fromisoformat(document["metadata"]["creationTimestamp"])
    seconds = int((datetime.now(UTC) - created).total_seconds())
    age = f"{seconds}s" if seconds < 2 * _MINUTE else f"{seconds // _MINUTE}m"
    width = max(len(name), len("NAME")) + 3
    return f"{'NAME':{width}}STATUS   AGE\n{name:{width}}{document['status']['phase']:9}{age}"


def _get(values: Values, path: str) -> Any:
    """Send a GET to the server that ``--server`` names, and return the object.

    Raises KubectlError if ``--server`` names no server, or if the server answers with an error Status.
    """
    address = urlsplit(values.text("server"))
    if address.scheme not in ("http", "https") or not address.hostname:
        raise KubectlError("there is no kubectl on PATH, and its replacement needs --server with a URL")
    connection = (
        http.client.HTTPSConnection(address.hostname, address.port, timeout=_SECONDS, context=_context(values))
        if address.scheme == "https"
        else http.client.HTTPConnection(address.hostname, address.port, timeout=_SECONDS)
    )
    token = values.text("token")
    headers = {"Accept": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body = json.loads(response.read())
    if response.status != _OK:
        raise KubectlError(f"Error from server ({body.get('reason')}): {body.get('message')}")
    return body


def _context(values: Values) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=values.text("certificate-authority") or None)
    if values.is_on("insecure-skip-tls-verify"):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    # With VERIFY_X509_PARTIAL_CHAIN, Python trusts the given certificate itself, even if it is not a CA certificate.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if values.text("client-certificate"):
        context.load_cert_chain(values.text("client-certificate"), values.text("client-key") or None)
    return context


def _paths(values: Values, environment: Mapping[str, str]) -> list[Path]:
    chosen = values.text("kubeconfig")
    return [Path(chosen)] if chosen else kubeconfig_paths(environment)


def _set(values: Values, environment: Mapping[str, str], command: str, name: str) -> str:
    """Run ``kubectl config COMMAND NAME``, and return its output.

    `command` is set-cluster, set-credentials or set-context. It changes the cluster, user or context called `name` in
    the kubeconfig, or adds it. The flags in `values` become its fields; fields without a flag keep their values.
    """
    key = _LISTS[command]
    kind = {"set-cluster": "cluster", "set-credentials": "user", "set-context": "context"}[command]
    fields = _CONTENTS[command](values)
    with edited_kubeconfig(_paths(values, environment)[0]) as config:
        old: dict[str, Any] = next((entry for entry in config.get(key) or () if entry.get("name") == name), {})
        existed = set_entry(config, key, {"name": name, kind: {**(old.get(kind) or {}), **fields}})
    if command == "set-context":
        return f'Context "{name}" {"modified" if existed else "created"}.'
    return f'{kind.capitalize()} "{name}" set.'


def _credentials(values: Values, names: Sequence[str]) -> dict[str, Any]:
    """Return the kubeconfig fields for certificates and keys in files.

    `names` are flags that take the path of a PEM file. For each flag in `values`, the result has a field with this
    path, or with ``--embed-certs`` a field with the content of the file.
    """
    fields = {}
    for name in names:
        text = values.text(name)
        if text and values.is_on("embed-certs"):
            fields[f"{name}-data"] = b64encode(Path(text).read_bytes()).decode()
        elif text:
            fields[name] = str(Path(text).resolve())
    return fields


def _cluster(values: Values) -> dict[str, Any]:
    fields: dict[str, Any] = _credentials(values, _FILES[:1])
    if values.text("server"):
        fields["server"] = values.text("server")
    if values.is_on("insecure-skip-tls-verify"):
        fields["insecure-skip-tls-verify"] = True
    return fields


def _user(values: Values) -> dict[str, Any]:
    token = values.text("token")
    return {**_credentials(values, _FILES[1:]), **({"token": token} if token else {})}


def _context_fields(values: Values) -> dict[str, Any]:
    return {name: values.text(name) for name in ("cluster", "namespace", "user") if values.text(name)}


def _use(values: Values, environment: Mapping[str, str], name: str) -> str:
    with edited_kubeconfig(_paths(values, environment)[0]) as config:
        if not any(entry.get("name") == name for entry in config.get("contexts") or ()):
            raise KubectlError(f'no context exists with the name: "{name}"')
        config["current-context"] = name
    return f'Switched to context "{name}".'


def _unset(values: Values, environment: Mapping[str, str], prop: str) -> str:
    key, _, name = prop.partition(".")
    with edited_kubeconfig(_paths(values, environment)[0]) as config:
        if prop == "current-context":
            config["current-context"] = ""
        elif key in _LISTS.values() and name:
            config[key] = [entry for entry in config.get(key) or () if entry.get("name") != name]
        else:
            raise KubectlError(
                f"{prop}: there is no kubectl on PATH, and its replacement can only unset current-context, "
                "clusters.NAME, users.NAME and contexts.NAME"
            )
    return f'Property "{prop}" unset.'


_CONTENTS: Final[Mapping[str, Callable[[Values], dict[str, Any]]]] = {
    "set-cluster": _cluster,
    "set-credentials": _user,
    "set-context": _context_fields,
}

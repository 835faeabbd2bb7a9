"""Reads the current context of kubeconfig files, and writes the context of a memkube server into them."""

import os
import re
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from memkube.auth.authentication.kubeconfig_token import impersonation_with_token
from memkube.errors import MemkubeError, reason_of
from memkube.version import VERSION

_MARK: Final = "memkube.dev"
"""Name of the extension that marks clusters written by memkube."""
_NAME: Final = "memkube"
_TEXT: Final = """\
apiVersion: v1
kind: Config
clusters:
- name: memkube
  cluster:
    server: {url}
    insecure-skip-tls-verify: true
    extensions:
    - name: memkube.dev
      extension:
        version: {version}
users:
- name: memkube
  user: {{}}
contexts:
- name: memkube
  context:
    cluster: memkube
    user: memkube
current-context: memkube
"""
_SORTS: Final = ("cluster", "user", "context")


class CurrentContext(NamedTuple):
    """The server and the credentials of the current context in the kubeconfig files."""

    name: str
    server: str
    """URL of the server; empty if the kubeconfig names none."""
    memkube: bool
    """True if memkube wrote the context's cluster."""
    token: str = ""
    """Bearer token of the context's user; empty if the kubeconfig has none."""
    authority: bytes = b""
    """Certificate of the CA that signed the server's certificate, in PEM; empty if the kubeconfig has none."""


class CertificateUser(NamedTuple):
    """Credentials of a kubeconfig's user: a client certificate and its private key, both in PEM."""

    certificate: bytes
    key: bytes


def certificate_kubeconfig(url: str, name: str, user: CertificateUser, authority: bytes) -> str:
    """Return a kubeconfig for the server at `url`, as YAML, whose context `name` has the client certificate of `user`.

    `authority` is the certificate, in PEM, by which clients verify the server. The cluster is not marked as one of
    memkube, because memkube's own commands do not use client certificates.
    """
    cluster = {"server": url, "certificate-authority-data": b64encode(authority).decode()}
    credentials = {
        "client-certificate-data": b64encode(user.certificate).decode(),
        "client-key-data": b64encode(user.key).decode(),
    }
    return _as_yaml(_config(name, cluster, credentials))


def kubeconfig_text(url: str, name: str = _NAME, token: str = "", authority: bytes = b"") -> str:
    """Return a kubeconfig for the server at `url`, as YAML.

    `token` is the bearer token of its user, empty for none. `authority` is the certificate, in PEM, by which clients
    verify the server; empty for none. For plain HTTP, the kubeconfig has the token in two places: kubectl sends a token
    over plain HTTP only as an impersonation header, which the server reads as a token, and other clients send it as a
    bearer token.
    """
    if name == _NAME and not token and re.fullmatch(r"http://[0-9.]+:[0-9]+", url):
        # This kubeconfig is written without the YAML package, whose import would add 10 ms to each start.
        return _TEXT.format(url=url, version=VERSION)
    return _as_yaml(_config(name, _cluster(url, authority), _token_user(url, token)))


def write_kubeconfig(path: Path, url: str, token: str = "", authority: bytes = b"") -> None:
    """Write a kubeconfig for the server at `url`. If the file is new, only its owner may read it.

    `token` and `authority` are as in `kubeconfig_text`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(kubeconfig_text(url, token=token, authority=authority))


def merge_kubeconfig(path: Path, url: str, name: str, *, use: bool) -> None:
    """Add a cluster, a user and a context of this name to a file, or replace them if memkube wrote them.

    With `use`, the context becomes the current one. The rest of the file is kept, except comments. The file is replaced
    atomically.

    Raises MemkubeError if the file cannot be read, if it has an entry of this name that memkube did not write, or if
    another program holds the lock file that kubectl uses too.
    """
    with edited_kubeconfig(path) as config:
        _check_owner(config, path, name)
        for key, (entry,) in _entries(name, _cluster(url), {}).items():
            set_entry(config, key, entry)
        if use:
            config["current-context"] = name


@contextmanager
def edited_kubeconfig(path: Path) -> Iterator[dict[str, Any]]:
    """Context manager that yields the content of a kubeconfig file as a dictionary, for the block to change.

    After the block, the file is replaced atomically, and its comments are lost.

    A missing file is created. Raises MemkubeError if the file cannot be read, or if another program holds the lock file
    that kubectl uses too.
    """
    path = Path(os.path.realpath(path))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(path):
        config = (_parsed(path) if path.exists() else {}) or {"apiVersion": "v1", "kind": "Config"}
        yield config
        _replace(path, _as_yaml(config))


def set_entry(config: dict[str, Any], key: str, entry: dict[str, Any]) -> bool:
    """Put `entry` into the list `key` of a kubeconfig, in place of the first entry with the same name or at the end.

    Return True if an entry was replaced.
    """
    entries = list(config.get(key) or [])
    named = [index for index, old in enumerate(entries) if isinstance(old, dict) and old.get("name") == entry["name"]]
    entries[slice(named[0], named[0] + 1) if named else slice(len(entries), None)] = [entry]
    config[key] = entries
    return bool(named)


def kubeconfig_paths(environment: Mapping[str, str]) -> list[Path]:
    """Return the kubeconfig files that clients read: those in KUBECONFIG, or ``~/.kube/config``."""
    named = [Path(path) for path in environment.get("KUBECONFIG", "").split(os.pathsep) if path]
    return named or [Path(environment.get("HOME") or Path.home()) / ".kube" / "config"]


def current_context(paths: list[Path]) -> CurrentContext | None:
    """Return the current context of the kubeconfig files, merged as by kubectl.

    If several files have an entry of the same name, the first one is used. Missing files are ignored. Raises
    MemkubeError if a file cannot be read, or if the context's certificate of the CA is malformed.
    """
    configs = [_parsed(path) for path in paths if path.exists()]
    current = next((name for config in configs if (name := config.get("current-context"))), None)
    if current is None:
        return None
    context = _entry(configs, "context", current)
    cluster = _entry(configs, "cluster", context.get("cluster"))
    user = _entry(configs, "user", context.get("user"))
    server, token = str(cluster.get("server") or ""), str(user.get("token") or "")
    try:
        authority = b64decode(str(cluster.get("certificate-authority-data") or ""))
    except ValueError:
        raise MemkubeError(f"cannot read the context {current}: its certificate-authority-data is not base64") from None
    return CurrentContext(str(current), server, _is_ours(cluster), token, authority)


def current_memkube(environment: Mapping[str, str]) -> CurrentContext | None:
    """Return the current context if memkube wrote it, otherwise None.

    If KUBECONFIG is set, MemkubeError is raised if none of its files exists, or if one of them cannot be read. If it is
    not set, the result is None in these cases.
    """
    paths, chosen = kubeconfig_paths(environment), environment.get("KUBECONFIG")
    if chosen and not any(path.exists() for path in paths):
        raise MemkubeError(f"KUBECONFIG={chosen}: no such file")
    try:
        context = current_context(paths)
    except MemkubeError:
        if chosen:
            raise
        return None
    return context if context is not None and context.memkube else None


def _config(name: str, cluster: dict[str, Any], user: dict[str, Any]) -> dict[str, Any]:
    """Return a kubeconfig whose cluster, user and context are named `name`."""
    return {"apiVersion": "v1", "kind": "Config", **_entries(name, cluster, user), "current-context": name}


def _entries(name: str, cluster: dict[str, Any], user: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the lists clusters, users and contexts of a kubeconfig, each with one entry, named `name`."""
    return {
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }


def _cluster(url: str, authority: bytes = b"") -> dict[str, Any]:
    """Return the cluster of a kubeconfig. The parameters are as in `kubeconfig_text`.

    ``insecure-skip-tls-verify`` is set even for plain HTTP: otherwise @kubernetes/client-node rejects the file.
    """
    mark = {"name": _MARK, "extension": {"version": VERSION}}
    trust = {"certificate-authority-data": b64encode(authority).decode()}
    return {"server": url, **(trust if authority else {"insecure-skip-tls-verify": True}), "extensions": [mark]}


def _token_user(url: str, token: str) -> dict[str, Any]:
    """Return the user of a kubeconfig. The parameters are as in `kubeconfig_text`."""
    user: dict[str, Any] = {"token": token} if token else {}
    if token and url.startswith("http:"):
        user |= impersonation_with_token(token)
    return user


def _check_owner(config: dict[str, Any], path: Path, name: str) -> None:
    taken = any(entry.get("name") == name for sort in _SORTS for entry in _dicts(config.get(f"{sort}s")))
    if taken and not _is_ours(_entry([config], "cluster", name)):
        raise MemkubeError(
            f'{path} has an entry "{name}" that memkube did not write: choose another name with --context'
        )


def _entry(configs: list[dict[str, Any]], sort: str, name: Any) -> dict[str, Any]:
    """Return the first entry named `name` in the kubeconfigs; empty if there is none.

    `sort` is ``cluster``, ``user`` or ``context``.
    """
    entries = (entry for config in configs for entry in _dicts(config.get(f"{sort}s")) if entry.get("name") == name)
    found = next(entries, {}).get(sort)
    return found if isinstance(found, dict) else {}


def _is_ours(cluster: dict[str, Any]) -> bool:
    return any(extension.get("name") == _MARK for extension in _dicts(cluster.get("extensions")))


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    return (entry for entry in value if isinstance(entry, dict)) if isinstance(value, list) else iter(())


def _loader() -> Any:
    """Return a YAML loader that reads dates as strings, as kubectl does."""
    import yaml  # noqa: PLC0415  see `kubeconfig_text`

    class Loader(yaml.CSafeLoader):
        yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML declares it in the same way
            first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
            for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
        }

    return Loader


def _parsed(path: Path) -> dict[str, Any]:
    """Return the content of a kubeconfig file. Raises MemkubeError if the file is not a kubeconfig."""
    import yaml  # noqa: PLC0415  see `kubeconfig_text`

    try:
        config = yaml.load(path.read_bytes(), _loader())  # noqa: S506 - `_loader` returns a subclass of SafeLoader
    except (OSError, yaml.YAMLError) as error:
        raise MemkubeError(f"cannot read {path}: {reason_of(error)}") from None
    if not isinstance(config, dict | None):
        raise MemkubeError(f"cannot read {path}: it is not a kubeconfig")
    return config or {}


def _as_yaml(config: dict[str, Any]) -> str:
    import yaml  # noqa: PLC0415  see `kubeconfig_text`

    text: str = yaml.dump(config, Dumper=yaml.CSafeDumper, sort_keys=False, width=2**31 - 1, allow_unicode=True)
    return text


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = path.with_name(f"{path.name}.lock")
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        raise MemkubeError(f"another program is changing {path}; if not, remove the lock file {lock}") from None
    try:
        yield
    finally:
        lock.unlink()


def _replace(path: Path, text: str) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}-", delete=False) as new:
        written = Path(new.name)
        try:
            new.write(text)
            new.flush()
            os.fsync(new.fileno())
            written.chmod(mode)
            written.replace(path)
        except BaseException:
            written.unlink()
            raise

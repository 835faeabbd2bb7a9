"""Files that tell clients where the server is."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from memkube.version import VERSION

_MARK: Final = "memkube.dev"
"""Name of the extension by which a cluster of ours is known among those of a kubeconfig."""


def kubeconfig_text(url: str) -> str:
    """A kubeconfig for the server at `url`, as YAML.

    There is no TLS to verify, but some clients (@kubernetes/client-node) refuse plain HTTP unless that is said.
    """
    cluster = {
        "server": url,
        "insecure-skip-tls-verify": True,
        "extensions": [{"name": _MARK, "extension": {"version": VERSION}}],
    }
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "memkube", "cluster": cluster}],
        "users": [{"name": "memkube", "user": {}}],
        "contexts": [{"name": "memkube", "context": {"cluster": "memkube", "user": "memkube"}}],
        "current-context": "memkube",
    }
    text: str = yaml.dump(config, Dumper=yaml.CSafeDumper, sort_keys=False)
    return text


def write_kubeconfig(path: Path, url: str) -> None:
    """Writes a kubeconfig for the server at `url`, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(kubeconfig_text(url))


def kubeconfig_paths(environment: Mapping[str, str]) -> list[Path]:
    """Where clients look: the files that KUBECONFIG names, or the one in the home."""
    named = [Path(path) for path in environment.get("KUBECONFIG", "").split(os.pathsep) if path]
    return named or [Path(environment.get("HOME") or Path.home()) / ".kube" / "config"]


def current_memkube(environment: Mapping[str, str]) -> str | None:
    """The address in the current context of the kubeconfig that clients use, if it is that of a memkube.

    As kubectl does it: of several files, the first that says anything of a name counts. What cannot be read says
    nothing.
    """
    configs = [config for path in kubeconfig_paths(environment) if (config := _read(path))]
    current = next((name for config in configs if (name := config.get("current-context"))), None)
    context = _entry(configs, "context", current)
    cluster = _entry(configs, "cluster", context.get("cluster"))
    marks = [extension.get("name") for extension in _dicts(cluster.get("extensions"))]
    return str(cluster.get("server")) if _MARK in marks else None


def _read(path: Path) -> dict[str, Any] | None:
    try:
        config = yaml.load(path.read_bytes(), yaml.CSafeLoader)
    except (OSError, yaml.YAMLError):
        return None
    return config if isinstance(config, dict) else None


def _entry(configs: list[dict[str, Any]], sort: str, name: Any) -> dict[str, Any]:
    """What the first of `configs` that knows a context or a cluster of that name says of it."""
    entries = (entry for config in configs for entry in _dicts(config.get(f"{sort}s")) if entry.get("name") == name)
    found = next(entries, {}).get(sort)
    return found if isinstance(found, dict) else {}


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    return (entry for entry in value if isinstance(entry, dict)) if isinstance(value, list) else iter(())

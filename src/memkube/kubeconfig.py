"""Files that tell clients where the server is."""

from pathlib import Path

import yaml


def kubeconfig_text(url: str) -> str:
    """A kubeconfig for the server at `url`, as YAML.

    There is no TLS to verify, but some clients (@kubernetes/client-node) refuse plain HTTP unless that is said.
    """
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "memkube", "cluster": {"server": url, "insecure-skip-tls-verify": True}}],
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

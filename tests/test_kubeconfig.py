from pathlib import Path

import yaml

from memkube.kubeconfig import write_kubeconfig


def test_clients_that_refuse_plain_http_are_told_that_nothing_is_to_be_verified(tmp_path: Path) -> None:
    path = tmp_path / "new" / "kubeconfig"
    write_kubeconfig(path, "http://127.0.0.1:1")
    (entry,) = yaml.safe_load(path.read_text())["clusters"]
    assert entry["cluster"] == {"server": "http://127.0.0.1:1", "insecure-skip-tls-verify": True}
    assert path.stat().st_mode & 0o777 == 0o600

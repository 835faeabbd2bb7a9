import os
from pathlib import Path

import pytest
import yaml

from memkube.errors import MemkubeError
from memkube.server.kubeconfig import current_memkube, kubeconfig_text, write_kubeconfig


def found(environment: dict[str, str]) -> tuple[str, str]:
    """Return the server and the token of memkube's cluster in the current kubeconfig."""
    context = current_memkube(environment)
    assert context is not None
    return context.server, context.token


def test_clients_that_refuse_plain_http_are_told_that_nothing_is_to_be_verified(tmp_path: Path) -> None:
    path = tmp_path / "new" / "kubeconfig"
    write_kubeconfig(path, "http://127.0.0.1:1")
    (entry,) = yaml.safe_load(path.read_text())["clusters"]
    assert entry["cluster"]["server"] == "http://127.0.0.1:1"
    assert entry["cluster"]["insecure-skip-tls-verify"] is True
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_each_start_writes_is_what_a_yaml_library_would_have_written() -> None:
    # For host names, the YAML library writes the kubeconfig, because names may need quotes.
    by_a_library = kubeconfig_text("http://localhost:8080")
    assert kubeconfig_text("http://127.0.0.1:8080") == by_a_library.replace("localhost", "127.0.0.1")


def test_a_memkube_is_found_in_the_kubeconfig_that_clients_use(tmp_path: Path) -> None:
    write_kubeconfig(tmp_path / ".kube" / "config", "http://127.0.0.1:1")
    assert found({"HOME": str(tmp_path)}) == ("http://127.0.0.1:1", "")


def test_the_token_of_the_user_is_in_the_kubeconfig(tmp_path: Path) -> None:
    write_kubeconfig(tmp_path / "config", "http://127.0.0.1:1", "secret")
    assert found({"KUBECONFIG": str(tmp_path / "config")}) == ("http://127.0.0.1:1", "secret")


def test_a_kubeconfig_that_is_named_and_missing_is_an_error(tmp_path: Path) -> None:
    write_kubeconfig(tmp_path / ".kube" / "config", "http://127.0.0.1:1")
    with pytest.raises(MemkubeError, match="no such file"):
        current_memkube({"HOME": str(tmp_path), "KUBECONFIG": str(tmp_path / "none")})


def test_of_several_kubeconfigs_the_first_that_has_a_current_context_counts(tmp_path: Path) -> None:
    write_kubeconfig(tmp_path / "second", "http://127.0.0.1:2")
    write_kubeconfig(tmp_path / "third", "http://127.0.0.1:3")
    (tmp_path / "first").write_text("apiVersion: v1\nkind: Config\n")
    paths = os.pathsep.join(str(tmp_path / name) for name in ("none", "first", "second", "third"))
    assert found({"KUBECONFIG": paths}) == ("http://127.0.0.1:2", "")


@pytest.mark.parametrize("text", ["", "current-context: memkube", "clusters: [1]\ncontexts: {}\ncurrent-context: [a]"])
def test_a_kubeconfig_without_a_usable_context_names_no_memkube(tmp_path: Path, text: str) -> None:
    (tmp_path / "config").write_text(text)
    assert current_memkube({"KUBECONFIG": str(tmp_path / "config")}) is None


@pytest.mark.parametrize("text", ["[]", "{"])
def test_a_kubeconfig_that_cannot_be_read_is_an_error_only_if_it_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text(text)
    assert current_memkube({"HOME": str(tmp_path)}) is None
    with pytest.raises(MemkubeError, match="cannot read"):
        current_memkube({"KUBECONFIG": str(tmp_path / ".kube" / "config")})


def test_a_cluster_of_another_is_not_taken_for_a_memkube(tmp_path: Path) -> None:
    write_kubeconfig(tmp_path / "config", "https://production.example")
    config = yaml.safe_load((tmp_path / "config").read_text())
    del config["clusters"][0]["cluster"]["extensions"]
    (tmp_path / "config").write_text(yaml.safe_dump(config))
    assert current_memkube({"KUBECONFIG": str(tmp_path / "config")}) is None


def test_a_certificate_of_the_authority_that_is_malformed_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "config"
    write_kubeconfig(path, "https://127.0.0.1:1", authority=b"abc")
    path.write_text(path.read_text().replace("certificate-authority-data: ", "certificate-authority-data: a"))
    with pytest.raises(MemkubeError, match="certificate-authority-data is not base64"):
        current_memkube({"KUBECONFIG": str(path)})

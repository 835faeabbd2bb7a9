import hashlib
import tarfile
from pathlib import Path

import pytest
import yaml

from memkube.envtest.launchers import PROGRAMS, is_launcher, store_folder, write_index, write_launchers
from memkube.errors import ServerError


def test_a_folder_gets_three_programs(tmp_path: Path) -> None:
    write_launchers(tmp_path / "new" / "folder")
    write_launchers(tmp_path / "new" / "folder")
    found = sorted((tmp_path / "new" / "folder").iterdir())
    assert [path.name for path in found] == sorted(PROGRAMS)
    assert all(is_launcher(path) and path.stat().st_mode & 0o111 for path in found)


def test_launchers_of_another_python_are_replaced(tmp_path: Path) -> None:
    write_launchers(tmp_path)
    text = (tmp_path / "etcd").read_text()
    (tmp_path / "etcd").write_text("#!/bin/sh\nexec /other/python -P -m memkube.envtest\n")
    write_launchers(tmp_path)
    assert (tmp_path / "etcd").read_text() == text


def test_programs_of_kubernetes_are_kept(tmp_path: Path) -> None:
    (tmp_path / "kube-apiserver").write_bytes(b"\x7fELF")
    with pytest.raises(ServerError, match="contains programs that are not memkube's: kube-apiserver"):
        write_launchers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kube-apiserver"]


def test_the_store_names_the_release_and_the_platform(tmp_path: Path) -> None:
    folder = store_folder(tmp_path)
    assert folder.parent == tmp_path / "k8s"
    release, system, architecture = folder.name.split("-")
    assert release.startswith("1.36.")
    assert system in ("linux", "darwin")
    assert architecture.isalnum()


def test_the_index_has_the_hash_and_the_address_of_the_archive(tmp_path: Path) -> None:
    index = yaml.safe_load(write_index(tmp_path, "http://127.0.0.1:8000/").read_text())
    ((version, archives),) = index["releases"].items()
    ((name, archive),) = archives.items()
    assert name.startswith(f"envtest-{version}-")
    assert archive["selfLink"] == f"http://127.0.0.1:8000/{name}"
    assert archive["hash"] == hashlib.sha512((tmp_path / name).read_bytes()).hexdigest()


def test_the_archive_has_the_programs(tmp_path: Path) -> None:
    write_index(tmp_path, "http://127.0.0.1:8000")
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        found = {Path(entry.name).name: entry.mode for entry in archive.getmembers()}
    assert found == dict.fromkeys(PROGRAMS, 0o755)

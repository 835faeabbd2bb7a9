from pathlib import Path

from memkube.envtest.launchers import PROGRAMS, store_folder
from tests.cli.processes import run_memkube


def test_the_folder_is_printed_alone(environment: dict[str, str], home: Path) -> None:
    done = run_memkube(environment, "envtest", str(home / "programs"))
    assert done.stdout == f"{home}/programs\n"
    assert sorted(path.name for path in (home / "programs").iterdir()) == sorted(PROGRAMS)


def test_the_default_is_in_the_cache_of_the_user(environment: dict[str, str], home: Path) -> None:
    done = run_memkube({**environment, "XDG_CACHE_HOME": str(home / "cache")}, "envtest")
    assert Path(done.stdout.strip()).parent == home / "cache" / "memkube"


def test_the_store_of_setup_envtest_is_filled_if_asked(environment: dict[str, str], home: Path) -> None:
    done = run_memkube({**environment, "XDG_DATA_HOME": str(home / "data")}, "envtest", "--store")
    assert Path(done.stdout.strip()).parent == home / "data" / "kubebuilder-envtest" / "k8s"
    other = run_memkube(environment, "envtest", "--bin-dir", str(home / "bin"))
    assert Path(other.stdout.strip()).parent == home / "bin" / "k8s"


def test_the_store_is_filled_besides_unless_it_is_not_wanted(environment: dict[str, str], home: Path) -> None:
    at_home = {**environment, "XDG_CACHE_HOME": str(home / "cache"), "XDG_DATA_HOME": str(home / "data")}
    run_memkube(at_home, "envtest", "--no-store")
    assert not (home / "data" / "kubebuilder-envtest").exists()
    run_memkube(at_home, "envtest")
    (release,) = (home / "data" / "kubebuilder-envtest" / "k8s").iterdir()
    assert sorted(path.name for path in release.iterdir()) == sorted(PROGRAMS)


def test_kubernetes_own_programs_in_the_store_are_left_alone(environment: dict[str, str], home: Path) -> None:
    at_home = {**environment, "XDG_CACHE_HOME": str(home / "cache"), "XDG_DATA_HOME": str(home / "data")}
    release = store_folder(home / "data" / "kubebuilder-envtest")
    release.mkdir(parents=True)
    (release / "etcd").write_text("binary")
    done = run_memkube(at_home, "envtest")
    assert (done.returncode, (release / "etcd").read_text()) == (0, "binary")


def test_an_index_is_written_beside_the_folder(environment: dict[str, str], home: Path) -> None:
    done = run_memkube(environment, "envtest", str(home / "p"), "--index", str(home / "i"), "--index-url", "http://x")
    assert done.stdout == f"{home}/p\n"
    assert "selfLink: http://x/envtest-v1.36." in (home / "i" / "envtest-releases.yaml").read_text()


def test_a_folder_and_a_store_exclude_each_other(environment: dict[str, str], home: Path) -> None:
    done = run_memkube(environment, "envtest", str(home / "p"), "--store")
    assert (done.returncode, done.stderr) == (1, "memkube: choose a folder or a store of setup-envtest, not both\n")

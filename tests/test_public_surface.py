import importlib.metadata
import subprocess
import sys

import memkube

_SLOW = ("asyncio", "pydantic", "fastapi", "yaml", "memkube.cluster", "memkube.server.server")


def test_all_names_what_users_get() -> None:
    assert memkube.__all__ == [
        "AsyncMemkube",
        "CallTimeout",
        "ExecResult",
        "Finding",
        "HuntReport",
        "ManifestError",
        "Memkube",
        "MemkubeError",
        "NotRunning",
        "Refused",
        "Report",
        "SchedulerPlugin",
        "ServerError",
        "Snapshot",
        "SnapshotError",
        "UsageError",
        "WaitTimeout",
        "__version__",
        "asgi_application",
        "faults",
        "hunt",
        "load_snapshot",
        "play",
    ]
    assert all(getattr(memkube, name).__doc__ for name in memkube.__all__)
    assert {*memkube.__all__} <= {*dir(memkube)}
    assert not hasattr(memkube, "Server")


def test_all_errors_are_of_one_tree() -> None:
    exported = [getattr(memkube, name) for name in memkube.__all__]
    errors = [error for error in exported if isinstance(error, type) and issubclass(error, Exception)]
    assert len(errors) == 9
    assert all(issubclass(error, memkube.MemkubeError) for error in errors)


def test_all_effects_of_faults_are_exported() -> None:
    names = [name for name in memkube.faults.__all__ if name.islower()]
    assert len(names) == 11
    assert all(getattr(memkube.faults, name).__doc__ for name in names)


def test_importing_the_package_imports_nothing_of_the_server() -> None:
    program = f"import memkube, sys; print([name for name in {_SLOW} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_package_knows_its_version() -> None:
    assert memkube.__version__ == importlib.metadata.version("memkube")

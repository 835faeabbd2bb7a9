"""The program etcd answers health checks, and refuses the flags that etcd refuses."""

import socket
import subprocess
from pathlib import Path

import pytest


def ended(programs: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run([programs / "etcd", *arguments], text=True, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stderr.strip()


def test_a_taken_port_ends_the_program(programs: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        urls = f"--listen-client-urls=http://{address}", f"--advertise-client-urls=http://{address}"
        assert ended(programs, *urls) == (1, f"listen tcp {address}: bind: address already in use")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--foo"], 2, "flag provided but not defined: -foo"),
        (["foo"], 1, "error verifying flags, 'foo' is not a valid flag."),
        (
            ["--listen-client-urls=http://127.0.0.1:1"],
            1,
            "error verifying flags, --advertise-client-urls is required when --listen-client-urls is set explicitly.",
        ),
        (
            ["--listen-client-urls=http://example.com:1", "--advertise-client-urls=http://example.com:1"],
            1,
            "error verifying flags, expected IP in URL for binding (example.com)",
        ),
    ],
)
def test_a_wrong_command_line_ends_the_program(arguments: list[str], status: int, message: str, programs: Path) -> None:
    ended_with, told = ended(programs, *arguments)
    assert (ended_with, told.removesuffix(" See 'etcd --help'.")) == (status, message)


def test_the_version_is_printed(programs: Path) -> None:
    done = subprocess.run([programs / "etcd", "--version"], text=True, capture_output=True, check=True)
    assert done.stdout.startswith("etcd Version: 3.")

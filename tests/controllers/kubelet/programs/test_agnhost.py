"""The program of agnhost, the image of Kubernetes' end-to-end tests."""

import stat

import pytest

from memkube.controllers.kubelet.programs.inodes import Mount
from tests.controllers.kubelet.programs.playing import START, played

_MOUNTS = {
    "/memory": Mount("tmpfs", "tmpfs", stat.S_IFDIR | 0o777, size=1024),
    "/memory/disk": Mount("/dev/vda1", "ext4", stat.S_IFDIR | 0o777, size=1024),
    "/v": Mount("tmpfs", "tmpfs", written=START.timestamp(), directory="..1", modes={"*": 0o440}, is_read_only=True),
}
_FILES = {"/v/color": b"blue"}


@pytest.mark.parametrize(
    ("flags", "output", "code"),
    [
        (["--file_content=/v/color"], 'content of file "/v/color": blue\n', 0),
        (["--file_mode", "/v/color"], 'mode of file "/v/color": -r--r-----\n', 0),
        (["--file_perm=/memory"], 'perms of file "/memory": -rwxrwxrwx\n', 0),
        (["--file_mode=/tmp"], 'mode of file "/tmp": dtrwxrwxrwx\n', 0),
        (["--file_owner=/v/color"], 'owner UID of "/v/color": 0\nowner GID of "/v/color": 0\n', 0),
        (["--fs_type=/memory/a"], 'error from statfs("/memory/a"): no such file or directory\n', 1),
        (["--fs_type=/memory"], 'mount type of "/memory": tmpfs\n', 0),
        (["--fs_type=/memory/disk"], 'mount type of "/memory/disk": 61267\n', 0),
        (["--fs_type=/etc"], 'mount type of "/etc": 2035054128\n', 0),
        (["--file_content=/no"], 'error reading file content for "/no": open /no: no such file or directory\n', 1),
        (
            ["--new_file_0666=/new", "--file_perm=/new"],
            'content of file "/new": mount-tester new file\n\nperms of file "/new": -rw-rw-rw-\n',
            0,
        ),
    ],
)
def test_mounttest_shows_files_as_the_container_sees_them(flags: list[str], output: str, code: int) -> None:
    result = played("/agnhost", "mounttest", *flags, mounted=_FILES, mounts=_MOUNTS)
    assert (result.output, result.code) == (output, code)


def test_mounttest_reads_a_file_until_it_has_the_expected_content() -> None:
    result = played("/agnhost", "mounttest", "--file_content_in_loop=/v/color", "--retry_time=3", mounted=_FILES)
    line = 'content of file "/v/color": blue\nUnexpected content. Expected: mount-tester new file\n. Retrying\n'
    assert (result.output, result.seconds, result.code) == (line * 2, 4, 0)


def test_entrypoint_tester_prints_its_command_line() -> None:
    assert played("/agnhost-2", "entrypoint-tester", "a", "b").output == "[/agnhost-2 entrypoint-tester a b]\n"


def test_logs_generator_needs_a_duration() -> None:
    result = played("/agnhost", "logs-generator", "-t", "4", "-d", "soon", becomes_server=True)
    assert result.serves == 'agnhost logs-generator: invalid duration "soon"'


def test_logs_generator_spreads_its_lines_over_the_duration() -> None:
    result = played("/agnhost", "logs-generator", "-t", "4", "--run-duration=20s")
    assert result.errors.splitlines()[0] == (
        "I0102 03:04:05.000000       1 logs_generator.go:76] 0 GET /api/v1/namespaces/kube-system/pods/p000 200"
    )
    assert (len(result.errors.splitlines()), result.seconds, result.code) == (4, 20, 0)


@pytest.mark.parametrize("subcommand", ["pause", "netexec", "serve-hostname", "guestbook"])
def test_servers_run_until_they_are_stopped(subcommand: str) -> None:
    assert played("/agnhost", subcommand, becomes_server=True).serves == ""


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["netexec"], ["Started HTTP server on port 8080", "Started UDP server on port  8081"]),
        (["netexec", "--http-port", "80", "--udp-port=-1"], ["Started HTTP server on port 80"]),
        (["serve-hostname", "--tcp", "--http=false", "--port=81"], ["Serving on port 81."]),
    ],
)
def test_servers_log_their_ports(arguments: list[str], lines: list[str]) -> None:
    logged = played("/agnhost", *arguments, becomes_server=True).errors.splitlines()
    assert logged == [f"2026/01/02 03:04:05 {line}" for line in lines]


@pytest.mark.parametrize("flag", ["--sctp-port=1", "--http-port=many", "--delay-shutdown=1e400"])
def test_a_server_with_another_flag_is_not_simulated(flag: str) -> None:
    result = played("/agnhost", "netexec", flag, becomes_server=True)
    assert result.serves == f"agnhost netexec {flag} is not simulated"


def test_other_subcommands_are_not_simulated() -> None:
    result = played("/agnhost", "net", becomes_server=True)
    assert result.serves == "agnhost net is not simulated"


@pytest.mark.parametrize(
    ("subcommand", "output"),
    [
        ("etc-hosts", "192.0.2.1\tfoo\n\n"),
        ("dns-suffix", "a.example,b.example\n"),
        ("dns-server-list", "192.0.2.1,192.0.2.2\n"),
    ],
)
def test_the_configuration_of_names_is_printed(subcommand: str, output: str) -> None:
    resolver = b"search a.example b.example\nnameserver 192.0.2.1\nnameserver 192.0.2.2\noptions ndots:5\n"
    mounted = {"/etc/hosts": b"192.0.2.1\tfoo\n", "/etc/resolv.conf": resolver}
    assert played("/agnhost", subcommand, mounted=mounted).output == output

"""Permissions, owners, times and symbolic links of files, with the output of busybox 1.36."""

import stat

import pytest

from memkube.controllers.kubelet.programs.inodes import Mount
from tests.controllers.kubelet.programs.playing import START, played

_GIB = 1024**3
_VERSION = "..2026_01_02_03_04_05.1"
_VOLUME = Mount(
    "tmpfs",
    "tmpfs",
    stat.S_IFDIR | stat.S_ISVTX | 0o777,
    written=START.timestamp(),
    directory=_VERSION,
    modes={"*": 0o640, "key": 0o400},
    is_read_only=True,
    size=_GIB,
)
_FILES = {"/v/color": b"blue\n", "/v/key": b"k"}
_SIZES = {"/v": _VOLUME, "/etc/hosts": Mount("/dev/vda1", "ext4", stat.S_IFREG | 0o644, size=100 * _GIB)}


def _output(script: str, user: int = 0) -> str:
    result = played("sh", "-c", script, mounted=_FILES, mounts=_SIZES, user=user)
    assert result.serves is None
    return result.output + result.errors


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ("echo hi > f; ls -l f", ["-rw-r--r--    1 root     root             3 Jan  2 03:04 f"]),
        ("mkdir -p d/e; ls -ld d", ["drwxr-xr-x    3 root     root          4096 Jan  2 03:04 d"]),
        ("ln -s /a/b l; ls -l l", ["lrwxrwxrwx    1 root     root             4 Jan  2 03:04 l -> /a/b"]),
        ("ls -l /dev/null", ["crw-rw-rw-    1 root     root        1,   3 Jan  2 03:04 /dev/null"]),
        ("seq 1000 > f; ls -lh f", ["-rw-r--r--    1 root     root        3.8K Jan  2 03:04 f"]),
        ("mkdir d; cd d; seq 2000 > b; touch a; ls -l", [
            "total 12",
            "-rw-r--r--    1 root     root             0 Jan  2 03:04 a",
            "-rw-r--r--    1 root     root          8893 Jan  2 03:04 b",
        ]),
        ("mkdir d; cd d; touch a; sleep 60; touch b; ls -t; ls -r", ["b", "a", "b", "a"]),
        ("mkdir -p d/e; touch d/f d/e/g; ls -R d", ["d:", "e", "f", "", "d/e:", "g"]),
        ("touch f; sleep 200d; ls -l f", ["-rw-r--r--    1 root     root             0 Jan  2  2026 f"]),
        ("ls -n /v/..data/", [
            "total 8",
            "-rw-r-----    1 0        0                5 Jan  2 03:04 color",
            "-r--------    1 0        0                1 Jan  2 03:04 key",
        ]),
    ],
)  # fmt: skip
def test_ls_shows_inodes(script: str, lines: list[str]) -> None:
    assert _output(script).splitlines() == lines


def test_a_volume_of_the_kubelet_is_shown_as_it_writes_it() -> None:
    assert _output("ls -lA /v; ls -a /v; readlink -f /v/color; cat /v/..data/color").splitlines() == [
        "total 4",
        f"drwxr-xr-x    2 root     root          4096 Jan  2 03:04 {_VERSION}",
        f"lrwxrwxrwx    1 root     root            23 Jan  2 03:04 ..data -> {_VERSION}",
        "lrwxrwxrwx    1 root     root            12 Jan  2 03:04 color -> ..data/color",
        "lrwxrwxrwx    1 root     root            10 Jan  2 03:04 key -> ..data/key",
        *(".", "..", _VERSION, "..data", "color", "key"),
        f"/v/{_VERSION}/color",
        "blue",
    ]


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ("touch f; chmod 600 f; stat -c '%a %A %U %n' f", "600 -rw------- root f\n"),
        ("touch f; chmod u+x,go-r f; stat -c %a f", "700\n"),
        ("touch f; chmod +x f; [ -x f ] && echo yes", "yes\n"),
        ("mkdir -p d/e; chmod -R 700 d; stat -c %a d d/e", "700\n700\n"),
        ("echo 1 > f; ln -s f l; ln -s l m; echo 2 >> m; cat f; readlink m", "1\n2\nl\n"),
        ("ln -s a a; cat a", "cat: can't open 'a': Too many levels of symbolic links\n"),
        ("ln -s f l; cat l", "cat: can't open 'l': No such file or directory\n"),
        ("ln -s f l; rm l; ls l", "ls: l: No such file or directory\n"),
        ("mkdir d; ln -s d l; touch l/f; ls d; [ -L l ] && echo link", "f\nlink\n"),
        ("ln -s a l; ln -s b l; ln -sf b l; readlink l", "b\nln: l: File exists\n"),
        ("mkdir -p a/b; echo 1 > a/b/f; cp -r a c; mv c d; find d -type f; cat d/b/f", "d/b/f\n1\n"),
        ("mkdir d; cp d e", "cp: omitting directory 'd'\n"),
        (
            "mkdir d; touch d/f; rmdir d; rm d/f; rmdir d; ls d",
            "rmdir: 'd': Directory not empty\nls: d: No such file or directory\n",
        ),
        ("mkdir d; cd d; touch a.txt b; find . -name '*.txt'", "./a.txt\n"),
        ("mkdir d; seq 2000 > d/f; du d; du -sh d", "16\td\n16.0K\td\n"),
        ("touch f; stat -c %Y f; sleep 5; touch f; stat -c %Y f", "1767323045\n1767323050\n"),
        ("cat /etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"),
        ("echo x > /v/new", "sh: can't create /v/new: Read-only file system\n"),
        ("chmod 777 /v/color", "chmod: /v/color: Read-only file system\n"),
    ],
)  # fmt: skip
def test_commands_keep_permissions_and_links(script: str, output: str) -> None:
    assert sorted(_output(script).splitlines()) == sorted(output.splitlines())


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ("cat /v/key", "cat: can't open '/v/key': Permission denied\n"),
        ("echo x > /etc/new", "sh: can't create /etc/new: Permission denied\n"),
        ("echo x > /tmp/new; stat -c '%u %g' /tmp/new", "1000 1000\n"),
        ("chmod 777 /etc/passwd", "chmod: /etc/passwd: Operation not permitted\n"),
    ],
)
def test_a_user_may_do_what_permissions_allow(script: str, output: str) -> None:
    assert _output(script, user=1000) == output


def test_stat_describes_a_file() -> None:
    assert _output("echo hi > f; chmod 640 f; stat f").splitlines() == [
        "  File: f",
        "  Size: 3         \tBlocks: 8          IO Block: 4096   regular file",
        "Device: 30h/48d\tInode: 8710767     Links: 1",
        "Access: (0640/-rw-r-----)  Uid: (    0/    root)   Gid: (    0/    root)",
        *(f"{time}: 2026-01-02 03:04:05.000000000 +0000" for time in ("Access", "Modify", "Change")),
    ]


def test_df_and_mount_show_the_volumes() -> None:
    shown = _output("seq 20000 > /f; df -h / /v; df /v; mount").splitlines()
    assert shown[:5] == [
        "Filesystem                Size      Used Available Use% Mounted on",
        "overlay                 100.0G    106.3K    100.0G   0% /",
        "tmpfs                     1.0G         6   1024.0M   0% /v",
        "Filesystem           1K-blocks      Used Available Use% Mounted on",
        "tmpfs                  1048576         0   1048575   0% /v",
    ]
    assert shown[-2:] == [
        "tmpfs on /v type tmpfs (ro,relatime,size=1048576k)",
        "/dev/vda1 on /etc/hosts type ext4 (rw,relatime)",
    ]

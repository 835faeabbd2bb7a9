"""The program of agnhost, the image of Kubernetes' end-to-end tests (``test/images/agnhost``)."""

import re
import stat
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.shown_values import quoted
from memkube.controllers.kubelet.programs.files import Files
from memkube.controllers.kubelet.programs.inodes import FileStatus
from memkube.controllers.kubelet.programs.program import NotSimulated, Output, Pause, Run, Serve, Session, Steps, error
from memkube.controllers.kubelet.programs.resolver import Resolver, resolve

AGNHOST: Final = "agnhost"
"""Name of the image, without registry, repository and tag."""
IMAGE_FILES: Final = MappingProxyType(
    dict.fromkeys(("/localhost.crt", "/localhost.key"), b"The files of the image agnhost are not simulated.\n")
)
"""Files of the image that ``test-webserver`` serves, by path."""
_NEW_FILES: Final = MappingProxyType(
    {"new_file_0644": 0o644, "new_file_0666": 0o666, "new_file_0660": 0o660, "new_file_0777": 0o777}
)
"""Permissions of the file that ``mounttest`` creates, by the name of the flag with the file's path."""
_MOUNT_FLAGS: Final = MappingProxyType(
    dict.fromkeys(
        ("fs_type", *_NEW_FILES, "file_mode", "file_perm", "file_owner", "file_content", "file_content_in_loop"), ""
    )
    | {"retry_time": "180", "break_on_expected_content": "true"}
)
"""Flags of ``mounttest``, with their default values."""
_NEW_CONTENT: Final = b"mount-tester new file\n"
_FILE_SYSTEMS: Final = MappingProxyType({"ext4": "61267", "overlay": "2035054128"})
"""Magic numbers that ``mounttest`` prints for file systems whose names it does not know."""
_POLL_SECONDS: Final = 2.0
_CONNECT_SECONDS: Final = 130.0
"""Seconds after which Linux stops connecting to an address that does not respond."""
SERVER_FLAGS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "grpc-health-checking": {"port": "5000", "http-port": "8080", "delay-unhealthy-sec": "-1", "service": ""},
        "liveness": {},
        "netexec": {
            "http-port": "8080",
            "udp-port": "8081",
            "udp-listen-addresses": "",
            "tls-cert-file": "",
            "tls-private-key-file": "",
            "delay-shutdown": "0",
        },
        "nettest": {"port": "8080", "delay-shutdown": "0"},
        "pause": {},
        "porter": {"json-response": "false"},
        "serve-hostname": {"tcp": "false", "udp": "false", "http": "true", "close": "false", "port": "9376"},
        "test-webserver": {"port": "80"},
    }
)
"""Flags of the subcommands that run a server until a signal ends them, with their default values."""
_HOSTNAME_STOP_SECONDS: Final = 60
"""Seconds that the server of ``serve-hostname`` takes to end after the signal TERM."""
LOG_HEAD: Final = "%Y/%m/%d %H:%M:%S "
"""Format of the time at the start of the lines that agnhost logs."""
_is_number: Final = re.compile("-?[0-9]{1,9}").fullmatch
_SWITCH: Final = ("true", "false")
_KLOG_HEAD: Final = "I%m%d %H:%M:%S.%f       1 logs_generator.go:76]"
_METHODS: Final = ("GET", "POST", "PUT")
_NAMESPACES: Final = ("kube-system", "default", "ns")


def agnhost(arguments: Sequence[str], session: Session) -> Run:
    """Run ``agnhost`` with one of its subcommands. Raises NotSimulated for the other subcommands and their flags."""
    subcommand = arguments[1] if len(arguments) > 1 else ""
    if subcommand == "mounttest":
        return (yield from _test_mounts(_flags(arguments, _MOUNT_FLAGS), session))
    if subcommand == "entrypoint-tester":
        yield Output(f"[{' '.join(arguments)}]\n".encode())
        return 0
    if subcommand in ("etc-hosts", "dns-suffix", "dns-server-list"):
        yield Output(_names(subcommand, session.files) + b"\n")
        return 0
    if subcommand == "connect":
        *given, target = arguments[2:] or [""]
        flags = _flags([*arguments[:2], *given], {"timeout": "0s", "protocol": "tcp"})
        return (yield from _connect(target, flags, session))
    if subcommand == "nonewprivs":
        yield Output(f"Effective uid: {session.user}\n".encode())
        return 0
    if subcommand == "logs-generator":
        flags = _flags(_long(arguments), {"log-lines-total": "0", "run-duration": "0s"})
        try:
            seconds = parse_duration(flags["run-duration"])
        except ValueError as problem:
            raise NotSimulated(f"agnhost logs-generator: {problem}") from None
        return (yield from _generate_logs(int(flags["log-lines-total"]), seconds, session))
    if subcommand == "guestbook":
        yield Serve()
        return 0
    flags = server_flags(arguments)
    yield from _announce(subcommand, flags, session)
    yield Serve(stop_seconds=_stop_seconds(subcommand, flags))
    return 0


def _stop_seconds(subcommand: str, flags: Mapping[str, str]) -> float:
    """Return the seconds that a server takes to end after the signal TERM."""
    if subcommand == "serve-hostname":
        return _HOSTNAME_STOP_SECONDS
    return float(flags.get("delay-shutdown", 0))


def server_flags(arguments: Sequence[str]) -> dict[str, str]:
    """Return the flags of a subcommand that runs a server, with their default values.

    Raises NotSimulated for any other subcommand, and for flags that are not simulated.
    """
    subcommand = arguments[1] if len(arguments) > 1 else ""
    if subcommand not in SERVER_FLAGS:
        raise NotSimulated(f"agnhost {subcommand} is not simulated")
    return _flags(arguments, SERVER_FLAGS[subcommand])


def _announce(subcommand: str, flags: Mapping[str, str], session: Session) -> Steps[None]:
    """Write the lines that a server logs when it starts."""
    if subcommand == "pause":
        yield Output(b"Paused\nSignals registered\n")
    lines = []
    if subcommand == "netexec":
        lines = [f"Started HTTP server on port {flags['http-port']}"]
        if flags["udp-port"] != "-1":
            lines += [
                f"Started UDP server on port {address} {flags['udp-port']}"
                for address in flags["udp-listen-addresses"].split(",")
            ]
    elif subcommand == "serve-hostname":
        lines = [f"Serving on port {flags['port']}."]
    head = session.now().strftime(LOG_HEAD)
    if lines:
        yield Output("".join(f"{head}{line}\n" for line in lines).encode(), "stderr")


def _names(subcommand: str, files: Files) -> bytes:
    """Return ``/etc/hosts``, or the search domains or servers in ``/etc/resolv.conf``, as `subcommand` says."""
    if subcommand == "etc-hosts":
        return files.read("/etc/hosts")
    resolver = Resolver.of(files)
    return ",".join(resolver.searches if subcommand == "dns-suffix" else resolver.nameservers).encode()


def _flags(arguments: Sequence[str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the flags of a subcommand, with the defaults in `known` for those that are missing.

    A flag whose default is ``true`` or ``false`` takes no value, except after ``=``.
    """
    values = dict(known)
    words = list(arguments[2:])
    while words:
        word = words.pop(0)
        name, has_value, value = word.removeprefix("--").partition("=")
        is_switch = known.get(name) in _SWITCH
        if not word.startswith("--") or name not in known or not (has_value or words or is_switch):
            raise NotSimulated(f"agnhost {arguments[1]} {word} is not simulated")
        values[name] = value if has_value else "true" if is_switch else words.pop(0)
        if _is_number(known[name]) and not _is_number(values[name]):
            raise NotSimulated(f"agnhost {arguments[1]} {word} is not simulated")
    return values


def _long(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of ``logs-generator`` with the long names of its flags."""
    return [{"-t": "--log-lines-total", "-d": "--run-duration"}.get(word, word) for word in arguments]


def _connect(target: str, flags: Mapping[str, str], session: Session) -> Run:
    """Run ``connect``: open a TCP connection to ``HOST:PORT``, and print the reason if that fails."""
    host, _, port = target.rpartition(":")
    try:
        limit = parse_duration(flags["timeout"]) or _CONNECT_SECONDS
    except ValueError:
        limit = 0.0
    if not host or not _is_number(port) or flags["protocol"] != "tcp" or limit <= 0 or session.network is None:
        raise NotSimulated(f"agnhost connect to {target} by {flags['protocol']} is not simulated")
    addresses = resolve(host, session)
    if not addresses:
        yield error(f"DNS: lookup {host}: no such host")
        return 1
    try:
        session.network.exchange(addresses[0], int(port), b"", "TCP")
    except OSError as problem:
        if "refused" in str(problem):
            yield error("REFUSED")
            return 1
        session.budget.renew()
        yield Pause(limit)
        yield error("TIMEOUT")
        return 1
    return 0


def _test_mounts(flags: Mapping[str, str], session: Session) -> Run:
    """Run ``mounttest``: print the type of a file system, create files, and print permissions, owners and contents."""
    failed = False
    if path := flags["fs_type"]:
        failed |= yield from _show_file_system(path, session)
    for name, mode in _NEW_FILES.items():
        if path := flags[name]:
            failed |= yield from _create(path, mode, session)
    for name in ("file_mode", "file_perm", "file_owner"):
        if path := flags[name]:
            failed |= yield from _show_status(name, path, session)
    if path := flags["file_content"]:
        failed |= yield from _show_content(path, session)
    if path := flags["file_content_in_loop"]:
        breaks = flags["break_on_expected_content"] == "true"
        failed |= yield from _show_content_in_loop(path, int(flags["retry_time"]), session, breaks=breaks)
    return int(failed)


def _show_file_system(path: str, session: Session) -> Steps[bool]:
    """Print the type of the file system that has the file. Return True if the file does not exist."""
    if not session.files.exists(session.path(path)):
        yield Output(f"error from statfs({quoted(path)}): no such file or directory\n".encode())
        return True
    full = session.files.real_path(session.path(path))
    table = [line.split() for line in session.files.read("/proc/mounts").decode().splitlines()]
    above = [(mount, kind) for _, mount, kind, *_ in table if f"{full}/".startswith(f"{mount.rstrip('/')}/")]
    kind = max(above, key=lambda mounted: len(mounted[0]))[1]
    yield Output(f"mount type of {quoted(path)}: {_FILE_SYSTEMS.get(kind, kind)}\n".encode())
    return False


def _create(path: str, mode: int, session: Session) -> Steps[bool]:
    """Create a file and print its contents. Return True if that fails. An existing file keeps its permissions."""
    files, full = session.files, session.path(path)
    try:
        is_new = not files.exists(full)
        files.write(full, _NEW_CONTENT, session.now())
        if is_new:
            files.change_mode(full, lambda _: mode)
    except OSError as problem:
        yield Output(f"error writing new file {quoted(path)}: open {path}: {_reason(problem)}\n".encode())
        return True
    return (yield from _show_content(path, session))


def _show_status(flag: str, path: str, session: Session) -> Steps[bool]:
    """Print the mode, the permissions or the owner of a file, as `flag` says. Return True if it does not exist."""
    try:
        status = session.files.status(session.path(path))
    except OSError as problem:
        name = "stat" if flag == "file_owner" else "Stat"
        yield Output(f"error from {name}({quoted(path)}): stat {path}: {_reason(problem)}\n".encode())
        return True
    if flag == "file_owner":
        yield Output(f"owner UID of {quoted(path)}: {status.uid}\nowner GID of {quoted(path)}: {status.gid}\n".encode())
    elif flag == "file_perm":
        yield Output(f"perms of file {quoted(path)}: -{_permissions(status.mode)}\n".encode())
    else:
        yield Output(f"mode of file {quoted(path)}: {_mode(status)}\n".encode())
    return False


def _show_content(path: str, session: Session) -> Steps[bool]:
    """Print the contents of a file. Return True if it cannot be read."""
    try:
        content = session.files.read(session.path(path))
    except OSError as problem:
        yield Output(f"error reading file content for {quoted(path)}: open {path}: {_reason(problem)}\n".encode())
        return True
    yield Output(f"content of file {quoted(path)}: ".encode() + content + b"\n")
    return False


def _show_content_in_loop(path: str, seconds: int, session: Session, *, breaks: bool) -> Steps[bool]:
    """Print the contents of a file every two seconds. Return True if it could not be read the last time.

    If `breaks` is True, the loop ends as soon as the file has the contents that ``mounttest`` writes to new files.
    """
    start = session.now()
    failed = False
    while (session.now() - start).total_seconds() < seconds:
        failed, content = False, b""
        try:
            content = session.files.read(session.path(path))
        except OSError as problem:
            failed = True
            yield Output(f"Error reading file {path}: open {path}: {_reason(problem)}, retrying\n".encode())
        else:
            yield Output(f"content of file {quoted(path)}: ".encode() + content + b"\n")
        if breaks and not failed:
            if content == _NEW_CONTENT:
                break
            yield Output(b"Unexpected content. Expected: " + _NEW_CONTENT + b". Retrying\n")
        session.budget.renew()
        yield Pause(_POLL_SECONDS)
    return failed


def _generate_logs(lines: int, seconds: float, session: Session) -> Run:
    """Run ``logs-generator``: write `lines` lines to standard error, evenly distributed over a number of seconds."""
    if lines <= 0 or seconds <= 0:
        raise NotSimulated("agnhost logs-generator without a number of lines and a duration is not simulated")
    for line in range(lines):
        target = f"/api/v1/namespaces/{_NAMESPACES[line % 3]}/pods/p{line:03}"
        text = f"{line} {_METHODS[line // 3 % 3]} {target} {200 + line * 37 % 400}"
        yield Output(f"{session.now().strftime(_KLOG_HEAD)} {text}\n".encode(), "stderr")
        session.budget.renew()
        yield Pause(seconds / lines)
    return 0


def _mode(status: FileStatus) -> str:
    """Format the mode of a file as Go does (``fs.FileMode``), such as ``dtrwxrwxrwx`` for ``/tmp``."""
    letters = {"d": status.is_directory, "L": status.is_link, "u": status.mode & stat.S_ISUID}
    letters |= {"g": status.mode & stat.S_ISGID, "t": status.mode & stat.S_ISVTX}
    return ("".join(letter for letter, is_set in letters.items() if is_set) or "-") + _permissions(status.mode)


def _permissions(mode: int) -> str:
    return stat.filemode(mode & 0o777)[1:]


def _reason(problem: OSError) -> str:
    """Return the text of an error as Go writes it: it begins with a small letter."""
    text = "is a directory" if isinstance(problem, IsADirectoryError) else str(problem)
    return text[:1].lower() + text[1:]

"""Scripts (launchers) named kube-apiserver, etcd and kubectl, in a folder, a store or an archive for envtest."""

import hashlib
import io
import os
import platform
import shlex
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from memkube.errors import ServerError
from memkube.version import KUBERNETES_VERSION

PROGRAMS: Final = ("etcd", "kube-apiserver", "kubectl")
_MARK: Final = "memkube.envtest"
_HEAD: Final = 1024
_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}
_INDEX: Final = "envtest-releases.yaml"


def launcher_text(interpreter: str) -> str:
    """Return the text of a script that starts kube-apiserver, etcd or kubectl; it is the same for all three.

    The script starts the Python interpreter at the path `interpreter`, and passes its own path as an argument. The last
    part of this path names the program to run.
    """
    return f'#!/bin/sh\n# Written by `memkube envtest`.\nexec {shlex.quote(interpreter)} -P -m {_MARK} "$0" "$@"\n'


def is_launcher(path: Path) -> bool:
    """True if the file is a script named kube-apiserver, etcd or kubectl that some memkube installation wrote."""
    try:
        with path.open("rb") as file:
            return _MARK.encode() in file.read(_HEAD)
    except OSError:
        return False


def default_folder(environment: Mapping[str, str]) -> Path:
    """Return the default folder for envtest's programs: one for each Python interpreter, in the user's cache."""
    cache = environment.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    digest = hashlib.sha256(sys.executable.encode()).hexdigest()[:12]
    return Path(cache) / "memkube" / f"envtest-{digest}"


def default_store(environment: Mapping[str, str]) -> Path:
    """Return the folder in which setup-envtest keeps the programs that it downloads."""
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/io.kubebuilder.envtest"
    data = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    return Path(data) / "kubebuilder-envtest"


def store_folder(store: Path) -> Path:
    """Return the subfolder for this Kubernetes release in a store of setup-envtest."""
    return store / "k8s" / f"{KUBERNETES_VERSION}-{_platform()}"


def write_launchers(folder: Path) -> None:
    """Write the scripts kube-apiserver, etcd and kubectl into a folder, which is created if needed.

    Each file is replaced atomically, because suites may be starting it. Raises ServerError, before anything is written,
    if the folder contains another program with the name of a script, such as Kubernetes' own.
    """
    others = [program for program in PROGRAMS if (folder / program).exists() and not is_launcher(folder / program)]
    if others:
        raise ServerError(
            f"{folder} contains programs that are not memkube's: {', '.join(others)}; choose another folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    text = launcher_text(sys.executable)
    for program in PROGRAMS:
        path = folder / program
        if path.exists() and path.read_text() == text and os.access(path, os.X_OK):
            continue
        unfinished = folder / f".{program}.{os.getpid()}"
        unfinished.write_text(text)
        unfinished.chmod(0o755)
        unfinished.replace(path)


def write_index(folder: Path, url: str) -> Path:
    """Write an archive of envtest's programs and its index for ``setup-envtest --index``. Return the index's path.

    The index names `url` as the address of the archive. The scripts in the archive start the memkube of this
    interpreter, so they work on this machine only.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = f"envtest-v{KUBERNETES_VERSION}-{_platform()}.tar.gz"
    content = _archive()
    (folder / name).write_bytes(content)
    index = folder / _INDEX
    lines = (
        "releases:",
        f"  v{KUBERNETES_VERSION}:",
        f"    {name}:",
        f"      hash: {hashlib.sha512(content).hexdigest()}",
        f"      selfLink: {url.rstrip('/')}/{name}",
    )
    index.write_text("".join(f"{line}\n" for line in lines))
    return index


def _archive() -> bytes:
    text = launcher_text(sys.executable).encode()
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for program in PROGRAMS:
            entry = tarfile.TarInfo(f"controller-tools/envtest/{program}")
            entry.size, entry.mode = len(text), 0o755
            archive.addfile(entry, io.BytesIO(text))
    return written.getvalue()


def _platform() -> str:
    """Return the operating system and the architecture by Go's names, such as ``linux-amd64``."""
    machine = platform.machine().lower()
    return f"{platform.system().lower()}-{_ARCHITECTURES.get(machine, machine)}"

"""The program kube-apiserver that `memkube envtest` installs."""

import gc
import sys
from collections.abc import Sequence
from typing import Final

from memkube.envtest.apiserver_flags import ABOUT, FLAGS, SHORTHANDS
from memkube.envtest.flags import FlagError, Values, help_of, parse_pflags
from memkube.version import KUBERNETES_VERSION

_PROGRAM: Final = "kube-apiserver"


def main(arguments: Sequence[str]) -> int:
    """Run the program, and return its exit status."""
    try:
        values = parse_pflags(FLAGS, arguments, SHORTHANDS)
    except FlagError as error:
        return _failed(f"Error: {error}")
    if values.is_on("help"):
        sys.stdout.write(help_of(_PROGRAM, ABOUT, FLAGS.values()))
        return 0
    if values.text("version") == "raw" or values.is_on("version"):
        sys.stdout.write(f"Kubernetes v{KUBERNETES_VERSION}\n")
        return 0
    if values.arguments:
        return _failed(f'Error: "{_PROGRAM}" does not take any arguments, got {_go_strings(values.arguments)}')
    return _serve(values)


def _serve(values: Values) -> int:
    # Disable garbage collection during the imports: it would take a third of the start-up time.
    gc.disable()
    # The server is imported after --help has been answered, so that --help is fast.
    from memkube.envtest.apiserver_settings import server_options  # noqa: PLC0415
    from memkube.envtest.serving import serve  # noqa: PLC0415

    try:
        options = server_options(values)
    except FlagError as error:
        return _failed(f"Error: {error}")
    for note in options.notes:
        sys.stderr.write(f"{_PROGRAM}: {note}\n")
    return serve(options)


def _failed(line: str) -> int:
    sys.stderr.write(f"{line}\n")
    return 1


def _go_strings(values: Sequence[str]) -> str:
    return "[" + " ".join(f'"{value}"' for value in values) + "]"

"""Parses and runs the command lines of an agent.

An agent may run kubectl with its own kubeconfig, and ``sleep``, which advances the cluster's clock. There is no shell.
"""

import contextlib
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from memkube.errors import MemkubeError

VERBS: Final = frozenset(
    {
        "annotate",
        "api-resources",
        "api-versions",
        "apply",
        "auth",
        "autoscale",
        "cluster-info",
        "cordon",
        "create",
        "delete",
        "describe",
        "drain",
        "events",
        "exec",
        "explain",
        "expose",
        "get",
        "label",
        "logs",
        "patch",
        "replace",
        "rollout",
        "run",
        "scale",
        "set",
        "taint",
        "top",
        "uncordon",
        "version",
        "wait",
    }
)
"""Commands of kubectl that an agent may use. The other commands need a terminal, a browser or files."""
_REFUSED_OPTIONS: Final = frozenset(
    {
        "--as",
        "--as-group",
        "--as-uid",
        "--cache-dir",
        "--certificate-authority",
        "--client-certificate",
        "--client-key",
        "--cluster",
        "--context",
        "--env-file",
        "--from-env-file",
        "--from-file",
        "--insecure-skip-tls-verify",
        "--kubeconfig",
        "--kuberc",
        "--kustomize",
        "--password",
        "--patch-file",
        "--profile",
        "--profile-output",
        "--proxy-url",
        "--server",
        "--tls-server-name",
        "--token",
        "--username",
        "-k",
        "-s",
    }
)
_FILES: Final = ("-f", "--filename")
_HERE_DOCUMENT: Final = re.compile(r"\s*<<-?\s*(['\"]?)(\w+)\1\s*$")
_REFUSED: Final = 2
_TIMED_OUT: Final = 124
_LOOK_SECONDS: Final = 0.1
_USUAL_LOOKS: Final = 50
"""Number of polls of a running kubectl command after which the clock is advanced even without an open watch."""
_LONGEST_STEP: Final = 30.0
_MOST_OUTPUT: Final = 16_000
_MOST_SLEEP: Final = 600.0


@dataclass(frozen=True, slots=True)
class Result:
    """Output and exit code of a command."""

    output: str
    exit_code: int


class RefusedCommand(MemkubeError):
    """Raised for a command line that an agent may not run. The message gives the reason."""


class Cluster(Protocol):
    """The methods of an episode's cluster that `Commands` calls."""

    def advance(self, seconds: float) -> None:
        """Advance the cluster's clock by this number of seconds."""

    def is_awaited(self) -> bool:
        """Return True if a watch or a stream (``log``, ``exec`` or ``attach``) of the agent's kubectl is open."""


class Commands:
    """Runs the command lines of an agent against one cluster.

    While a kubectl command has an open watch or stream, or runs for long, the cluster's clock is advanced. So commands
    such as ``kubectl wait`` end.
    """

    def __init__(self, kubeconfig: Path, cluster: Cluster, longest: float = 300.0) -> None:
        """Prepare for running kubectl with `kubeconfig`, which must be the path of a kubeconfig for `cluster`.

        A command is stopped after `longest` seconds of the cluster's clock.
        """
        program = shutil.which("kubectl")
        if program is None:
            raise MemkubeError("agents use kubectl, which is not installed on this machine")
        self._program = program
        self._cluster = cluster
        self._longest = longest
        self._cleanup = contextlib.ExitStack()
        self._folder = self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="memkube-gym-"))
        self._environment: Mapping[str, str] = {
            "HOME": self._folder,
            "KUBECONFIG": str(kubeconfig),
            # PATH is a folder without programs, so that kubectl finds neither plugins nor editors.
            "PATH": self._folder,
            "TERM": "dumb",
        }

    def close(self) -> None:
        """Delete the folder in which the commands run."""
        self._cleanup.close()

    def run(self, line: str) -> Result:
        """Run a command line. Return its exit code, and its standard output followed by its standard error."""
        try:
            words, given = parse(line)
        except RefusedCommand as error:
            return Result(f"{error}\n", _REFUSED)
        if words[0] == "sleep":
            self._cluster.advance(float(words[1]))
            return Result("", 0)
        return self._kubectl(words[1:], given)

    def _kubectl(self, arguments: list[str], given: str) -> Result:
        process = subprocess.Popen(
            [self._program, *arguments],
            env=self._environment,
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        passed, looks = 0.0, 0
        pending: str | None = given
        while True:
            try:
                output, errors = process.communicate(pending, timeout=_LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                pending = None
                looks += 1
                if passed >= self._longest:
                    process.kill()
                    output, errors = process.communicate()
                    return Result(_shortened(output + errors + _stopped(passed)), _TIMED_OUT)
                # The clock is also advanced if kubectl runs for long without an open watch: some of its commands poll,
                # and pause in real time.
                if looks > _USUAL_LOOKS or (looks > 1 and self._cluster.is_awaited()):
                    step = min(max(passed, 1.0), _LONGEST_STEP, self._longest - passed)
                    self._cluster.advance(step)
                    passed += step
            else:
                return Result(_shortened(output + errors), process.returncode)


def parse(line: str) -> tuple[list[str], str]:
    """Return the words of a command line, and the text for its standard input.

    The text is the content of the here-document after the command; "" if there is none. Raises RefusedCommand if the
    command, an option or a file is not allowed.
    """
    first, _, rest = line.strip().partition("\n")
    given = ""
    if here := _HERE_DOCUMENT.search(first):
        first = first[: here.start()]
        given, end, after = f"\n{rest}\n".partition(f"\n{here[2]}\n")
        if not end or after.strip():
            raise RefusedCommand(f"the here-document must end with a line {here[2]}, and nothing may follow it")
        given = given.removeprefix("\n") + "\n"
    else:
        first = line.strip()
    try:
        words = shlex.split(first)
    except ValueError as error:
        raise RefusedCommand(f"cannot read the command line: {error}") from None
    if words[:1] == ["sleep"]:
        return _checked_sleep(words), ""
    if words[:1] != ["kubectl"]:
        raise RefusedCommand("only kubectl and sleep SECONDS can be run: there is no shell")
    for reason in _objections(words[1:]):
        raise RefusedCommand(reason)
    return words, given


def _objections(words: list[str]) -> Iterator[str]:
    """Yield a message for each of the arguments `words` of kubectl that an agent may not use."""
    # Arguments after -- belong to the command that runs in a container.
    options = words[: words.index("--")] if "--" in words else words
    verb = _verb(options)
    if verb not in VERBS:
        yield f"kubectl {verb} is not available; choose from {', '.join(sorted(VERBS))}"
    for word, following in zip(options, [*options[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        short = word[:2] if word[:1] == "-" and word[:2] != "--" else ""
        if name in _REFUSED_OPTIONS or short in _REFUSED_OPTIONS:
            yield f"option {name} is not available"
        if name in _FILES or short == "-f":
            value = value if equals else word[2:] if short and len(word) > len(short) else following
            if value != "-" and verb != "logs":
                yield "files are not available: use -f - and a here-document (<<EOF)"
        if "file=" in value or following.startswith(("jsonpath-file", "go-template-file", "custom-columns-file")):
            yield "files are not available"
        if word in ("|", ">", ">>", "<", "&&", "||", ";", "&"):
            yield f"there is no shell, so {word} is not available"


def _verb(options: list[str]) -> str:
    """Return the kubectl command, such as ``get``, which may come after the option ``--namespace``."""
    words = iter(options)
    for word in words:
        if word in ("-n", "--namespace"):
            next(words, "")
        elif not word.startswith("-"):
            return word
    return ""


def _checked_sleep(words: list[str]) -> list[str]:
    try:
        seconds = float(words[1].removesuffix("s"))
    except (IndexError, ValueError):
        raise RefusedCommand("sleep needs a number of seconds") from None
    if len(words) != len(["sleep", "SECONDS"]) or not 0 <= seconds <= _MOST_SLEEP:
        raise RefusedCommand(f"sleep takes a number of seconds, at most {_MOST_SLEEP:g}")
    return ["sleep", str(seconds)]


def _stopped(seconds: float) -> str:
    return f"stopped: the command has not ended within {seconds:g} s of the cluster's time\n"


def _shortened(output: str) -> str:
    if len(output) <= _MOST_OUTPUT:
        return output
    return f"{output[:_MOST_OUTPUT]}\n[{len(output) - _MOST_OUTPUT} more characters]\n"

"""Sends the requests of recorded exchanges again, and compares the answers as the reference's program does."""

import os
import queue
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from itertools import cycle
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from benchmarks.processes import serving

from tests.recordings.agreement import key_of
from tests.recordings.archive import Recording, load
from tests.recordings.reference import conformance, webhooks

# The program imports the webhooks' server that its cases ask for as its neighbour.
sys.modules["webhooks"] = webhooks

_PLAIN: Final = re.compile(r"[A-Za-z0-9]*|[A-Za-z:_ ]*")
"""Nothing that differs between runs is written so, but for generated names and the namespace in a Secret's data."""


class QuickMasker(conformance.Masker):  # type: ignore[misc]  # the program has no types
    """The program's own, which does not look for anything in texts that cannot have it: they are most of all."""

    def text(self, value: str) -> str:
        """What the program's own makes of it."""
        is_plain = _PLAIN.fullmatch(value) and value != self.namespace64
        if is_plain and not any(name in value for name in self.generated):
            return value
        masked: str = super().text(value)
        return masked


conformance.Masker = QuickMasker

Differences: TypeAlias = dict[str, list[str]]
"""What each case shows, by its key; nothing where it agrees."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases of one set-up of the reference, and how memkube is set up to be compared with it."""

    name: str
    controllers: str
    servers: int
    workers: int
    """How many cases run at a time; most of them wait, for the end of a watch or for controllers to be done."""
    headers: tuple[tuple[str, str], ...] = ()
    """Headers that requests have unless the recording has others."""
    options: tuple[str, ...] = ()
    """Further options of the server."""
    tokens: Path | None = None
    """File with the tokens of users. Requests of cases that name no user are then the administrator's."""

    def cases(self) -> dict[str, Recording]:
        """All of them by their keys. Raises FileNotFoundError where they are missing."""
        return {key_of(self.name, case): case for case in load(self.name)}

    def server(self, *options: str) -> tuple[str, ...]:
        """How its server is started: in a process of its own, where the threads that compare do not slow it."""
        controllers = ("--controllers", self.controllers)
        return ("memkube", "serve", "--port", "0", *controllers, "--kubeconfig", os.devnull, *self.options, *options)


_ADMIN: Final = (("Impersonate-User", "admin"), ("Impersonate-Group", "system:masters"))
"""The user by whom the controllers' cases were recorded, which CertificateSigningRequests show."""
_TOKENS: Final = Path(conformance.__file__).with_name("tokens.csv")
SUITES: Final = (
    # Bindings to a role of the cluster count for all cases, so that a server takes one case at a time.
    Suite(
        "auth",
        "none",
        servers=2,
        workers=2,
        options=("--authorization-mode", "RBAC", "--token-auth-file", str(_TOKENS)),
        tokens=_TOKENS,
    ),
    # The versions of lists are compared, so that a server takes one case at a time. It takes seconds of work until a
    # server has imported all kinds: more of them would only help on more processors.
    Suite("cases", "none", servers=3, workers=3),
    Suite("kinds", "none", servers=1, workers=1),
    # Definitions and what is asked at every write concern a whole server, and one definition's name is used by many.
    Suite("extensions", "none", servers=2, workers=2),
    # These compare what controllers left in the end, whatever else the server holds.
    Suite("controllers", "all,-scheduler,-kubelet", servers=2, workers=24, headers=_ADMIN),
)


class Place(Protocol):
    """Where servers keep their objects, for as long as the block runs."""

    def __call__(self) -> AbstractContextManager[Sequence[str]]:
        """The options by which servers are told."""


def replay(
    suite: Suite,
    cases: Mapping[str, Recording],
    *,
    agreeing: Iterable[str],
    place: Place = lambda: nullcontext(()),
    replicas: int = 1,
) -> Differences:
    """What the cases show; of several `replicas` at one place each request goes to another one than the last.

    A case that is said to be agreeing and is not is tried again when nothing else runs, since controllers that have
    much to do may be late. The others end at the first answer of another status than the recorded one, instead of
    waiting for what does not come.
    """
    listed = frozenset(agreeing)
    if any("hooks" in case for case in cases.values()):
        _close_webhooks_connections()
    with ExitStack() as stack:
        running = [_together(suite, stack, place, replicas) for _ in range(suite.servers)]
        urls: queue.SimpleQueue[Sequence[str]] = queue.SimpleQueue()
        for number in range(suite.workers):
            urls.put(running[number % suite.servers])

        def run(key: str) -> tuple[str, list[str]]:
            url = urls.get()
            try:
                return key, _differences(_Client(url, suite), cases[key], whole=key in listed)
            finally:
                urls.put(url)

        with ThreadPoolExecutor(suite.workers) as pool:
            found = dict(pool.map(run, cases))
        return found | dict(run(key) for key in cases if key in listed and found[key])


def _together(suite: Suite, stack: ExitStack, place: Place, replicas: int) -> Sequence[str]:
    """The addresses of servers at one place."""
    options = stack.enter_context(place())
    started = [stack.enter_context(serving(suite.server(*options))).address for _ in range(replicas)]
    return [f"http://{address.host}:{address.port}" for address in started]


def _close_webhooks_connections() -> None:
    """The program leaves them to the garbage collector, which pytest takes for a fault of ours."""
    listening = webhooks.server().http
    handler: type[BaseHTTPRequestHandler] = listening.RequestHandlerClass

    class Closing(handler):  # type: ignore[misc, valid-type]  # known at run time only
        def finish(self) -> None:
            super().finish()
            self.request.close()

    listening.RequestHandlerClass = Closing


class _Disagrees(Exception):
    pass


class _Client:
    """The program's own, which remembers the last status; it goes from one of the servers to the next."""

    def __init__(self, urls: Sequence[str], suite: Suite) -> None:
        self._headers = dict(suite.headers)
        self.tokens: Mapping[str, str] = conformance.read_tokens(suite.tokens) if suite.tokens else {}
        admin = self.tokens.get("admin")
        self._clients = cycle([conformance.Client(url, token=admin) for url in urls])
        self.status: int | None = None

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes | None) -> Any:
        given = {} if "Impersonate-User" in headers else self._headers
        answer = next(self._clients).send(method, path, {**given, **headers}, body)
        self.status = answer[0]
        return answer


def _differences(client: _Client, case: Recording, *, whole: bool) -> list[str]:
    ignore, steps = case.get("ignore", []), case["steps"]
    played = case if whole else {**case, "steps": _while_agreeing(steps, client)}
    try:
        answers, namespace = conformance.run_case(client, played)
    except Exception as error:  # whatever a server does to a connection is its case's, and not the run's
        return [f"{type(error).__name__}: {error}"]
    expected = conformance.masked([step["response"] for step in steps], case["recorded_namespace"], ignore)
    actual = conformance.masked(answers, namespace, ignore)
    return [
        f"step {number} {step['request']['method']} {step['request']['path']}: {difference}"
        for number, (step, left, right) in enumerate(zip(steps, expected, actual, strict=True), 1)
        for difference in conformance.differences(left, right)
    ]


def _while_agreeing(steps: Iterable[Mapping[str, Any]], client: _Client) -> Iterator[Mapping[str, Any]]:
    for step in steps:
        yield step
        asks_the_webhooks = step["request"]["path"].startswith("webhook:")
        if client.status != step["response"]["status"] and not asks_the_webhooks:
            raise _Disagrees(f"{step['request']['path']}: {client.status}")

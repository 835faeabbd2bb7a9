"""Replays recorded requests, and compares the responses as the program that recorded them does."""

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

# The recording program imports the module `webhooks`, which its cases need, as a top-level module.
sys.modules["webhooks"] = webhooks

_PLAIN: Final = re.compile(r"[A-Za-z0-9]*|[A-Za-z:_ ]*")
"""Texts without parts that differ between runs, except generated names and a Secret's namespace."""


class QuickMasker(conformance.Masker):  # type: ignore[misc]  # the program has no types
    """The recording program's masker, made faster by skipping texts that need no masking."""

    def text(self, value: str) -> str:
        """Mask a text, unless it certainly needs no masking."""
        is_plain = _PLAIN.fullmatch(value) and value != self.namespace64
        if is_plain and not any(name in value for name in self.generated):
            return value
        masked: str = super().text(value)
        return masked


conformance.Masker = QuickMasker

Differences: TypeAlias = dict[str, list[str]]
"""Differences between a case's recording and its replay, by the key of the case; empty if they agree."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Recorded cases that need the same configuration of a server, and that configuration."""

    name: str
    controllers: str
    servers: int
    workers: int
    """Number of cases that run at the same time. Most of them only wait for watches or controllers."""
    headers: tuple[tuple[str, str], ...] = ()
    """Default headers of requests, unless the recording has others."""
    options: tuple[str, ...] = ()
    """Further command-line options of the server."""
    tokens: Path | None = None
    """File with the tokens of users. Requests without a user are sent as the administrator."""

    def cases(self) -> dict[str, Recording]:
        """Return the suite's cases by key. Raises FileNotFoundError if the recordings are missing."""
        return {key_of(self.name, case): case for case in load(self.name)}

    def server(self, *options: str) -> tuple[str, ...]:
        """Return the command that starts the suite's server.

        It runs in its own process, so that comparing does not slow it.
        """
        controllers = ("--controllers", self.controllers)
        return ("memkube", "serve", "--port", "0", *controllers, "--kubeconfig", os.devnull, *self.options, *options)


_ADMIN: Final = (("Impersonate-User", "admin"), ("Impersonate-Group", "system:masters"))
"""Headers of the user who recorded the controllers' cases. CertificateSigningRequests contain the user's name."""
_TOKENS: Final = Path(conformance.__file__).with_name("tokens.csv")
SUITES: Final = (
    # ClusterRoleBindings affect all cases on a server, so a server runs one case at a time.
    Suite(
        "auth",
        "none",
        servers=2,
        workers=2,
        options=("--authorization-mode", "RBAC", "--token-auth-file", str(_TOKENS)),
        tokens=_TOKENS,
    ),
    # The resourceVersions of lists are compared, so a server runs one case at a time. A server needs seconds of CPU
    # time to import all kinds, so more servers would help only on machines with more processors.
    Suite("cases", "none", servers=3, workers=3),
    Suite("kinds", "none", servers=1, workers=1),
    # CustomResourceDefinitions and webhooks affect all cases on a server, and many cases use the same definition.
    Suite("extensions", "none", servers=2, workers=2),
    # These cases compare the objects that controllers have written. Objects of other cases do not matter. The clock
    # shows the time of the recording, because the date matters to CronJobs that missed many starts: on the 30th of
    # November 2026, Kubernetes would find no start of one that is @monthly.
    Suite(
        "controllers",
        "all,-scheduler,-kubelet",
        servers=2,
        workers=24,
        headers=_ADMIN,
        options=("--clock", "x1", "--start", "2026-11-21T23:30:00Z"),
    ),
)


class Place(Protocol):
    """Provides a storage for servers, until the block ends."""

    def __call__(self) -> AbstractContextManager[Sequence[str]]:
        """Return the command-line options with which a server uses the storage."""


def replay(
    suite: Suite,
    cases: Mapping[str, Recording],
    *,
    agreeing: Iterable[str],
    place: Place = lambda: nullcontext(()),
    replicas: int = 1,
) -> Differences:
    """Return the differences between the cases' recordings and their replays.

    With several `replicas` on one storage, successive requests go to different servers. A case that is listed as
    agreeing and differs is replayed again while no other case runs, because busy controllers may be late. A case that
    is not listed ends at the first response with another status than the recorded one.
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
    """Return the URLs of servers on one storage."""
    options = stack.enter_context(place())
    started = [stack.enter_context(serving(suite.server(*options))).address for _ in range(replicas)]
    return [f"http://{address.host}:{address.port}" for address in started]


def _close_webhooks_connections() -> None:
    """Close the connections of the recording program's webhooks.

    Otherwise the garbage collector would close them, which pytest reports as an error.
    """
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
    """The recording program's client. It records the last status, and sends each request to the next server."""

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
    except Exception as error:  # a failed case does not end the run
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

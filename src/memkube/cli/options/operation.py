"""Options for limits of requests, for leader election, and for how the server stops."""

from dataclasses import dataclass
from typing import Final

import click

from memkube.apimachinery.duration import parse_duration
from memkube.cli.options.groups import option
from memkube.controllers.options import ElectionOptions
from memkube.endpoints.filters.limits import RequestLimits
from memkube.http.options import ShutdownOptions
from memkube.telemetry.request_log import RequestLogOptions

_LIMITS: Final = RequestLimits()
_ELECTION: Final = ElectionOptions()


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """Options that limit concurrent requests, and that define which requests are logged as slow."""

    max_requests_inflight: int = option(
        "Maximum number of concurrent reads; 0 for no limit.", type=click.IntRange(0), default=_LIMITS.reads
    )
    max_mutating_requests_inflight: int = option(
        "Maximum number of concurrent writes; 0 for no limit.", type=click.IntRange(0), default=_LIMITS.writes
    )
    max_watches: int = option(
        "Maximum number of open watches; 0 for no limit.", type=click.IntRange(0), default=_LIMITS.watches
    )
    max_streams: int = option(
        "Maximum number of log, exec, attach and port-forward streams; 0 for no limit.",
        type=click.IntRange(0),
        default=_LIMITS.streams,
    )
    slow_request_threshold: str = option(
        "Log requests that take longer than this, such as 500ms; 0s for none.", default="500ms"
    )

    def limits(self) -> RequestLimits:
        """Return the limits of concurrent requests."""
        return RequestLimits(
            self.max_requests_inflight, self.max_mutating_requests_inflight, self.max_watches, self.max_streams
        )

    def request_log(self) -> RequestLogOptions:
        """Return the settings of the request log. Raises ValueError for a malformed duration."""
        return RequestLogOptions(slow_seconds=parse_duration(self.slow_request_threshold))


@dataclass(frozen=True, slots=True)
class LeaderElectionOptions:
    """Options for the election of a leader among servers that share a storage."""

    leader_elect_lease_seconds: float = option(
        "Seconds after which other servers on the same storage replace a leader that has not renewed its lease.",
        default=_ELECTION.lease_seconds,
    )
    leader_elect_renew_seconds: float = option(
        "Seconds after which a leader stops trying to renew its lease.", default=_ELECTION.renew_seconds
    )
    leader_elect_retry_seconds: float = option(
        "Seconds between two attempts to acquire or renew the lease of the leader.", default=_ELECTION.retry_seconds
    )
    advertise_url: str = option(
        "URL at which other servers on the same storage reach this one; by default the address of this server.",
        default="",
    )

    def election(self) -> ElectionOptions:
        """Return the settings of the leader election. Raises ValueError for an invalid value."""
        times = self.leader_elect_lease_seconds, self.leader_elect_renew_seconds, self.leader_elect_retry_seconds
        return ElectionOptions(*times, url=self.advertise_url)


@dataclass(frozen=True, slots=True)
class StopOptions:
    """Options for how the server shuts down."""

    shutdown_delay_duration: str = option(
        "Time for which the server still serves after SIGTERM or SIGINT, such as 10s.", default="0s"
    )
    shutdown_grace_duration: str = option(
        "Time for requests in progress to end after the shutdown delay, such as 60s.", default="60s"
    )
    shutdown_send_retry_after: bool = option(
        "At shutdown, keep listening until requests in progress have ended, and answer new ones with 429.", is_flag=True
    )

    def shutdown(self) -> ShutdownOptions:
        """Return the settings of the shutdown. Raises ValueError for a malformed duration."""
        delay, grace = parse_duration(self.shutdown_delay_duration), parse_duration(self.shutdown_grace_duration)
        return ShutdownOptions(delay, grace, self.shutdown_send_retry_after)

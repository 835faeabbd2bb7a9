"""Histograms of the durations and sizes of requests."""

from memkube.telemetry.measures import SLI_SECONDS, RequestLabels, RequestSeries
from memkube.time.request_context import REQUEST_CONTEXT, RequestContext, answered_by_webhook

LABELS = RequestLabels("POST", "", "", "v1", "pods", "", "resource")


class Client:
    flow = "jane"


def test_bounds_of_the_servers_own_time_are_those_of_the_reference() -> None:
    assert (*(0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60),) == SLI_SECONDS


def test_the_servers_own_time_is_the_whole_without_what_others_took() -> None:
    series = RequestSeries(LABELS)
    series.pending += [(201, 0.01, 0, ""), (201, 0.3, 0, ""), (201, 70.0, 0, "")]
    series.settle()
    assert series.own_seconds().counts == [1, 0, 0, 1, *[0] * 17, 1]
    series.spare(0.3, 0.28)
    assert series.own_seconds().counts == [2, *[0] * 20, 1]
    assert series.own_seconds().total == 0.01 + 0.3 + 70.0 - 0.28
    assert sum(series.seconds.counts) == 3


def test_mutating_webhooks_take_their_time_one_after_the_other_and_validating_ones_together() -> None:
    context = RequestContext(Client())
    before = REQUEST_CONTEXT.set(context)
    for seconds in (1.0, 2.0):
        answered_by_webhook(seconds, mutating=True)
        answered_by_webhook(seconds, mutating=False)
    REQUEST_CONTEXT.reset(before)
    context.waited = 4.0
    assert context.external_seconds == 9.0

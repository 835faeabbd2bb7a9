"""Tasks and timers that outlive a request do not keep its context."""

import gc
import weakref

from memkube.time.request_context import REQUEST_CONTEXT, RequestContext, step


class Client:
    flow = "jane"


def test_steps_are_those_of_the_request_that_the_task_answers() -> None:
    step("nobody's")
    context = RequestContext(Client())
    before = REQUEST_CONTEXT.set(context)
    step("first")
    REQUEST_CONTEXT.reset(before)
    step("nobody's")
    assert [done for done, _ in context.steps] == ["first"]


def test_what_outlives_a_request_keeps_nothing_of_it() -> None:
    client = Client()
    context, gone = RequestContext(client), weakref.ref(client)
    assert context.flow == "jane"
    context.step("before")
    context.end()
    del client
    gc.collect()
    context.step("behind")
    assert gone() is None
    assert context.steps == []

"""Tasks and timers that a request leaves behind keep nothing of it."""

import gc
import weakref

from memkube.time.request_context import ASKING, Asking, step


class Client:
    flow = "jane"


def test_steps_are_those_of_the_request_that_the_task_answers() -> None:
    step("nobody's")
    asking = Asking(Client())
    before = ASKING.set(asking)
    step("first")
    ASKING.reset(before)
    step("nobody's")
    assert [done for done, _ in asking.steps] == ["first"]


def test_what_outlives_a_request_keeps_nothing_of_it() -> None:
    client = Client()
    asking, gone = Asking(client), weakref.ref(client)
    assert asking.flow == "jane"
    asking.step("before")
    asking.end()
    del client
    gc.collect()
    asking.step("behind")
    assert gone() is None
    assert asking.steps == []

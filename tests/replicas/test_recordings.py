"""Replays some recordings on two servers, in turn for each request.

All of them: ``python -m tests.conformance --engine etcd --replicas 2``.
"""

from dataclasses import replace

import pytest

from tests.conformance.replay import SUITES, Suite, replay
from tests.etcd_server import needs_etcd
from tests.recordings.agreement import read_agreeing
from tests.replicas.conftest import in_an_etcd

pytestmark = [pytest.mark.long, pytest.mark.slow, needs_etcd]

_EVERY = 25
# Servers that share an etcd refuse to start with authentication: see `test_servers_on_one_etcd_check_no_credentials`.
_COMPARED = [suite for suite in SUITES if suite.name not in ("controllers", "auth")]


@pytest.mark.parametrize("suite", _COMPARED, ids=lambda suite: str(suite.name))
def test_answers_of_two_servers_agree_with_the_recordings(suite: Suite) -> None:
    listed = [key for key in read_agreeing() if key.partition("/")[0] == suite.name][::_EVERY]
    recorded = suite.cases()
    cases = {key: recorded[key] for key in listed}
    one_place = replace(suite, servers=1, workers=1)
    found = replay(one_place, cases, agreeing=listed, place=in_an_etcd, replicas=2)
    assert not {key: differences for key, differences in found.items() if differences}

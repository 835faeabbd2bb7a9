import pytest

from tests.agreement import judge, read_not_yet
from tests.conformance.recordings import FOLDER, NOT_YET, Case, load_cases, replay

_CASES = load_cases()
_LISTED = read_not_yet(NOT_YET)

pytestmark = pytest.mark.skipif(not _CASES, reason=f"there are no recordings in {FOLDER}")


@pytest.fixture(scope="session")
def differences(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    """What the selected cases show, all replayed at once."""
    selected = {item.name for item in request.session.items}
    return replay(case for case in _CASES if f"test_answers_agree_with_the_recording[{case['id']}]" in selected)


@pytest.mark.parametrize("case", _CASES, ids=[case["id"] for case in _CASES])
def test_answers_agree_with_the_recording(case: Case, differences: dict[str, list[str]]) -> None:
    complaint = judge(case["id"], differences[case["id"]], _LISTED)
    assert not complaint, complaint


def test_the_list_of_disagreements_is_sorted_and_names_recordings() -> None:
    assert sorted(set(_LISTED)) == _LISTED
    assert set(_LISTED) <= {case["id"] for case in _CASES}

import pytest

from memkube.apimachinery.errors import ApiError, GroupResource, already_exists, conflict, invalid, not_found

PODS = GroupResource("", "pods")
NAME = 'a"b\n'


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (not_found(PODS, NAME), r'pods "a\"b\n" not found'),
        (already_exists(PODS, NAME), r'pods "a\"b\n" already exists'),
        (conflict(PODS, NAME, "why"), r'Operation cannot be fulfilled on pods "a\"b\n": why'),
        (invalid("", "Pod", NAME, []), r'Pod "a\"b\n" is invalid'),
    ],
)
def test_names_are_quoted_as_go_quotes_them(error: ApiError, message: str) -> None:
    assert error.message == message

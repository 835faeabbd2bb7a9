import orjson
import pytest

from memkube.apimachinery.json_text import to_json


def test_what_html_and_javascript_would_read_is_escaped() -> None:
    assert to_json({"a": "<b> & \u2028\u2029"}) == b'{"a":"\\u003cb\\u003e \\u0026 \\u2028\\u2029"}'


@pytest.mark.parametrize("text", ["<", "\\<", 'a "quoted" & b', "\\u003c", "ü\u2028"])
def test_it_is_read_as_the_same_data(text: str) -> None:
    assert orjson.loads(to_json([text])) == [text]


def test_people_get_two_spaces_a_level() -> None:
    assert to_json({"a": ["<"]}, indented=True) == b'{\n  "a": [\n    "\\u003c"\n  ]\n}'

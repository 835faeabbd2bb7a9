import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memkube.apimachinery.decoding import duplicate_fields, parse_json
from memkube.apimachinery.decoding.decode import may_have_duplicates

_KEYS = st.text(alphabet='ab":\\ ', max_size=3)
_MEMBERS = st.recursive(
    st.text(alphabet='ab":\\ \n', max_size=6).map(json.dumps) | st.sampled_from(["1", "null", '"\\u0022:"']),
    lambda inner: st.lists(st.tuples(_KEYS, st.sampled_from(["", " ", "\n", "\t "]), inner), max_size=4).map(
        lambda members: "{" + ",".join(f"{json.dumps(key)}{space}:{value}" for key, space, value in members) + "}"
    ),
    max_leaves=8,
)


def _has_duplicates(text: str) -> bool:
    found = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found.append(len(dict(pairs)) < len(pairs))
        return dict(pairs)

    json.loads(text, object_pairs_hook=collect)
    return any(found)


@settings(deadline=None, max_examples=300)
@given(_MEMBERS)
def test_no_duplicate_escapes_the_quick_check(text: str) -> None:
    body = text.encode()
    assert may_have_duplicates(body, parse_json(body)) or not _has_duplicates(text)


@settings(deadline=None)
@given(_MEMBERS)
def test_duplicates_are_reported_exactly_where_there_are_some(text: str) -> None:
    assert bool(duplicate_fields(text.encode())) == _has_duplicates(text)

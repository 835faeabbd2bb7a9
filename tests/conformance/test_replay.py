from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.replay import QuickMasker
from tests.recordings.archive import load

_VARIABLES: Final = {"ns": "conf-0123456789"}
(_PROGRAMS_OWN,) = QuickMasker.__bases__
_PARTS: Final = [
    "conf-0123456789",
    "Y29uZi0wMTIzNDU2Nzg5",
    "web",
    "app-x7k2p",
    "resourceVersion",
    ":",
    " ",
    "/",
    "-",
    "7",
]
_TEXTS: Final = st.lists(st.sampled_from(_PARTS) | st.text(max_size=3), max_size=6).map("".join)


@given(texts=st.lists(_TEXTS, max_size=4), generated=st.dictionaries(_TEXTS.filter(bool), _TEXTS, max_size=2))
def test_texts_are_masked_as_by_the_programs_own(texts: list[str], generated: dict[str, str]) -> None:
    quick, own = QuickMasker(_VARIABLES), _PROGRAMS_OWN(_VARIABLES)
    quick.generated, own.generated = dict(generated), dict(generated)
    assert [quick.text(text) for text in texts] == [own.text(text) for text in texts]


def test_recorded_answers_are_masked_as_by_the_programs_own() -> None:
    for case in load("cases")[::20]:
        answers: list[dict[str, Any]] = [step["response"] for step in case["steps"]]
        variables = {"ns": case["recorded_namespace"]}
        quick, own = QuickMasker(variables), _PROGRAMS_OWN(variables)
        assert [quick.mask(answer) for answer in answers] == [own.mask(answer) for answer in answers]

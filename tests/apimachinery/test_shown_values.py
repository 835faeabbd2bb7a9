import pytest

from memkube.apimachinery.meta.v1.api_object import OwnerReference
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.shown_values import Unversioned, quoted, shown
from memkube.apis.core.v1.podspec.types.security import SecurityContext
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudgetSpec


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", '"plain"'),
        ('say "hi"', r'"say \"hi\""'),
        ("a\nb\tc", r'"a\nb\tc"'),
        ("\x01", r'"\x01"'),
        ("é", '"é"'),
        ("\u200b", r'"\u200b"'),
        ("\U000e0001", r'"\U000e0001"'),
    ],
)
def test_strings_are_quoted_with_go_escapes(text: str, written: str) -> None:
    assert quoted(text) == written


def test_a_struct_is_shown_in_the_order_of_its_fields() -> None:
    reference = OwnerReference(kind="Pod", name="a", apiVersion="v1", uid="u", controller=True)
    assert shown(reference) == '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u","controller":true}'


def test_a_map_inside_a_struct_is_shown_with_sorted_keys() -> None:
    assert shown(LabelSelector(matchLabels={"b": "1", "a": "2"})) == '{"matchLabels":{"a":"2","b":"1"}}'


def test_markup_is_escaped_inside_json() -> None:
    assert shown(["<&>"]) == r'["\u003c\u0026\u003e"]'


def test_an_unversioned_struct_shows_all_fields_under_go_names() -> None:
    spec = PodDisruptionBudgetSpec(minAvailable=1, selector=LabelSelector(matchLabels={"app": "web"}))
    expected = '{"MinAvailable":1,"Selector":{"matchLabels":{"app":"web"}},"MaxUnavailable":null,'
    assert shown(Unversioned(spec)) == f'{expected}"UnhealthyPodEvictionPolicy":null}}'


def test_an_unversioned_struct_keeps_the_capitals_of_abbreviations() -> None:
    assert '"SELinuxOptions":null' in shown(Unversioned(SecurityContext()))

import pytest

from memkube.apimachinery.model import Document
from memkube.registry.declarations.priority_levels import limits_of


@pytest.mark.parametrize(
    ("spec", "limits"),
    [
        ({"type": "Exempt", "exempt": {"lendablePercent": 5}}, {"lendablePercent": 5}),
        ({"type": "Limited", "limited": {"lendablePercent": 7}}, {"lendablePercent": 7}),
        ({"type": "Limited", "exempt": {"lendablePercent": 5}}, None),
        ({"type": "Exempt"}, None),
    ],
)
def test_the_type_of_a_level_says_which_limits_count(spec: Document, limits: Document | None) -> None:
    assert limits_of({"spec": spec}) == limits

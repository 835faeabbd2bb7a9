from base64 import urlsafe_b64encode

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.registry.reads.revisions import ContinueToken

VERSION = '"v":"meta.k8s.io/v1"'


def decoded(text: str) -> ContinueToken:
    return ContinueToken.decode(urlsafe_b64encode(text.encode()).rstrip(b"=").decode())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "json: cannot unmarshal array into Go value of type storage.continueToken"),
        ('{"v":1}', "json: cannot unmarshal number into Go struct field continueToken.v of type string"),
        ('{"rv":"x"}', "json: cannot unmarshal string into Go struct field continueToken.rv of type int64"),
        ('{"rv":1.5}', "json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64"),
        ('{"rv":true}', "json: cannot unmarshal bool into Go struct field continueToken.rv of type int64"),
        ("null", "server does not recognize this encoded version "),
        (f'{{{VERSION},"rv":null}}', "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"),
        (f'{{{VERSION},"rv":-1,"start":null}}', "encoded start key empty (version meta.k8s.io/v1)"),
    ],
)
def test_what_is_wrong_with_a_token_is_told(text: str, problem: str) -> None:
    with pytest.raises(ApiError) as refused:
        decoded(text)
    assert refused.value.message == f"invalid continue token: continue key is not valid: {problem}"


def test_the_case_of_a_field_does_not_matter() -> None:
    assert decoded('{"V":"meta.k8s.io/v1","RV":-1,"Start":"a"}') == ContinueToken("a", -1)

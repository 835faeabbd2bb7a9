"""Decoding of the saved state of controllers."""

import pytest

from memkube.controllers.framework.saved_values import data


def test_bytes_are_decoded_from_each_form_in_which_they_are_saved() -> None:
    assert data(b"\xff") == data({"base64": "/w=="}) == b"\xff"
    assert data("text") == b"text"


@pytest.mark.parametrize("value", [5, None, [1, 2]])
def test_what_is_not_saved_as_bytes_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        data(value)

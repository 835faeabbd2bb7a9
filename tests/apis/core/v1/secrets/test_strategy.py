from memkube.apis.core.v1.secrets.strategy import default_secret
from memkube.apis.core.v1.secrets.types import Secret


def test_text_overwrites_data_in_the_order_of_keys() -> None:
    secret = Secret.from_document({"data": {"b": "MQ=="}, "stringData": {"b": "2", "a": "1"}})
    default_secret(secret)
    assert list(secret.data.items()) == [("a", "MQ=="), ("b", "Mg==")]
    assert not secret.stringData


def test_a_secret_is_opaque_unless_it_says_otherwise() -> None:
    plain, own = Secret(), Secret(type="example.com/own")
    default_secret(plain)
    default_secret(own)
    assert (plain.type, own.type) == ("Opaque", "example.com/own")

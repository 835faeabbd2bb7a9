import jwt

from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl


def test_create_token_prints_a_token_that_lives_with_a_secret(kubectl: Kubectl) -> None:
    kubectl("create", "serviceaccount", "robot")
    kubectl("create", "secret", "generic", "anchor")
    bound = ("--bound-object-kind", "Secret", "--bound-object-name", "anchor")
    token = kubectl("create", "token", "robot", *bound, "--duration", "20m", "--audience", "vault").strip()
    claims = jwt.decode(token, options={"verify_signature": False})
    assert claims["exp"] - claims["iat"] == 20 * 60
    assert claims["aud"] == ["vault"]
    assert claims["kubernetes.io"]["secret"]["name"] == "anchor"


def test_create_token_refuses_the_uid_of_another_object(kubectl: Kubectl) -> None:
    kubectl("create", "serviceaccount", "robot")
    kubectl("create", "secret", "generic", "anchor")
    bound = ("--bound-object-kind", "Secret", "--bound-object-name", "anchor", "--bound-object-uid", "old")
    done = kubectl.run("create", "token", "robot", *bound)
    assert done.returncode == 1
    assert "the UID in the bound object reference (old) does not match the UID in record" in done.stderr


def test_a_kubectl_with_a_token_is_served(kubectl: Kubectl) -> None:
    kubectl("create", "serviceaccount", "robot")
    token = kubectl("create", "token", "robot").strip()
    assert kubectl("get", "serviceaccount", "robot", "-o", "name", "--token", token) == "serviceaccount/robot\n"

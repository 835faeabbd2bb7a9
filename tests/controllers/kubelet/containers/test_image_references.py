import pytest

from memkube.controllers.kubelet.containers.image_references import base_name, why_invalid

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    "image",
    [
        "nginx",
        "nginx:1.27-alpine",
        "shop/web:V1",
        "Registry/web",
        "localhost/web",
        "localhost:5000/web:1",
        "registry.example.com:443/shop/my_app__x---y:1",
        "[::1]:5000/web",
        f"nginx@{DIGEST}",
        f"index.docker.io/nginx:1@{DIGEST}",
    ],
)
def test_a_valid_reference_has_no_problem(image: str) -> None:
    assert why_invalid(image) == ""


@pytest.mark.parametrize(
    ("image", "problem"),
    [
        ("nginx:", "invalid reference format"),
        ("nginx:latest:1", "invalid reference format"),
        ("https://registry.example.com/web", "invalid reference format"),
        ("shop//web", "invalid reference format"),
        ("web-", "invalid reference format"),
        ("nginx@sha256:0", "invalid reference format"),
        ("shop/Web", "invalid reference format: repository name (shop/Web) must be lowercase"),
        ("a" * 256, "repository name must not be more than 255 characters"),
        ("0" * 64, f"invalid repository name ({'0' * 64}), cannot specify 64-byte hexadecimal strings"),
        (f"nginx@sha256:{'0' * 63}", "invalid checksum digest length"),
        (f"nginx@sha256:{'A' * 64}", "invalid checksum digest format"),
        (f"nginx@md5:{'0' * 32}", "unsupported digest algorithm"),
        (f"nginx:1@SHA256:{'0' * 64}", "invalid checksum digest format"),
    ],
)
def test_an_invalid_reference_is_explained(image: str, problem: str) -> None:
    assert why_invalid(image) == problem


@pytest.mark.parametrize("image", ["web", "web:1", f"web@{DIGEST}", "registry.example.com:443/shop/web:1"])
def test_the_base_name_is_the_last_part_of_the_repository(image: str) -> None:
    assert base_name(image) == "web"

import json

from memkube.server.server import Server
from tests.clients.kubectl import Kubectl, needs_kubectl
from tests.custom.gadgets import gadget, gadgets

pytestmark = needs_kubectl


def test_get_finds_the_kind_by_its_short_name(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=json.dumps(gadget("a")))
    header, row = kubectl("get", "gd").splitlines()
    assert (header.split(), row.split()[0]) == (["NAME", "AGE"], "a")


def test_explain_tells_the_fields(kubectl: Kubectl) -> None:
    printed = kubectl("explain", "gadget.spec")
    assert "VERSION:    v1" in printed
    assert "How large it is." in printed
    assert "parts\t<[]Object>" in printed


def test_apply_merges_items_by_their_keys(kubectl: Kubectl) -> None:
    for manager, part in (("one", {"name": "left", "weight": 1}), ("two", {"name": "right", "weight": 2})):
        manifest = json.dumps(gadget("a", parts=[part]))
        kubectl("apply", "--server-side", "--field-manager", manager, "-f", "-", stdin=manifest)
    assert kubectl("get", "gd", "a", "-o", "jsonpath={.spec.parts[*].name}") == "left right"


def test_apply_refuses_what_another_manager_owns(kubectl: Kubectl) -> None:
    for manager, colour in (("one", "red"), ("two", "blue")):
        manifest = json.dumps(gadget("a", colour=colour))
        done = kubectl.run("apply", "--server-side", "--field-manager", manager, "-f", "-", stdin=manifest)
    assert 'conflict with "one": .spec.colour' in done.stderr


def test_patch_changes_it_through_the_other_version(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=json.dumps(gadget("a")))
    kubectl("patch", "gadgets.v1beta1.example.com", "a", "--type", "merge", "-p", '{"spec": {"size": 7}}')
    assert kubectl("get", "gadgets.v1.example.com", "a", "-o", "jsonpath={.apiVersion} {.spec.size}") == (
        "example.com/v1 7"
    )


def test_wait_sees_it_being_deleted(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=json.dumps(gadget("a")))
    with kubectl.started("wait", "--for=delete", "gadget/a", "--timeout=60s") as waiting:
        kubectl("delete", "gadget", "a")
        assert waiting.wait(60) == 0


def test_a_watch_tells_of_changes(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=json.dumps(gadget("a")))
    with kubectl.started("get", "gadgets", "--watch", "--output=jsonpath={.spec.size}{'\\n'}") as watching:
        assert watching.stdout is not None
        assert watching.stdout.readline() == "1\n"
        kubectl("patch", "gadget", "a", "--type", "merge", "-p", '{"spec": {"size": 2}}')
        assert watching.stdout.readline() == "2\n"


def test_a_replaced_kind_has_its_new_fields_within_a_second(kubectl: Kubectl, server: Server) -> None:
    kubectl("explain", "gadget.spec")
    server.call(lambda: server.registry.catalog.replace(gadgets(taste={"type": "string", "description": "New."})))
    assert "taste\t<string>" in kubectl("explain", "gadget.spec")
    kubectl("create", "-f", "-", stdin=json.dumps(gadget("a", taste="sweet")))
    assert kubectl("get", "gd", "a", "-o", "jsonpath={.spec.taste}") == "sweet"


def test_a_removed_kind_is_known_no_more(kubectl: Kubectl, server: Server) -> None:
    kubectl("get", "gadgets")
    server.call(lambda: server.registry.catalog.remove("example.com", "gadgets"))
    assert "gadgets" not in kubectl("api-resources")
    assert kubectl.run("get", "gadgets").stderr == 'error: the server doesn\'t have a resource type "gadgets"\n'

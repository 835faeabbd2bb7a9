"""Who may use the page, and what other sites get of it."""

from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, expect

from memkube.cluster.synchronous import Memkube
from memkube.ui.security import own_path

FOREIGN = (
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
)

HTML = '"><img src=x onerror=alert(1)>'

READER = (
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "reader"},
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]}],
    },
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "reader"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"}],
    },
)


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
@pytest.mark.parametrize("path", ["/ui/kinds", "/ui/static/page.js", "/ui/live"])
def test_a_page_of_another_origin_gets_nothing(client: httpx.Client, headers: dict[str, str], path: str) -> None:
    answer = client.get(path, headers=headers)
    assert (answer.status_code, answer.text) == (403, "pages of other origins may not use this page\n")


def test_a_link_of_another_site_may_open_the_page(client: httpx.Client) -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert client.get("/ui/kinds", headers=link).status_code == 200


def test_a_form_of_another_site_cannot_move_the_clock(client: httpx.Client) -> None:
    form = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert client.post("/ui/clock/advance", data={"seconds": "1"}, headers=form).status_code == 403


def test_a_host_of_another_site_gets_no_objects(client: httpx.Client) -> None:
    answer = client.get("/ui/api/v1/namespaces", headers={"host": "evil.example"})
    assert answer.status_code == 403


@pytest.mark.parametrize("path", ["/ui/kinds", "/ui/static/page.css", "/ui/nothing"])
def test_every_answer_forbids_frames_and_scripts_of_others(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "script-src 'self';" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"


def test_content_of_objects_is_escaped(client: httpx.Client, namespace: str) -> None:
    html = "<script>alert(1)</script>"
    body = {"metadata": {"name": "evil", "annotations": {"a": html}}, "data": {"key": html}}
    client.post(f"/api/v1/namespaces/{namespace}/configmaps", json=body).raise_for_status()
    shown = client.get(f"/ui/api/v1/namespaces/{namespace}/configmaps/evil").text
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)" in shown


def test_messages_of_events_are_escaped_in_tables(client: httpx.Client, namespace: str) -> None:
    about = {"kind": "Pod", "name": "web", "namespace": namespace}
    event = {"metadata": {"name": "evil"}, "involvedObject": about, "message": HTML, "reason": HTML, "type": "Normal"}
    client.post(f"/api/v1/namespaces/{namespace}/events", json=event).raise_for_status()
    shown = client.get(f"/ui/api/v1/namespaces/{namespace}/events").text
    assert HTML not in shown
    assert "&lt;img src=x" in shown


@pytest.mark.parametrize(
    "path",
    [
        f"/ui/api/v1/namespaces/{quote(HTML, safe='')}/configmaps",
        f"/ui/api/v1/namespaces/default/configmaps/{quote(HTML, safe='')}",
        f"/ui/apis/{quote(HTML, safe='')}/v1/things",
        f"/ui/api/v1/namespaces/default/configmaps?labelSelector={quote(HTML)}&at={quote(HTML)}",
        f"/ui/login?next={quote(HTML)}",
        f"/ui/{quote(HTML, safe='')}",
    ],
)
def test_addresses_are_escaped_or_shown_as_plain_text(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    # Browsers show a plain text as it is, because the header nosniff forbids to take it for HTML.
    is_plain = answer.headers["content-type"].startswith("text/plain")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert is_plain or HTML not in answer.text


def test_a_browser_is_led_to_the_page_and_others_get_the_paths(client: httpx.Client) -> None:
    browser = client.get("/", headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (browser.status_code, browser.headers["location"]) == (303, "/ui/kinds")
    assert "/apis/apps/v1" in client.get("/", headers={"accept": "*/*"}).json()["paths"]


def test_a_user_logs_in_with_a_token_and_sees_what_roles_allow(browser: Browser) -> None:
    with Memkube(nodes=0, authorization="RBAC") as cluster, browser.new_context(base_url=cluster.url) as context:
        cluster.apply(*READER)
        page = context.new_page()
        page.goto("/ui/api/v1/namespaces/default/configmaps")
        expect(page.get_by_role("heading", level=1)).to_have_text("You may not see this")
        page.goto("/ui/login?next=/ui/api/v1/namespaces/default/configmaps")
        page.get_by_label("Token").fill(cluster.user("jane").token)
        page.get_by_role("button", name="Log in").click()
        expect(page.locator("caption")).to_have_text("1 configmaps in default")
        page.goto("/ui/api/v1/namespaces/default/secrets")
        expect(page.locator("main")).to_contain_text('User "jane" cannot list resource "secrets"')


def test_the_cookie_holds_no_token_and_is_hidden_from_scripts(browser: Browser) -> None:
    with Memkube(nodes=0, authorization="RBAC") as cluster, browser.new_context(base_url=cluster.url) as context:
        token, page = cluster.user("jane").token, context.new_page()
        page.goto("/ui/login")
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("button", name="Log out").wait_for()
        (cookie,) = context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/ui")
        assert token not in cookie["value"]


def test_a_wrong_token_is_refused(browser: Browser) -> None:
    with Memkube(nodes=0, authorization="RBAC") as cluster, browser.new_context(base_url=cluster.url) as context:
        page = context.new_page()
        page.goto("/ui/login")
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_be_visible()
        assert context.cookies() == []


def test_a_login_leads_only_to_the_page_itself() -> None:
    assert own_path("//evil.example/") == "/ui/"
    assert own_path("/ui/../\\evil.example") == "/ui/"
    assert own_path("/ui/kinds?at=3") == "/ui/kinds?at=3"


def test_a_user_without_other_rights_sees_changes_and_leaves_no_record(browser: Browser) -> None:
    with Memkube(nodes=0, authorization="RBAC") as cluster, browser.new_context(base_url=cluster.url) as context:
        cluster.apply(*READER)
        page = context.new_page()
        page.goto("/ui/login?next=/ui/api/v1/namespaces/default/configmaps")
        page.get_by_label("Token").fill(cluster.user("jane").token)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_selector("html[data-live]", state="attached")
        before = cluster.requests.answered()
        cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}})
        expect(page.locator("tr[data-key='default/new']")).to_be_visible()
        assert cluster.requests.answered() == before

"""The view of one object: its fields, its relatives, its events, and the writers of its fields."""

from playwright.sync_api import Page, expect

from memkube.cluster.synchronous import Memkube
from tests.ui.test_live import config, open_live

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "shop"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "shop"}},
        "template": {
            "metadata": {"labels": {"app": "shop"}},
            "spec": {"containers": [{"name": "main", "image": "nginx"}]},
        },
    },
}
PATH = "/ui/apis/apps/v1/namespaces/default/deployments/shop"


def test_owners_and_dependents_are_a_tree(page: Page, cluster: Memkube) -> None:
    cluster.apply(DEPLOYMENT)
    cluster.clock.advance(10)
    page.goto(PATH)
    tree = page.locator(".tree")
    expect(tree.locator("strong")).to_have_text("Deployment shop")
    expect(tree.locator("li li li")).to_have_count(2)
    tree.locator("li li li a").first.click()
    expect(page.locator("h1")).to_contain_text("shop-")
    expect(page.locator(".tree > li > a")).to_have_text("Deployment shop")


def test_events_stand_beside_the_object(page: Page, cluster: Memkube) -> None:
    cluster.apply(DEPLOYMENT)
    cluster.clock.advance(10)
    page.goto(PATH)
    expect(page.locator(".events > li").first).to_contain_text("Scaled up replica set")


def test_a_changed_field_appears_without_a_reload(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("watched", colour="red"))
    open_live(page, "/api/v1/namespaces/default/configmaps/watched")
    page.locator("#part-metadata summary").click()
    cluster.apply(config("watched", colour="blue"))
    expect(page.locator("#part-data")).to_contain_text("blue")
    # What a person has closed stays closed.
    expect(page.locator("#part-metadata")).not_to_have_attribute("open", "")


def test_writers_of_fields_are_named(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("written", colour="red"))
    page.goto("/ui/api/v1/namespaces/default/configmaps/written?view=writers")
    row = page.locator("tr[data-key='data.colour']")
    expect(row).to_contain_text('"red"')
    expect(row).to_contain_text("memkube-python (Apply)")


def test_the_yaml_is_shown_without_managed_fields(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("plain", colour="red"))
    page.goto("/ui/api/v1/namespaces/default/configmaps/plain?view=yaml")
    expect(page.locator("pre.yaml")).to_contain_text("colour: red")
    expect(page.locator("pre.yaml")).not_to_contain_text("managedFields")


def test_an_object_that_is_deleted_while_it_is_shown_is_told_to_be_gone(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("going", colour="red"))
    open_live(page, "/api/v1/namespaces/default/configmaps/going")
    cluster.delete("configmaps", "going")
    expect(page.locator("main")).to_contain_text('configmaps "going" not found')

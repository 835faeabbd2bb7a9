import re

import pytest

from memkube.admission.available import DEFAULT_PLUGINS, default_plugins, selected_plugins
from memkube.controllers.available import selected_names
from memkube.server.app import create_core
from memkube.server.settings import Settings


def test_plugins_run_in_one_order_however_they_are_named() -> None:
    chosen = selected_plugins("ServiceAccount, PodPreset,AlwaysAdmit", "", have_accounts=False)
    assert chosen[:5] == ("AlwaysAdmit", "NamespaceLifecycle", "PodPreset", "LimitRanger", "ServiceAccount")
    assert set(chosen) == {*DEFAULT_PLUGINS, "AlwaysAdmit", "PodPreset"}


def test_plugins_can_be_left_out() -> None:
    chosen = selected_plugins("", "Priority", have_accounts=True)
    assert chosen == tuple(name for name in DEFAULT_PLUGINS if name != "Priority")


def test_a_plugin_that_is_not_there_can_be_left_out() -> None:
    assert selected_plugins("", "EventRateLimit,ImagePolicyWebhook", have_accounts=True) == DEFAULT_PLUGINS


_OVERLAP = "in enable-admission-plugins and disable-admission-plugins overlapped"


@pytest.mark.parametrize(
    ("enable", "disable", "message"),
    [
        ("Nope", "", 'enable-admission-plugins plugin "Nope" is unknown'),
        ("", "Nope", 'disable-admission-plugins plugin "Nope" is unknown'),
        (
            "A,B,A",
            "",
            '[enable-admission-plugins plugin "A" is unknown, enable-admission-plugins plugin "B" is unknown]',
        ),
        ("Priority,PodPreset", "PodPreset,Priority", f"[PodPreset Priority] {_OVERLAP}"),
        ("ImagePolicyWebhook", "", 'couldn\'t init admission plugin "ImagePolicyWebhook": no config specified'),
        ("EventRateLimit", "", 'admission plugin "EventRateLimit": limits: Invalid value: null: must not be empty'),
    ],
)
def test_what_cannot_be_chosen_is_named(enable: str, disable: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"{re.escape(message)}$"):
        selected_plugins(enable, disable, have_accounts=True)


@pytest.mark.parametrize(
    ("controllers", "has_accounts"),
    [
        ("all", True),
        ("serviceaccount,kubelet", True),
        ("all,-kubelet", False),
        ("all,-serviceaccount", False),
        ("none", False),
    ],
)
def test_pods_have_accounts_where_accounts_are_made_and_pods_run(controllers: str, has_accounts: bool) -> None:
    settings = Settings(controllers=selected_names(controllers))
    assert settings.plugins == default_plugins(have_accounts=has_accounts)
    assert ("ServiceAccount" in settings.plugins) is has_accounts


def test_presets_are_served_with_their_plugin_only() -> None:
    assert "settings.k8s.io" not in create_core(Settings()).parts.registry.catalog.groups
    assert "settings.k8s.io" in create_core(Settings(admission_plugins=("PodPreset",))).parts.registry.catalog.groups

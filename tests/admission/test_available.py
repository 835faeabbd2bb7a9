import re

import pytest

from memkube.admission.available import DEFAULT_PLUGINS, selected_plugins
from memkube.server.app import create_core
from memkube.server.settings import Settings


def test_plugins_run_in_one_order_however_they_are_named() -> None:
    chosen = selected_plugins("ServiceAccount, PodPreset,AlwaysAdmit", "")
    assert chosen[:5] == ("AlwaysAdmit", "NamespaceLifecycle", "PodPreset", "LimitRanger", "ServiceAccount")
    assert set(chosen) == {*DEFAULT_PLUGINS, "AlwaysAdmit", "PodPreset", "ServiceAccount"}


def test_plugins_can_be_left_out() -> None:
    chosen = selected_plugins("", "Priority")
    assert chosen == tuple(name for name in DEFAULT_PLUGINS if name != "Priority")


def test_a_plugin_that_is_not_there_can_be_left_out() -> None:
    assert selected_plugins("", "EventRateLimit,ImagePolicyWebhook") == DEFAULT_PLUGINS


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
        selected_plugins(enable, disable)


def test_presets_are_served_with_their_plugin_only() -> None:
    assert "settings.k8s.io" not in create_core(Settings()).parts.registry.catalog.groups
    assert "settings.k8s.io" in create_core(Settings(admission_plugins=("PodPreset",))).parts.registry.catalog.groups

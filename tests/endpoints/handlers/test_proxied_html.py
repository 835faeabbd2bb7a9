"""Links in proxied HTML."""

import pytest

from memkube.endpoints.handlers.proxied_html import with_proxied_links


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ('<a href="/x">t</a>', '<a href="/p/x">t</a>'),
        ("<IMG SRC=/x/?a=1&amp;b class=c>", '<img src="/p/x/?a=1&amp;b" class="c">'),
        ('<a href="x"></a><a href="http://h/x"></a>', '<a href="x"></a><a href="http://h/x"></a>'),
        ('<a href="/p/x"></a>', '<a href="/p/x"></a>'),
        ('<b href="/x">&lt;&#38; <!-- /x --></b><br/>', '<b href="/x">&lt;&#38; <!-- /x --></b><br/>'),
        ("<!DOCTYPE html><script>'</a>' < /x</script>", "<!DOCTYPE html><script>'</a>' < /x</script>"),
        ("a < b", "a < b"),
        ('<a href="//[">', '<a href="//[">'),
    ],
)
def test_links_to_absolute_paths_lead_through_the_proxy(sent: str, answered: str) -> None:
    assert with_proxied_links(sent.encode(), "/p").decode() == answered


def test_bytes_that_are_not_utf_8_are_kept() -> None:
    assert with_proxied_links(b"<p>\xff</p>", "/p") == b"<p>\xff</p>"

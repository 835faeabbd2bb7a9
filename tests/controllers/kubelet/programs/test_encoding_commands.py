"""Shell commands that encode files or compute their checksums."""

import pytest

from tests.controllers.kubelet.programs.playing import played

_FILES = {"/v/color": b"blue"}
_SHORT_DUMP = """\
00000000  63 61 66 09 69 6e 20 61  20 77 69 6e 64 6f 77 0a  |caf.in a window.|
00000010
"""
_REPETITIVE_DUMP = """\
00000000  79 0a 79 0a 79 0a 79 0a  79 0a 79 0a 79 0a 79 0a  |y.y.y.y.y.y.y.y.|
*
00000030
"""


def _output(script: str) -> str:
    result = played("sh", "-c", script, mounted=_FILES)
    assert result.serves is None
    return result.output + result.errors


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ("md5sum /v/color", "48d6215903dff56238e52e8891380c8f  /v/color\n"),
        ("printf blue | sha1sum", "4c9a82ce72ca2519f38d0af0abbb4cecb9fceca9  -\n"),
        ("sha256sum /no", "sha256sum: can't open '/no': No such file or directory\n"),
        ("base64 /v/color", "Ymx1ZQ==\n"),
        ("echo Ymx1ZQ== | base64 -d", "blue"),
        ("echo '!' | base64 -d", "base64: truncated input\n"),
        ("seq 30 | base64 | wc -l", "2\n"),
        ("seq 30 | base64 -w 0 | wc -l", "0\n"),
        ("printf 'caf\\tin a window\\n' | hexdump -C", _SHORT_DUMP),
        ("yes | head -c 48 | hexdump -C", _REPETITIVE_DUMP),
    ],
)
def test_files_and_input_are_encoded(script: str, output: str) -> None:
    assert _output(script) == output


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ("printf blue | gzip | gunzip", "blue"),
        ("echo red > f; gzip f; ls; zcat f.gz", "f.gz\nred\n"),
        ("echo red > f; gzip -k f; gunzip -f f.gz; ls; cat f", "f\nred\n"),
        ("gunzip /v/color", "gunzip: /v/color: unknown suffix - ignored\n"),
        ("printf blue | gzip -d", "gzip: invalid magic\n"),
    ],
)
def test_files_are_compressed_and_expanded(script: str, output: str) -> None:
    assert _output(f"mkdir /w; cd /w; {script}") == output

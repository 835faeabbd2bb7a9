"""Record the first session of README with a real server, and draw it as an animated SVG.

Usage: python tools/record_session.py [FILE]. Without a FILE it writes docs/images/session.svg. kubectl must be on PATH.
The picture is still in viewers without animations, and for readers who prefer reduced motion.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

_ROOT: Final = Path(__file__).parents[1]
PICTURE: Final = _ROOT / "docs" / "images" / "session.svg"
_SECTION: Final = re.compile(r"^## A first session$.*?^```console$(.*?)^```$", re.MULTILINE | re.DOTALL)
_COLUMNS: Final = 112
_CHARACTER: Final = 7.8
"""Width of a character in pixels, at a font size of 13."""
_LINE: Final = 19
_MARGIN: Final = 18
_TITLE: Final = 34
_TYPED: Final = 30.0
"""Number of typed characters per second."""
_PAUSE: Final = 1.2
"""Seconds between the output of a command and the next command."""
_SHOWN: Final = 8.0
"""Seconds for which the finished session is shown."""
_STYLE: Final = """
text {
  font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  white-space: pre;
  fill: #d7dce2;
}
.prompt { fill: #7ee787; }
.command { fill: #ffffff; }
.title { fill: #8b949e; }
.cover { fill: #10151c; visibility: hidden; }
@media (prefers-reduced-motion: no-preference) {
"""


class Line(NamedTuple):
    """A line of the terminal."""

    text: str
    is_command: bool
    has_prompt: bool = False


def commands() -> list[str]:
    """Return the commands of the session."""
    (session,) = _SECTION.findall((_ROOT / "README.md").read_text())
    return re.findall(r"^\$ (.*)$", session, re.MULTILINE)


def recorded() -> list[Line]:
    """Run the session with a server of its own, and return the lines of its terminal."""
    with tempfile.TemporaryDirectory() as home:
        script = "\n".join(f"printf '\\x1e'; {{ {command}; }} 2>&1" for command in commands())
        done = subprocess.run(
            [sys.executable, "-m", "memkube", "run", "--", "bash", "-c", script],
            env={**os.environ, "HOME": home},
            text=True,
            stdout=subprocess.PIPE,
            check=True,
        )
    lines: list[Line] = []
    for command, output in zip(commands(), done.stdout.split("\x1e")[1:], strict=True):
        lines += [Line(part, True, not at) for at, part in enumerate(_wrapped(command, _COLUMNS - 2))]
        lines += [Line(part, False) for line in output.splitlines() for part in _wrapped(line, _COLUMNS)]
    return lines


def _wrapped(line: str, width: int) -> list[str]:
    return [line[start : start + width] for start in range(0, max(len(line), 1), width)]


def drawn(lines: list[Line]) -> str:
    """Return the SVG of a session."""
    width, height = round(_COLUMNS * _CHARACTER + 2 * _MARGIN), len(lines) * _LINE + _TITLE + _MARGIN
    starts = _starts(lines)
    total = starts[-1] + _SHOWN
    rules, rows = [], []
    for number, (line, start) in enumerate(zip(lines, starts, strict=True)):
        y = _TITLE + _MARGIN + number * _LINE
        rows.append(_row(line, number, y, width))
        rules += _rules(line, number, start, total)
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="t">',
            '<title id="t">A session with kubectl: a pod runs, logs, and is protected by a budget</title>',
            f"<style>{_STYLE}{''.join(rules)}}}\n</style>",
            f'<rect width="{width}" height="{height}" rx="8" fill="#10151c"/>',
            *(f'<circle cx="{_MARGIN + 18 * i}" cy="18" r="5.5" fill="{fill}"/>' for i, fill in enumerate(_LIGHTS)),
            f'<text class="title" x="{width / 2}" y="22" text-anchor="middle">memkube serve · kubectl</text>',
            *rows,
            "</svg>\n",
        )
    )


_LIGHTS: Final = ("#ff5f57", "#febc2e", "#28c840")


def _starts(lines: list[Line]) -> list[float]:
    """Return for each line the second at which it appears."""
    now, found = 0.5, []
    for number, line in enumerate(lines):
        if line.has_prompt and number:
            now += _PAUSE
        found.append(now)
        now += len(line.text) / _TYPED if line.is_command else 0.05
    return found


def _row(line: Line, number: int, y: int, width: int) -> str:
    kind = ' class="command"' if line.is_command else ""
    prompt = '<tspan class="prompt">$ </tspan>' if line.has_prompt else "  " if line.is_command else ""
    words = prompt + html.escape(line.text, quote=False)
    row = f'<g class="l{number}"><text{kind} x="{_MARGIN}" y="{y}" xml:space="preserve">{words}</text>'
    if line.is_command:
        x = round(_MARGIN + 2 * _CHARACTER)
        row += f'<rect class="cover c{number}" x="{x}" y="{y - 14}" width="{width - x - 9}" height="{_LINE}"/>'
    return row + "</g>"


def _rules(line: Line, number: int, start: float, total: float) -> list[str]:
    """Return the style rules that let a line appear, and those that uncover a command character by character."""
    begin = 100 * start / total
    rules = [
        f"@keyframes l{number} {{ 0%, {begin:.2f}% {{ opacity: 0 }} {begin + 0.01:.2f}%, 100% {{ opacity: 1 }} }}\n",
        f".l{number} {{ animation: l{number} {total:.1f}s step-end infinite; }}\n",
    ]
    if line.is_command:
        typed = len(line.text)
        end = begin + 100 * typed / _TYPED / total
        move = f"transform: translateX({typed * _CHARACTER:.0f}px)"
        rules.append(
            f"@keyframes c{number} {{ 0%, {begin:.2f}% {{ visibility: visible; transform: none; "
            f"animation-timing-function: steps({typed}) }} {end:.2f}% {{ visibility: visible; {move} }} "
            f"{end + 0.01:.2f}%, 100% {{ visibility: hidden; {move} }} }}\n"
            f".c{number} {{ animation: c{number} {total:.1f}s linear infinite; }}\n"
        )
    return rules


def main(path: Path) -> None:
    """Record the session and write the picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(drawn(recorded()))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)

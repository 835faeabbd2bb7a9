"""What a terminal makes of the keys that are pressed (POSIX.1-2024, XBD 11): lines, an echo, and signals."""

from typing import Final, NamedTuple

_ERASE: Final = (0x08, 0x7F)
_INTERRUPT: Final = 0x03
_END: Final = 0x04
_ESCAPE: Final = 0x1B


class Typed(NamedTuple):
    """What some keys come to."""

    echo: bytes = b""
    lines: tuple[bytes, ...] = ()
    interrupts: bool = False
    ends: bool = False


class TerminalInput:
    """Collects keys into lines."""

    def __init__(self) -> None:
        self._line = bytearray()

    def type(self, keys: bytes) -> Typed:
        """Takes keys as a terminal in raw mode sends them."""
        echo = bytearray()
        lines: list[bytes] = []
        interrupts = ends = False
        for key in keys:
            if key in (0x0D, 0x0A):
                lines.append(bytes(self._line) + b"\n")
                self._line.clear()
                echo += b"\r\n"
            elif key in _ERASE:
                if self._line:
                    del self._line[-1]
                    echo += b"\b \b"
            elif key == _INTERRUPT:
                self._line.clear()
                echo += b"^C\r\n"
                interrupts = True
            elif key == _END:
                ends = ends or not self._line
            elif key >= 0x20 and key != _ESCAPE:
                self._line.append(key)
                echo.append(key)
        return Typed(bytes(echo), tuple(lines), interrupts, ends)

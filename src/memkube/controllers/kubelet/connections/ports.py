"""The service behind a declared port: it answers every HTTP request with the name of its pod."""

from typing import Final

from memkube.registry.streaming import ByteStream

_HEAD_END: Final = b"\r\n\r\n"
_LONGEST_HEAD: Final = 64 * 1024


async def serve_http(name: str, stream: ByteStream) -> None:
    """Answers requests one after another until the client sends no more; bodies are read and ignored."""
    received = b""
    while True:
        while _HEAD_END not in received:
            data = await stream.read()
            received += data
            if not data or len(received) > _LONGEST_HEAD:
                return
        head, _, received = received.partition(_HEAD_END)
        missing = _body_length(head) - len(received)
        while missing > 0 and (data := await stream.read()):
            received += data
            missing -= len(data)
        received = received[_body_length(head) :]
        closes = b"connection: close" in head.lower() or head.split(b"\r\n", 1)[0].endswith(b"HTTP/1.0")
        await stream.write(_answer(name, head.startswith(b"HEAD "), closes=closes))
        if closes:
            return


def _body_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name == b"content-length" and value.strip().isdigit():
            return int(value)
    return 0


def _answer(name: str, is_head: bool, *, closes: bool) -> bytes:
    body = f"{name}\n".encode()
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
    head += f"Content-Length: {len(body)}\r\nConnection: {'close' if closes else 'keep-alive'}\r\n\r\n"
    return head.encode() + (b"" if is_head else body)

from collections.abc import AsyncIterator, Sequence

import pytest

from memkube.endpoints.streams.terminal import terminal_sizes

pytestmark = pytest.mark.anyio


async def _pieces(texts: Sequence[str]) -> AsyncIterator[bytes]:
    for text in texts:
        yield text.encode()


@pytest.mark.parametrize(
    ("pieces", "sizes"),
    [
        (['{"Width":80,"Height":24}\n', '{"Width":1,"Height":2}'], [(80, 24), (1, 2)]),
        (['{"Width":80,"Hei', 'ght":24}{"Width":1,"Height":2}\n'], [(80, 24), (1, 2)]),
        (['{"width":80}'], [(80, 0)]),
        (['{"Width":1}', "[]", '{"Width":2}'], [(1, 0)]),
        (['{"Width":65536}', '{"Width":2}'], []),
        (['{"Width":-1}'], []),
        (["x" * 5000, '{"Width":2}'], []),
    ],
)
async def test_sizes_are_read_up_to_the_first_thing_that_is_none(
    pieces: Sequence[str], sizes: Sequence[tuple[int, int]]
) -> None:
    assert [size async for size in terminal_sizes(_pieces(pieces))] == sizes

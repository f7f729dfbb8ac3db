"""How many items are worked on at once, and in what order they are taken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sized
from typing import Any, Protocol, TypeVar

ItemT = TypeVar("ItemT")

BREATH = 64
"""Items after which a worker lets the loop look round, since work that never waits would keep others from a turn."""


class Interrupted(Exception):
    """Ctrl-C, as an ordinary exception: a task that raises KeyboardInterrupt itself tears its loop down around all
    other work."""


class Runner(Protocol):
    """Takes items one by one and has each worked on, at most ``concurrency`` at once."""

    async def run(
        self,
        items: Iterable[ItemT] | AsyncIterable[ItemT],
        work: Callable[[int, ItemT], Awaitable[None]],
        concurrency: int,
    ) -> None:
        """Ends when all items are done; an exception of ``work`` ends it at once, with the other work cancelled and
        awaited."""
        ...


class AsyncioRunner:
    """Works on items in the running loop: ``concurrency`` workers that each take the next item when free."""

    async def run(
        self,
        items: Iterable[Any] | AsyncIterable[Any],
        work: Callable[[int, Any], Awaitable[None]],
        concurrency: int,
    ) -> None:
        """Ends when all items are done; an exception of ``work`` ends it at once, with the other work cancelled and
        awaited."""
        if isinstance(items, AsyncIterable):
            await self._run_async(items.__aiter__(), work, concurrency)
            return
        numbered = enumerate(items)
        if isinstance(items, Sized):
            concurrency = min(concurrency, max(1, len(items)))
        if concurrency == 1:
            await _work_through(numbered, work)
        else:
            await _all(_work_through(numbered, work) for _ in range(concurrency))

    async def _run_async(
        self, items: AsyncIterator[Any], work: Callable[[int, Any], Awaitable[None]], concurrency: int
    ) -> None:
        taking = asyncio.Lock()
        taken = 0
        ended = False

        async def next_item() -> tuple[int, Any] | None:
            nonlocal taken, ended
            async with taking:
                if ended:
                    return None
                try:
                    item = await anext(items)
                except StopAsyncIteration:
                    ended = True
                    return None
                taken += 1
                return taken - 1, item

        async def worker() -> None:
            try:
                while (numbered := await next_item()) is not None:
                    await work(*numbered)
            except KeyboardInterrupt as error:
                raise Interrupted from error

        try:
            await _all(worker() for _ in range(concurrency))
        finally:
            close = getattr(items, "aclose", None)
            if close is not None:
                await close()


async def _work_through(numbered: Iterator[tuple[int, Any]], work: Callable[[int, Any], Awaitable[None]]) -> None:
    try:
        for index, item in numbered:
            await work(index, item)
            if index % BREATH == BREATH - 1:
                await asyncio.sleep(0)
    except KeyboardInterrupt as error:
        raise Interrupted from error


async def _all(workers: Iterable[Any]) -> None:
    tasks = [asyncio.ensure_future(worker) for worker in workers]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

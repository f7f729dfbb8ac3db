"""A judge that follows a script."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from inspect import isawaitable
from typing import TypeAlias

from steelyard._judging.protocol import JudgeReply, JudgeRequest
from steelyard._model.errors import ConfigurationError, ScriptExhausted

Reply: TypeAlias = Mapping[str, object] | str | JudgeReply | BaseException
"""A mapping is sent as JSON, a text as it is, a ``JudgeReply`` whole; an exception is raised."""


class ScriptedJudge:
    """Answers with the given replies in order, or with what a function of the request gives (sync or async).

    ``requests`` holds what was asked, in order. It never waits, unless ``delay`` (seconds) and ``sleep`` say so. When
    the list runs out, ``ScriptExhausted`` names the step and the number of the call.
    """

    native_structured_output = True

    def __init__(
        self,
        replies: Iterable[Reply] | Callable[[JudgeRequest], Reply | Awaitable[Reply]],
        *,
        model: str = "scripted",
        provider: str = "steelyard.testing",
        delay: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        if isinstance(replies, str | Mapping):
            raise ConfigurationError(
                "ScriptedJudge(replies=): give a list of replies, even for a single one, or a function."
            )
        self.requests: list[JudgeRequest] = []
        self.model = model
        self.provider = provider
        self._replies = replies if callable(replies) else list(replies)
        self._delay = delay
        self._sleep = sleep

    async def answer(self, request: JudgeRequest) -> JudgeReply:
        """The next reply of the script."""
        self.requests.append(request)
        call = len(self.requests)
        if self._delay:
            await self._wait()
        if callable(self._replies):
            given = self._replies(request)
            reply = await given if isawaitable(given) else given
        elif call > len(self._replies):
            raise ScriptExhausted(
                f"The script has {len(self._replies)} replies; call {call} came from scorer "
                f"{request.scorer_id!r}, step "
                f"{request.step}, attempt {request.attempt}.",
                retryable=False,
            )
        else:
            reply = self._replies[call - 1]
        return self._reply(reply)

    async def _wait(self) -> None:
        if self._sleep is not None:
            await self._sleep(self._delay)
            return
        from asyncio import sleep

        await sleep(self._delay)

    def _reply(self, reply: Reply) -> JudgeReply:
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, JudgeReply):
            return reply
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        return JudgeReply(text=text, model=self.model, provider=self.provider, finish_reason="stop")

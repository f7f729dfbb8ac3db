"""One question to a judge: asked, retried, read, asked again once if the answer is wrong."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from inspect import isawaitable
from time import perf_counter
from typing import Any, Generic, TypeVar, cast

from attrs import evolve, frozen

from steelyard._judging.answer import AnswerProblems, read_answer
from steelyard._judging.protocol import Judge, JudgeReply, JudgeRequest, as_judge
from steelyard._judging.retry import ErrorProcessor, RetryProcessor
from steelyard._judging.schema import strict_schema
from steelyard._judging.settings import JudgeSettings
from steelyard._model.errors import (
    ConfigurationError,
    JudgeAnswerEmpty,
    JudgeAnswerInvalid,
    JudgeContentFiltered,
    JudgeRefused,
    JudgeTruncated,
)
from steelyard._model.messages import Message
from steelyard._model.outcome import JudgeExecution, StepName

T = TypeVar("T")

DEFAULT_RETRY = RetryProcessor(max_retries=2)
PROCESSOR_RETRIES = 10
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"})


async def _wall_sleep(seconds: float) -> None:
    from asyncio import sleep

    await sleep(seconds)


def _no_providers(spec: str) -> Judge:
    raise ConfigurationError(f"judge={spec!r}: no judge providers can be looked up here. Give a Judge object.")


@frozen(kw_only=True)
class JudgeServices:
    """What a judge call needs from its surroundings: time, waiting, and a way to find a judge by
    ``"provider/model"``."""

    clock: Callable[[], float] = perf_counter
    sleep: Callable[[float], Awaitable[None]] = _wall_sleep
    find: Callable[[str], Judge] = _no_providers


@frozen(kw_only=True)
class Question(Generic[T]):
    """What a prompt step asks. ``output`` is the class of the answer (None: text), ``check`` says what is wrong with a
    well-typed one."""

    scorer_id: str
    step: StepName
    prompt: str
    output: type[T] | None
    task: object = None
    check: Callable[[T], str | list[str] | None] | None = None


async def ask(
    question: Question[T], settings: JudgeSettings, services: JudgeServices, executions: list[JudgeExecution]
) -> T | str:
    """The judge's answer: an instance of ``question.output``, or text.

    What was asked and what came back is added to ``executions``, failures too. A wrong answer is asked again once, with
    its faults named. Raises ``JudgeAnswerInvalid`` when the second one is wrong too, the other kinds of ``JudgeError``
    for no answer at all, and whatever the judge raises.
    """
    judge = _judge(settings, services, question)
    schema = _schema(question.output)
    request = _first_request(question, settings, judge, schema)
    for attempt in (1, 2):
        started = services.clock()
        sent = _Counter()
        prompt = ""
        reply: JudgeReply | None = None
        try:
            processed = await _prepared(evolve(request, attempt=attempt), settings)
            prompt = _last_said(processed)
            reply = await _exchange(judge, processed, settings, services, sent)
            reply = await _processed(reply, settings)
            answer = await _read(reply, question)
        except BaseException as error:
            executions.append(_failed(prompt, error, sent, services.clock() - started, reply))
            if attempt == 2 or reply is None or not isinstance(error, JudgeAnswerInvalid):
                raise
            request = _second_request(request, reply, error)
            continue
        executions.append(
            JudgeExecution(
                prompt=prompt,
                model=reply.model,
                provider=reply.provider,
                attempt_count=sent.requests,
                model_call_count=sent.requests,
                duration_ms=1000 * (services.clock() - started),
                output=answer,
                usage=reply.usage,
                cost=reply.cost,
                raw_text=reply.text,
                finish_reason=reply.finish_reason,
            )
        )
        return answer
    raise AssertionError("unreachable")


def _judge(settings: JudgeSettings, services: JudgeServices, question: Question[T]) -> Judge:
    if settings.judge is None:
        raise ConfigurationError(
            f"Scorer {question.scorer_id!r}, step {question.step}: no judge at any level. "
            "Give one to the step, to the scorer, with .with_judge(...), or as run_evals(judge=...)."
        )
    return services.find(settings.judge) if isinstance(settings.judge, str) else as_judge(settings.judge)


def _schema(output: type[object] | None) -> dict[str, object] | None:
    if output is None:
        return None
    return strict_schema(output)


def _first_request(
    question: Question[T], settings: JudgeSettings, judge: Judge, schema: dict[str, object] | None
) -> JudgeRequest:
    mode = settings.structured_output or "auto"
    if mode == "auto":
        mode = "native" if getattr(judge, "native_structured_output", False) else "inline"
    prompt, instructions = question.prompt, settings.instructions
    if schema is not None and mode != "native":
        form = (
            "Answer with one JSON object and nothing else. It must fit this JSON schema:\n"
            f"{json.dumps(schema, ensure_ascii=False)}"
        )
        if mode == "inline":
            prompt = f"{prompt}\n\n{form}"
        else:
            instructions = form if instructions is None else f"{instructions}\n\n{form}"
    messages: tuple[Message, ...] = (Message("user", prompt),)
    if instructions is not None:
        messages = (Message("system", instructions), *messages)
    return JudgeRequest(
        scorer_id=question.scorer_id,
        step=question.step,
        attempt=1,
        messages=messages,
        schema=schema,
        task=question.task,
        settings=settings,
    )


def _second_request(request: JudgeRequest, reply: JudgeReply, error: JudgeAnswerInvalid) -> JudgeRequest:
    found = "\n".join(f"- {problem}" for problem in error.problems)
    correction = (
        f"That answer could not be used. What is wrong with it:\n{found}\n"
        "Give the whole answer again, corrected, and nothing else."
    )
    answered = (Message("assistant", reply.text),) if reply.text else ()
    return evolve(request, messages=(*request.messages, *answered, Message("user", correction)))


class _Counter:
    """How many requests were sent."""

    def __init__(self) -> None:
        self.requests = 0


async def _exchange(
    judge: Judge, request: JudgeRequest, settings: JudgeSettings, services: JudgeServices, sent: _Counter
) -> JudgeReply:
    while True:
        sent.requests += 1
        try:
            reply = await judge.answer(request)
        except Exception as error:
            wait = await _wait(error, sent.requests - 1, settings)
            if wait is None:
                raise
            _log_retry(request, sent.requests, wait, error)
            await services.sleep(wait)
            continue
        if not isinstance(reply, JudgeReply):
            raise JudgeAnswerInvalid(
                "The judge must give a JudgeReply or a text (JSON for a structured answer), it gave "
                f"{type(reply).__name__}.",
                retryable=False,
            )
        return reply


async def _prepared(request: JudgeRequest, settings: JudgeSettings) -> JudgeRequest:
    """The request after the input processors: what is sent, and what is kept as evidence."""
    for change in settings.input_processors or ():
        changed = await _maybe(change(request))
        if not isinstance(changed, JudgeRequest):
            raise TypeError(f"An input processor must give a JudgeRequest, it gave {type(changed).__name__}.")
        request = changed
    return request


def _last_said(request: JudgeRequest) -> str:
    return next((message.text for message in reversed(request.messages) if message.role == "user"), "")


async def _processed(reply: JudgeReply, settings: JudgeSettings) -> JudgeReply:
    """The reply after the output processors. A reply that they reject is kept as evidence by the caller."""
    for transform in settings.output_processors or ():
        changed = await _maybe(transform(reply))
        if not isinstance(changed, JudgeReply):
            raise TypeError(f"An output processor must give a JudgeReply, it gave {type(changed).__name__}.")
        reply = changed
    return reply


async def _wait(error: Exception, retries: int, settings: JudgeSettings) -> float | None:
    processors: tuple[ErrorProcessor, ...]
    if settings.error_processors is None:
        processors, bound = (DEFAULT_RETRY,), settings.max_processor_retries
    else:
        processors = settings.error_processors
        bound = PROCESSOR_RETRIES if settings.max_processor_retries is None else settings.max_processor_retries
    if bound is not None and retries >= bound:
        return None
    for processor in processors:
        wait = cast("float | None", await _maybe(processor.delay(error, retries)))
        if wait is not None:
            return wait
    return None


async def _maybe(value: object) -> object:
    return await value if isawaitable(value) else value


def _log_retry(request: JudgeRequest, attempt: int, wait: float, error: Exception) -> None:
    from steelyard._model.log import logger

    logger().warning(
        "judge.retry",
        scorer=request.scorer_id,
        step=request.step,
        attempt=attempt,
        wait_s=wait,
        error=type(error).__name__,
        status=getattr(error, "status", None),
    )


async def _read(reply: JudgeReply, question: Question[T]) -> T | str:
    about: dict[str, Any] = {
        "provider": reply.provider,
        "model": reply.model,
        "request_id": reply.request_id,
        "raw_text": reply.text,
        "usage": reply.usage,
        "finish_reason": reply.finish_reason,
        "retryable": False,
    }
    if reply.finish_reason in _CUT_OFF:
        raise JudgeTruncated(
            "The judge's answer was cut off by its token limit. Raise the limit or ask for less.", **about
        )
    if reply.finish_reason == "refusal":
        raise JudgeRefused("The judge declined to answer.", **about)
    if reply.finish_reason == "content_filter":
        raise JudgeContentFiltered("The judge's answer was withheld by the provider's content filter.", **about)
    if reply.text is None or not reply.text.strip():
        raise JudgeAnswerEmpty("The judge's answer is empty.", problems=("The answer is empty.",), **about)
    if question.output is None:
        return reply.text
    try:
        answer = read_answer(reply.text, question.output)
    except AnswerProblems as error:
        raise _unusable(error.problems, about) from error
    faults = [] if question.check is None else _faults(await _maybe(question.check(answer)))
    if faults:
        raise _unusable(faults, about)
    return answer


def _faults(found: object) -> list[str]:
    """What a check found, as sentences: it gives None, one sentence, or a list of them."""
    if not found:
        return []
    sentences = [found] if isinstance(found, str) else found
    if isinstance(sentences, list | tuple) and all(isinstance(each, str) for each in sentences):
        return list(sentences)
    raise TypeError(
        f"check= must give None where nothing is wrong, or say in words what is; it gave {type(found).__name__}."
    )


def _unusable(problems: Sequence[str], about: Mapping[str, Any]) -> JudgeAnswerInvalid:
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return JudgeAnswerInvalid(f"The judge's answer could not be used: {problems[0]}{more}", problems=problems, **about)


def _failed(
    prompt: str, error: BaseException, sent: _Counter, seconds: float, reply: JudgeReply | None = None
) -> JudgeExecution:
    return JudgeExecution(
        prompt=prompt,
        model=reply.model if reply else getattr(error, "model", None),
        provider=reply.provider if reply else getattr(error, "provider", None),
        attempt_count=sent.requests,
        model_call_count=sent.requests,
        duration_ms=1000 * seconds,
        status="failed",
        usage=reply.usage if reply else getattr(error, "usage", None),
        cost=reply.cost if reply else None,
        error=error,
        raw_text=reply.text if reply else getattr(error, "raw_text", None),
        finish_reason=reply.finish_reason if reply else getattr(error, "finish_reason", None),
    )

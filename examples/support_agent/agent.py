"""A support agent in plain Python: rules instead of a model, dictionaries instead of a shop, no network.

It stands in for whatever agent you have. What matters to an evaluation is its shape: it is called with the customer's
message and with the call (which thread this is, what was said before), it may use tools, and it returns the messages of
its turn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from attrs import define, field

ORDERS: Mapping[str, Mapping[str, object]] = {
    "FF-1001": {"status": "shipped", "parcel_id": "NP-501", "sku": "TARN-2", "total": 219.0},
    "FF-1002": {"status": "delivered", "parcel_id": "NP-502", "sku": "CAIRN-MID-42", "total": 129.0},
    "FF-1003": {"status": "returned", "parcel_id": "NP-503", "sku": "TOR-M-BLUE", "total": 149.0},
    "FF-1004": {"status": "shipped", "parcel_id": "NP-504", "sku": "MOSS-7", "total": 189.0},
}
PARCELS: Mapping[str, Mapping[str, object]] = {
    "NP-501": {"state": "in transit", "expected": "12 March"},
    "NP-502": {"state": "delivered", "expected": "4 March"},
    "NP-503": {"state": "delivered", "expected": "20 February"},
    "NP-504": {"state": "out for delivery", "expected": "14 March"},
}
STOCK: Mapping[str, int] = {"TARN-2": 6, "CAIRN-MID-42": 3, "CAIRN-MID-43": 0, "TOR-M-BLUE": 2}

INTENTS = {
    "person": re.compile(r"\b(human|person|someone|complain)", re.IGNORECASE),
    "refund": re.compile(r"\b(refund|money back)", re.IGNORECASE),
    "return": re.compile(r"\b(return|send (it|them) back)", re.IGNORECASE),
    "stock": re.compile(r"\b(stock|available|sold out)", re.IGNORECASE),
    "parcel": re.compile(r"\b(where|track|parcel|arrive)", re.IGNORECASE),
}
ORDER_ID = re.compile(r"\bFF-\d{4}\b")
SKU = re.compile(r"\b[A-Z]{3,}(?:-[A-Z0-9]+)+\b")


class Call(Protocol):
    """What the agent reads of the call that comes with each message."""

    @property
    def thread_id(self) -> str: ...

    @property
    def history(self) -> Sequence[object]: ...


class ToolFailed(Exception):
    """A tool could not do what it was asked."""


class Shop:
    """The tools. Every customer gets a shop of their own, so that conversations cannot disturb each other."""

    def __init__(self) -> None:
        self._carrier_calls = 0

    def lookup_order(self, order_id: str) -> Mapping[str, object]:
        return ORDERS.get(order_id, {"error": "no order with this number"})

    def track_parcel(self, parcel_id: str) -> Mapping[str, object]:
        self._carrier_calls += 1
        if parcel_id == "NP-504" and self._carrier_calls == 1:
            raise ToolFailed("the carrier did not answer")
        return PARCELS[parcel_id]

    def check_stock(self, sku: str) -> Mapping[str, object]:
        return {"sku": sku, "in_stock": STOCK.get(sku, 0)}

    def start_return(self, order_id: str, sku: str) -> Mapping[str, object]:
        return {"return_id": f"R-{order_id[3:]}", "sku": sku}

    def issue_refund(self, order_id: str, amount: float) -> Mapping[str, object]:
        return {"refund_id": f"RF-{order_id[3:]}", "amount": amount}

    def hand_over_to_human(self, reason: str) -> Mapping[str, object]:
        return {"ticket": "H-1", "reason": reason}


@define
class Memory:
    """What the agent remembers of one thread."""

    shop: Shop = field(factory=Shop)
    order_id: str | None = None
    intent: str | None = None


@define
class Reply:
    """The messages of one turn in neutral form, as they come about."""

    shop: Shop
    messages: list[dict[str, object]] = field(factory=list)

    def say(self, text: str) -> None:
        self.messages.append({"role": "assistant", "content": text})

    def use(self, tool: str, **args: object) -> Mapping[str, object]:
        """Calls a tool and notes the call; a failure comes back as ``{"error": ...}``."""
        call: dict[str, object] = {"id": f"call-{len(self.messages)}", "name": tool, "args": args}
        self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        try:
            result: Mapping[str, object] = getattr(self.shop, tool)(**args)
        except ToolFailed as error:
            call |= {"error": str(error), "state": "output-error"}
            return {"error": str(error)}
        call |= {"result": result, "state": "result"}
        return result


class SupportAgent:
    """Answers customers of Fell & Ford, one message at a time, and remembers each thread."""

    def __init__(self) -> None:
        self._threads: dict[str, Memory] = {}

    def __call__(self, message: str, call: Call) -> list[dict[str, object]]:
        """The agent's messages for this turn, tool calls included."""
        memory = self._threads.setdefault(call.thread_id, Memory())
        reply = Reply(memory.shop)
        if not call.history:
            reply.say("Hello, this is Fell & Ford.")
        if named := ORDER_ID.search(message):
            memory.order_id = named.group()
        memory.intent = next((intent for intent, words in INTENTS.items() if words.search(message)), memory.intent)
        self._answer(message, memory, reply)
        return reply.messages

    def _answer(self, message: str, memory: Memory, reply: Reply) -> None:
        if memory.intent is None:
            return reply.say("How can I help you: a parcel, a return, a refund, or something from the shop?")
        if memory.intent == "person":
            ticket = reply.use("hand_over_to_human", reason=message)["ticket"]
            return reply.say(f"I have passed you on to a colleague; your ticket is {ticket}.")
        if memory.intent == "stock":
            return self._stock(message, reply)
        if memory.order_id is None:
            return reply.say("Could you give me your order number? It looks like FF-1234.")
        order = reply.use("lookup_order", order_id=memory.order_id)
        if "error" in order:
            unknown, memory.order_id = memory.order_id, None
            return reply.say(f"I cannot find an order {unknown}. Could you check the number?")
        if memory.intent == "refund":
            return self._refund(memory.order_id, order, reply)
        if memory.intent == "return":
            started = reply.use("start_return", order_id=memory.order_id, sku=order["sku"])
            return reply.say(f"Your return {started['return_id']} is set up; the label is on its way to your inbox.")
        return self._parcel(order, reply)

    def _stock(self, message: str, reply: Reply) -> None:
        wanted = SKU.search(message)
        if wanted is None:
            return reply.say("Which article do you mean? Its code stands next to the price.")
        count = reply.use("check_stock", sku=wanted.group())["in_stock"]
        reply.say(f"We have {count} of {wanted.group()} in stock." if count else f"{wanted.group()} is sold out.")

    def _refund(self, order_id: str, order: Mapping[str, object], reply: Reply) -> None:
        if order["status"] != "returned":
            return reply.say("I can refund an order once it is back with us. Would you like to return it?")
        reply.use("issue_refund", order_id=order_id, amount=order["total"])
        reply.say(f"I have refunded £{order['total']:.2f}; please allow three days.")

    def _parcel(self, order: Mapping[str, object], reply: Reply) -> None:
        parcel = reply.use("track_parcel", parcel_id=order["parcel_id"])
        if "error" in parcel:
            parcel = reply.use("track_parcel", parcel_id=order["parcel_id"])
        if "error" in parcel:
            reply.use("hand_over_to_human", reason=f"no news of parcel {order['parcel_id']}")
            return reply.say("The carrier does not answer, so a colleague will call you.")
        reply.say(f"Your parcel is {parcel['state']}; the date that we have is {parcel['expected']}.")

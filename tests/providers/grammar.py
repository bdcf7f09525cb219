"""grammar - does a request keep the rules that a provider of the dialect would refuse it for?"""
import json


def claude_problems(body):
    """Roles alternate; the results of a message's calls stand in the next one, all of them, once."""
    messages, asked = body["messages"], []
    if messages[0]["role"] != "user" or messages[-1]["role"] != "user":
        yield "the first and the last word are not the user's"
    for before, message in zip([None, *messages], messages):
        if before and before["role"] == message["role"]:
            yield f"two messages of the {message['role']} follow each other"
        blocks = message["content"] if isinstance(message["content"], list) else []
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if sorted(answered) != sorted(asked):
            yield f"calls {asked} are answered by {answered}"
        asked = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if any(block["type"] == "text" and not block["text"].strip() for block in blocks) or not message["content"]:
            yield "there is an empty text"
    if asked:
        yield f"calls {asked} are left open"


def chat_problems(body):
    """Right behind a message with calls stand their results, all of them, once."""
    asked = []
    for message in body["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in asked:
                yield f"a result for {message['tool_call_id']}, which nobody waits for"
            else:
                asked.remove(message["tool_call_id"])
            continue
        if asked:
            yield f"calls {asked} are not answered"
        asked = [call["id"] for call in message.get("tool_calls", [])]
        for call in message.get("tool_calls", []):
            json.loads(call["function"]["arguments"])
    if asked:
        yield f"calls {asked} are left open"


def responses_problems(body):
    """Every call has one output, behind it."""
    asked, answered = [], []
    for item in body["input"]:
        if item.get("type") == "function_call":
            asked.append(item["call_id"])
        if item.get("type") == "function_call_output":
            if item["call_id"] not in asked or item["call_id"] in answered:
                yield f"an output for {item['call_id']}, which nobody waits for"
            answered.append(item["call_id"])
    if sorted(asked) != sorted(answered):
        yield f"calls {asked} are answered by {answered}"


PROBLEMS = {"claude": claude_problems, "chat": chat_problems, "responses": responses_problems}


def transcript(dialect, body):
    """("user", text) and ("call", name), in order."""
    for message in body["input"] if dialect == "responses" else body["messages"]:
        if message.get("type") == "function_call":
            yield "call", message["name"]
        for call in message.get("tool_calls") or []:
            yield "call", call["function"]["name"]
        content = message.get("content") or []
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "tool_use":
                yield "call", block["name"]
            elif message.get("role") == "user" and "text" in block:
                yield "user", block["text"]

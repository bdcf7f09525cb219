"""speech - what a model says in each dialect, as the bytes of its event stream."""
import json

DIALECTS = {"claude": ("anthropic", ""), "chat": ("openai-chat", "/v1"),
            "responses": ("openai-responses", "/v1")}


def event(data):
    return b"data: " + (data if isinstance(data, bytes) else json.dumps(data).encode()) + b"\n\n"


def said(dialect, text):
    if dialect == "claude":
        return event({"type": "content_block_delta", "index": 0,
                      "delta": {"type": "text_delta", "text": text}})
    if dialect == "chat":
        return event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})
    return event({"type": "response.output_text.delta", "delta": text})


def begun(dialect):
    if dialect == "claude":
        return event({"type": "message_start", "message": {"usage": {"input_tokens": 5}}}) + event(
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    if dialect == "chat":
        return event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
    return event({"type": "response.created", "response": {"id": "r"}})


def over(dialect):
    if dialect == "claude":
        return (event({"type": "content_block_stop", "index": 0})
                + event({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                         "usage": {"output_tokens": 3}}) + event({"type": "message_stop"}))
    if dialect == "chat":
        return (event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
                + event({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}})
                + event(b"[DONE]"))
    return event({"type": "response.completed", "response": {
        "status": "completed", "output": [], "usage": {"input_tokens": 5, "output_tokens": 3}}})


def broke(dialect, kind, message):
    if dialect == "claude":
        return event({"type": "error", "error": {"type": kind, "message": message}})
    if dialect == "chat":
        return event({"error": {"type": kind, "code": kind, "message": message}})
    return event({"type": "error", "code": kind, "message": message})


def refusal(dialect, message, kind="invalid_request_error"):
    error = {"type": kind, "message": message}
    return json.dumps({"type": "error", "error": error} if dialect == "claude" else {"error": error}).encode()


def called(dialect, call_id, name, arguments):
    """A call of a tool, and the end of the answer that asks for its result."""
    text = json.dumps(arguments)
    if dialect == "claude":
        block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
        return (event({"type": "content_block_stop", "index": 0})
                + event({"type": "content_block_start", "index": 1, "content_block": block})
                + event({"type": "content_block_delta", "index": 1,
                         "delta": {"type": "input_json_delta", "partial_json": text}})
                + event({"type": "content_block_stop", "index": 1})
                + event({"type": "message_delta", "delta": {"stop_reason": "tool_use"},
                         "usage": {"output_tokens": 3}}) + event({"type": "message_stop"}))
    if dialect == "chat":
        call = {"index": 0, "id": call_id, "type": "function", "function": {"name": name, "arguments": text}}
        return (event({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]})
                + event({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
                + event(b"[DONE]"))
    item = {"type": "function_call", "id": "fc_" + call_id, "call_id": call_id, "name": name, "arguments": text}
    return (event({"type": "response.output_item.done", "item": item})
            + event({"type": "response.completed", "response": {"status": "completed", "output": [item]}}))

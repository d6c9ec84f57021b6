"""promptfoo: a Python assertion that scores the conversation of a test.

    assert:
      - type: python
        value: file://simpatico_assert.py
        config:
          metrics: [style_matching, question_rate]
          rules: [style_matching >= 0.2]

`simpatico init promptfoo` writes the file. A rule is about the one conversation of a test; whether
two providers differ is a question of all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from simpatico.comparison.gate.rules import read_rule, rule_subject
from simpatico.errors import SimpaticoError
from simpatico.integrations.conversation import Conversation, ConversationScore

FILE = '''\
"""Scores each conversation with simpatico; see `config` of the assertion in promptfooconfig.yaml.

promptfoo runs this with `python`, or with the interpreter that PROMPTFOO_PYTHON names.
"""

from simpatico.integrations.promptfoo import get_assert

__all__ = ["get_assert"]
'''
MARK = b"from simpatico.integrations.promptfoo import get_assert"
USE = "add to a test of promptfooconfig.yaml"
EXAMPLE = """\
assert:
  - type: python
    value: file://{name}
    config:
      metrics: [style_matching, question_rate]
      rules: [style_matching >= 0.2]"""


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """The result of one test: its scores by name, and a component for each rule."""
    config = context.get("config") or {}
    rules = config.get("rules") or []
    metrics = config.get("metrics") or list(dict.fromkeys(map(rule_subject, rules))) or None
    try:
        scores = Conversation.of(conversation_of_test(output, context)).scores(metrics)
        components = check_rules(rules, scores)
    except SimpaticoError as error:
        return {"pass": False, "score": 0.0, "reason": f"simpatico: {error}"}
    kept = [component["pass"] for component in components]
    return {
        "pass": all(kept),
        "score": sum(kept) / len(kept) if kept else 1.0,
        "reason": "; ".join(score.sentence for score in scores),
        "named_scores": {s.name: s.value for s in scores if s.value is not None},
        "component_results": components,
    }


def check_rules(rules: Sequence[str], scores: Sequence[ConversationScore]) -> list[dict[str, Any]]:
    """Each rule on this conversation; a score that is null keeps no rule, and says why."""
    by_name = {score.name: score for score in scores}
    components = []
    for text in rules:
        rule = read_rule(text, list(by_name))
        score = by_name[rule.score]
        kept = score.value is not None and rule.holds_for(score.value)
        reason = f"{score.sentence}; the rule is {rule}"
        components.append({"pass": kept, "score": float(kept), "reason": reason})
    return components


def conversation_of_test(output: Any, context: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The conversation of a test: of a simulated user, of a chat prompt or of earlier tests.

    promptfoo's simulated user reports its messages; a prompt may be a list of messages in JSON; a
    test of several turns has the earlier ones in `_conversation`.
    """
    response = context.get("providerResponse") or {}
    if simulated := (response.get("metadata") or {}).get("messages"):
        return list(simulated)
    said = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    reply, prompt = {"role": "assistant", "content": said}, context.get("prompt") or ""
    try:
        chat = json.loads(prompt)
    except ValueError:
        chat = None
    if isinstance(chat, list) and all(isinstance(m, dict) and "role" in m for m in chat):
        return [*chat, reply]
    messages = []
    for earlier in (context.get("vars") or {}).get("_conversation") or []:
        asked = earlier.get("input") or earlier.get("prompt") or ""
        messages.append({"role": "user", "content": asked})
        messages.append({"role": "assistant", "content": earlier.get("output") or ""})
    return [*messages, {"role": "user", "content": prompt}, reply]

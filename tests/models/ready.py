"""Every metric, ready to run: where its model is not shipped, with a tiny one made for the tests."""

import shutil
from functools import cache, partial
from pathlib import Path

from simpatico.registry import load, metric_class
from tests.models.tiny import root, tiny

TINY = {
    "bart_score": {"model": "bart"},
    "bert_score": {"model": "bert"},
    "bleurt": {"model": "bert-classes-1"},
    "coherence": {"model": "bert"},
    "ctx_ruber": {"model": "bert"},
    "deep_am": {"model": "bert"},
    "deep_am_fm": {"model": "gpt2", "encoder_model": "bert"},
    "deep_fm": {"model": "gpt2"},
    "fed": {"model": "gpt2"},
    "mauve": {"model": "bert"},
    "nli_contradiction": {"model": "bert-classes-3"},
    "nsp": {"model": "bert-nsp"},
    "prism": {"model": "bart"},
}
MORE = {
    "ctx_ruber": {"mode": "referenced"},
    "ruber": {"mode": "referenced"},
    "mauve": {"minimum": 4},
    "distinct_n": {"size": 8},
}


@cache
def ready(name: str):
    """The metric with a model that takes a moment."""
    made = MADE[name]() if name in MADE else {}
    models = {field: f"path:{tiny(kind)}" for field, kind in TINY.get(name, {}).items()}
    parameters = models | MORE.get(name, {}) | made
    if not parameters and "minimum_words" in metric_class(name).__dataclass_fields__:
        parameters = trait(name)
    return load(name, **parameters)


def trait(name: str) -> dict[str, str]:
    """The trait model we ship, or a small one."""
    from simpatico.metric import missing_resource
    from tests.metrics.test_traits import tiny_model

    return {} if missing_resource(load(name)) is None else {"model": str(tiny_model())}


def heads() -> dict[str, str]:
    """DialogRPT's heads, all of them the same small one."""
    from simpatico.metrics.dialog_rpt import HEADS

    folder = root() / "heads"
    for head in HEADS:
        shutil.copytree(tiny("gpt2-classes-1"), folder / head, dirs_exist_ok=True)
    return {"model": f"path:{folder}/{{head}}"}


def contradicting() -> dict[str, str]:
    """A classifier whose classes are named as those of natural language inference are."""
    import json

    folder = Path(shutil.copytree(tiny("bert-classes-3"), root() / "nli"))
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {"0": "CONTRADICTION", "1": "NEUTRAL", "2": "ENTAILMENT"}
    (folder / "config.json").write_text(json.dumps(config))
    return {"model": f"path:{folder}"}


def trained(name: str) -> dict[str, str]:
    """A folder of trained heads for the metric."""
    from tests.metrics.heads import ready_model

    return {"model": ready_model(name)} | ({} if name == "usl_h" else {"mode": "blended"})


def evaluator(name: str) -> dict[str, str]:
    """A folder of a trained head for the evaluator of a reply."""
    from tests.metrics.heads import ready_model

    return {"model": ready_model(name)}


def evaluators() -> dict[str, str]:
    """Folders of both heads."""
    parts = ("engagement", "relevance")
    return {f"{part}_model": evaluator(part)["model"] for part in parts}


def feelings() -> dict[str, str]:
    """Folders of heads that judge single texts."""
    from tests.metrics.heads import feelings_folder

    return {kind: feelings_folder(kind) for kind in ("neutrality", "polarity")}


def personal(target: str) -> dict[str, str]:
    """A folder of a personal model."""
    from tests.metrics.user_models import at_random

    return {"model": at_random(target)}


MADE = {
    "ctx_ruber": partial(trained, "ctx_ruber"),
    "dialog_rpt": heads,
    "emotional_consistency": feelings,
    "engagement": partial(evaluator, "engagement"),
    "engaging_and_relevant": evaluators,
    "interlocutor_score": partial(personal, "score"),
    "nli_contradiction": contradicting,
    "relevance": partial(evaluator, "relevance"),
    "reply_chance": partial(personal, "chance"),
    "ruber": partial(trained, "ruber"),
    "usl_h": partial(trained, "usl_h"),
}

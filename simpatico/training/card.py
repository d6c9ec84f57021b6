"""The model card that every training writes: one layout, whatever the model is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.stats.result import Result
from simpatico.wording import format_interval, format_number


@dataclass(frozen=True)
class About:
    """Where a model's training data come from, and how the training was called."""

    data: str
    licence: str = "not stated"
    command: str = ""
    training: Mapping[str, object] = field(default_factory=dict)
    """Every setting and result that `recipe.json` keeps so that the training can be repeated."""
    limits: tuple[str, ...] = ()
    """Limits of this very model, besides those of all of its kind."""


@dataclass(frozen=True)
class ModelCard:
    """What people should read before they use a model (model cards: Mitchell et al. 2019).

    Sections are named as in the template of the Hugging Face Hub, where readers look for them.
    """

    title: str
    summary: str
    data: Sequence[str]
    """Bullets; the licence of the data is put after the first."""
    method: Sequence[str]
    limits: Sequence[str]
    evaluation: Sequence[str] = ()
    """With its own heading; empty where a section is appended after the training."""

    def render(self, about: About) -> str:
        """The card as Markdown."""
        lines = [
            f"# {self.title}",
            "",
            self.summary,
            "",
            "## Training data",
            self.data[0],
            f"- licence of the data: {about.licence}",
            *self.data[1:],
            "",
            "## Training procedure",
            *self.method,
            *([f"- to reproduce: `{about.command}`"] if about.command else []),
            "",
            *([*self.evaluation, ""] if self.evaluation else []),
            "## Limitations",
            *(f"- {note}" for note in self.limits),
            "",
        ]
        return "\n".join(lines)


def describe_char_ngrams(form: CharNgramSettings | None) -> str:
    """Which character n-grams a model weighs, as the end of a sentence."""
    if form is None:
        return ""
    return (
        f", and character n-grams of length {form.shortest} to {form.longest} in "
        f"{form.buckets:,} buckets"
    )


def format_result(result: Result) -> str:
    """A value with its 95% CI in brackets."""
    value, low, high = result.numbers
    return f"{format_number(value, 3)} {format_interval(low, high, 3)}"

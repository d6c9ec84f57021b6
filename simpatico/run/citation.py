"""What to cite for a run: a Methods paragraph, and BibTeX of the papers on its metrics' cards.

A card cites in running text, as in "Ireland et al. (2011), Language Style Matching Predicts …; …".
The papers are found by that text; their whole entries are in `data/references.bib`. Of a paper that
is not there, cited by somebody else's metric, the entry has what the card tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from simpatico.errors import DataError
from simpatico.run import Run
from simpatico.wording import format_count, join_with_and

NAME = r"[A-Z][\w'’-]+"
PAPER = re.compile(
    rf"(?P<authors>{NAME}(?:(?:, | and | & ){NAME})*(?: et al\.)?),? "
    r"(?:\((?P<year>\d{4})\)|(?P<bare>\d{4}))"
    r"(?:, (?P<title>[A-Z].*)| \((?P<venue>[^()]*)\))?"
)
UNDATED = re.compile(rf"^(?P<authors>{NAME} et al\.), (?P<title>[A-Z].*)")
TITLE_END = re.compile(r"\. | \(|, (?!and\b)(?=[a-z])|, (?=with a )")
"""A title ends where prose goes on: ", which takes the mean", " (the three parts; …"."""
DOI = re.compile(r"doi:(\S+)")
ENTRIES = Path(__file__).parents[1] / "data" / "references.bib"


@dataclass(frozen=True)
class Reference:
    """A paper that a card cites, as far as the card tells."""

    authors: str
    year: str
    title: str
    venue: str
    doi: str

    @property
    def key(self) -> str:
        """The key of BibTeX: first author and year."""
        return re.sub(r"\W", "", self.authors.split()[0].rstrip(",")).lower() + (self.year or "nd")

    @property
    def short(self) -> str:
        """How a text cites it: `Ireland et al., 2011`."""
        return f"{self.authors.replace(' and ', ' & ')}, {self.year or 'n.d.'}"

    def bibtex(self) -> str:
        """The entry; of a paper that we do not know, with the fields that the card tells."""
        if entry := known_entry(self):
            return entry
        names = re.split(r", | and | & ", self.authors.removesuffix(" et al."))
        others = ["others"] if self.authors.endswith("et al.") else []
        fields = {
            "author": " and ".join([*names, *others]),
            "year": self.year,
            "title": f"{{{escape(self.title)}}}" if self.title else "",
            "howpublished": escape(self.venue),
            "doi": self.doi,  # read as it is
        }
        lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
        return "\n".join([f"@misc{{{self.key},", *lines, "}"])


@lru_cache
def known_entry(reference: Reference) -> str | None:
    """The stored entry of the paper: same author and year, and DOI or title as far as cited."""
    for entry in ENTRIES.read_text(encoding="utf-8").strip().split("\n\n"):
        plain = re.sub(r"[{}]", "", entry).lower()
        has_title = reference.title.lower() in plain
        if re.match(rf"@\w+{{{reference.key}", entry) and has_title and reference.doi in entry:
            return entry
    return None


def escape(text: str) -> str:
    """The text with BibTeX's special characters escaped."""
    return re.sub(r"([&%#_$])", r"\\\1", text)


def card_references(citation: str) -> Iterator[Reference]:
    """The papers in the citation of a card, in its order."""
    for part in citation.split("; "):
        match = PAPER.search(part) or UNDATED.search(part)
        if match is None:
            continue
        found = {name: text or "" for name, text in match.groupdict().items()}
        title = TITLE_END.split(found["title"], maxsplit=1)[0].rstrip(".")
        venue = found.get("venue", "")
        doi = DOI.search(venue)
        yield Reference(
            authors=found["authors"],
            year=found.get("year", "") or found.get("bare", ""),
            title=title,
            venue=re.sub(r",? ?doi:\S+", "", venue),
            doi=doi[1] if doi else "",
        )


def run_references(run: Run) -> dict[str, list[Reference]]:
    """The papers behind each metric of a run."""
    metrics = run.facts["metrics"].items()
    return {name: list(card_references(facts["card"]["citation"])) for name, facts in metrics}


def bibliography(run: Run) -> str:
    """BibTeX of simpatico and of every paper behind the run, each once."""
    entries = [r.bibtex() for refs in run_references(run).values() for r in refs]
    software = (
        "@software{simpatico,\n  author = {{The simpatico authors}},\n"
        "  title = {simpatico: how a dialog system comes across to the person it talks with},\n"
        f"  version = {{{run.facts['version']}}},\n}}"
    )
    texts, keys = [software], list[str]()
    for text in sorted(set(entries), key=entry_key):
        keys.append(entry_key(text))
        letter = "abcdefgh"[keys.count(keys[-1]) - 1]
        # two papers of one author and year: the second is …b
        key = keys[-1] if letter == "a" else f"{keys[-1]}{letter}"
        texts.append(text.replace(f"{{{keys[-1]},", f"{{{key},", 1))
    return "\n\n".join(texts)


def entry_key(entry: str) -> str:
    """The key of a BibTeX entry."""
    return entry[entry.index("{") + 1 : entry.index(",")]


def methods_paragraph(run: Run) -> str:
    """What was scored, with what and how, as the Methods section of a paper says it."""
    facts, alignment = run.facts, run.facts["alignment"]
    if not facts["metrics"]:
        raise DataError(f"{run.folder} has no metric to cite; score again into a new folder")
    names = run.at("system", ["system"])["system"].to_list()
    systems = ["the users" if name == "human" else name for name in names]
    references = run_references(run)
    metrics = join_with_and(
        [describe_metric(name, facts["metrics"][name], references[name]) for name in references]
    )
    merged = (
        "Consecutive messages of one speaker were merged into one turn. "
        if facts["options"].get("merge")
        else ""
    )
    rejected = sum(alignment["rejected"].values())
    left_out = f" {format_count(rejected, 'record')} could not be read." if rejected else ""
    nulls = describe_nulls(facts["units"].get("dialog", {}))
    scored = (
        f"{format_count(alignment['dialogs'], 'dialog')} "
        f"({format_count(alignment['turns'], 'turn')}) of {join_with_and(systems)}"
    )
    return (
        f"We scored {scored} with simpatico {facts['version']}.{left_out} {merged}The metrics were "
        f"{metrics}. Scores of a dialog come from the summed statistics of a speaker's turns; "
        "scores of a system are means over dialogs with Student's t 95% confidence intervals. "
        f"{nulls} Run {facts['key'][:12]}; run.json has the signature of each metric."
    )


def describe_metric(name: str, facts: dict[str, Any], references: list[Reference]) -> str:
    """A metric with the papers it comes from; of the rest, what its card calls its source."""
    if not references:
        return f"{name} ({facts['card']['citation'].partition(';')[0]})"
    return f"{name} ({'; '.join(r.short for r in references)})"


def describe_nulls(units: dict[str, int]) -> str:
    """How many dialogs (of a speaker) could not be scored, by metric and reason."""
    nulls = [
        f"{name.rpartition('.')[0]} {n:,} ({name.rpartition('.')[2].replace('_', ' ')})"
        for name, n in units.items()
        if not name.endswith(".scored")
    ]
    if not nulls:
        return "Every speaker of every dialog had all scores."
    return f"Without a score were, of the speakers of dialogs: {', '.join(nulls)}."

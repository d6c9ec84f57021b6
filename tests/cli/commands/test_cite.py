"""`simpatico cite`: the Methods paragraph of a run and BibTeX of everything it used."""

import re
import tomllib
from pathlib import Path

import pytest

import simpatico
from simpatico.errors import MissingResource
from simpatico.registry import load_all
from simpatico.run.citation import ENTRIES, Reference, card_references, known_entry
from tests.command_line import simpatico as call
from tests.conftest import ROOT

SAMPLES = Path(simpatico.__file__).parent / "data" / "samples" / "conversations.jsonl"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("cite") / "run"
    done = call("score", SAMPLES, "--out", out, "--metrics", "style_matching,length,repetition")
    assert done.returncode == 0, done.stderr
    return out


def test_the_paragraph_says_what_was_scored_and_with_what(run):
    done = call("cite", run)
    words = " ".join(done.stdout.split())
    assert words.startswith(
        "Methods We scored 66 dialogs (755 turns) of brisk, carousel, harbor and the users with "
        "simpatico 0.1.0. Consecutive messages of one speaker were merged into one turn. The "
        "metrics were length (a count of words, as docs/words.md defines them), repetition (See et "
        "al., 2019) and style_matching (Ireland et al., 2011)."
    )
    assert max(map(len, done.stdout.partition("References")[0].splitlines())) <= 80


def test_bibtex_has_every_paper_once(run):
    text = call("cite", run, "--format", "bibtex").stdout
    assert re.findall(r"^@\w+\{(\w+),$", text, re.M) == ["simpatico", "ireland2011", "see2019"]
    assert text.count("{") == text.count("}")
    assert "  doi = {10.18653/v1/N19-1170},\n" in text
    assert "{See, Abigail and Roller, Stephen and Kiela, Douwe and Weston, Jason}" in text


def test_references_are_read_off_a_card():
    card = (
        "Ireland & Pennebaker (2010), Style in Essays, Letters, and Poetry; Liu et al. 2022 (ACL, "
        "doi:10.1/x_y); github.com/a/b; after Yeh et al. 2021, A Comparison, who compare such things"
    )
    assert list(card_references(card)) == [
        Reference("Ireland & Pennebaker", "2010", "Style in Essays, Letters, and Poetry", "", ""),
        Reference("Liu et al.", "2022", "", "ACL", "10.1/x_y"),
        Reference("Yeh et al.", "2021", "A Comparison", "", ""),
    ]
    first, second, _ = card_references(card)
    assert first.bibtex() == (
        "@misc{ireland2010,\n  author = {Ireland and Pennebaker},\n  year = {2010},\n"
        "  title = {{Style in Essays, Letters, and Poetry}},\n}"
    )
    assert "doi = {10.1/x_y}" in second.bibtex()


def test_every_paper_on_a_card_has_its_whole_entry():
    """Whole: authors with first names, a title, a year; the same key never names two papers."""
    for name, metric in load_all().items():
        if isinstance(metric, MissingResource):
            continue
        papers = list(card_references(metric.card.citation))
        assert papers or not re.search(r"\b\d{4}\b", metric.card.citation), name
        for paper in papers:
            entry = known_entry(paper)
            assert entry, f"{name}: {paper.short} is not in references.bib"
            assert f"year = {{{paper.year}}}" in entry
            authors = re.search(r"author = \{(.*)\},", entry)[1].split(" and ")
            assert all(", " in author for author in authors), entry
            assert (len(authors) > 2) == ("et al." in paper.short or "," in paper.authors), entry


def test_two_papers_of_one_author_and_year_are_told_apart():
    emotion, distinct = (
        next(iter(card_references(text)))
        for text in (
            "Liu et al. (2022), Evaluator for Emotionally Consistent Chatbots",
            "Liu et al. 2022 (ACL, doi:10.18653/v1/2022.acl-short.86)",
        )
    )
    assert "Chenxiao" in emotion.bibtex()
    assert "Siyang" in distinct.bibtex()


def test_the_keys_of_the_stored_entries_differ():
    keys = re.findall(r"^@\w+\{(\w+),$", ENTRIES.read_text(encoding="utf-8"), re.M)
    assert len(set(keys)) == len(keys) == ENTRIES.read_text(encoding="utf-8").count("@")


def test_the_citation_file_has_the_version_of_the_package():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")

"""Training perceived empathy: what is read, what is fitted, and how it follows ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simpatico import load, read
from simpatico.errors import DataError
from simpatico.features import features_for_texts
from simpatico.features.embeddings import Embeddings
from simpatico.features.empathy import PARTS
from simpatico.features.heads.folder import load_heads
from simpatico.metric import missing_resource
from simpatico.training.card import About
from simpatico.training.empathy.data import SENTENCES, background_sentences, read_sentences
from simpatico.training.empathy.ratings import STUDIES, agreement, read_study, supporter_replies
from simpatico.training.empathy.train import EmpathySettings, score_conversation, train_empathy
from tests.conftest import DATA
from tests.metrics.heads import answers, scores
from tests.models.tiny import tiny

SAMPLES = SENTENCES.parents[1] / "samples" / "conversations.jsonl"


def test_the_shipped_sentences_have_every_part() -> None:
    labelled = read_sentences(SENTENCES)
    assert len(labelled) == len({one.text for one in labelled}) == 263
    assert min(sum(one.part == part for one in labelled) for part in PARTS) == 39


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tb\n1\t2\n", "needs the columns 'part' and 'text', divided by a tab"),
        (
            "part\ttext\nplain\tOkay.\n",
            "0 sentences of emotional_reaction; training needs at least 10",
        ),
    ],
)
def test_sentences_that_cannot_be_used(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "s.tsv"
    file.write_text(content)
    with pytest.raises(DataError) as error:
        read_sentences(file)
    assert str(error.value) == f"{file}: {message}"


def test_an_unknown_part_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "s.tsv"
    file.write_text("part\ttext\nanger\tNo!\n")
    with pytest.raises(DataError) as error:
        read_sentences(file)
    assert str(error.value) == (
        f"{file}:2: part 'anger' and text 'No!'; a part is one of emotional_reaction, "
        "interpretation, exploration, advice, self_focus, dismissal, plain, and a text has words"
    )


def test_turns_of_one_speaker_in_a_row_are_one() -> None:
    text = (
        "Seeker: Hi_comma_ you\n Seeker: I am sad\nSupporter: Oh no\nSeeker: Yes\nSupporter: Why?"
    )
    assert supporter_replies(text) == (["Hi, you I am sad", "Yes"], ["Oh no", "Why?"])


def test_agreement_with_length_held_constant_by_hand() -> None:
    """Partial r = (r_xy - r_xz r_yz) / sqrt((1 - r_xz²)(1 - r_yz²)) of ranks.

    1 2 3 4 5, 2 1 4 3 5 and 1 3 2 5 4: rho .8, .8 and .3, so .56 / (.6 sqrt(.91)) = .978399.
    """
    x, y, z = np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 1, 4, 3, 5]), np.array([1.0, 3, 2, 5, 4])
    one = agreement("s", "overall", x, y, z)
    values = [result.value for result in (one.rho, one.partial, one.length)]
    assert values == pytest.approx([0.8, 0.978399, 0.3], abs=1e-6)


def test_a_folder_is_trained_and_scores(tmp_path: Path) -> None:
    turns, out = read(SAMPLES), tmp_path / "model"
    settings = EmpathySettings(encoder=f"path:{tiny('bert')}")
    recipe, rated = train_empathy([turns], out, settings=settings, about=About("samples", "ours"))
    assert (recipe.kind, tuple(recipe.heads), rated) == ("empathy", PARTS, [])
    assert recipe.heads[PARTS[0]].heldout.n == 263
    assert "to reproduce" not in (out / "card.md").read_text()
    (value,) = scores(load("perceived_empathy", model=f"path:{out}"), answers(("I hear you", None)))
    assert value is not None
    assert 0 < value < 1


def test_the_background_is_drawn_by_seed_and_has_no_loops() -> None:
    turns = read(SAMPLES)
    one, same, other = (background_sentences([turns], 50, seed) for seed in (0, 0, 1))
    assert one == same != other
    assert len(set(one)) == len(one) <= 50


def test_ratings_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_study(tmp_path, STUDIES[0])
    assert str(error.value) == (
        f"no {tmp_path / 'annotations' / 'epitome' / 'expert1_ratings.csv'}: --ratings names the "
        "folder of doi.org/10.5281/zenodo.17230987"
    )


def test_the_shipped_heads_follow_ratings_of_replies_they_never_saw() -> None:
    folder = DATA / "kumar-empathy"
    if not folder.is_dir():
        pytest.skip(f"no ratings of Kumar et al. in {DATA}; set SIMPATICO_DATA")
    if why := missing_resource(load("perceived_empathy")):
        pytest.skip(why)
    rated = read_study(folder, STUDIES[0])
    encoder = features_for_texts([Embeddings()])[Embeddings()]
    heads = load_heads("perceived_empathy", "empathy").heads
    values = np.array([score_conversation(one, heads, encoder)[0] for one in rated])
    words = np.array([float(len(one.replies[0].split())) for one in rated])
    ratings = np.array([one.ratings["overall"] for one in rated])
    one = agreement("EPITOME", "overall", values, ratings, words)
    figures = [one.rho.value, one.partial.value, one.length.value]
    assert one.rho.n == 50
    assert figures == pytest.approx([0.698, 0.597, 0.480], abs=0.001)

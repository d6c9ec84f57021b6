"""The emotion lexicon: numbers by hand, the same bytes twice, and the file we ship."""

from __future__ import annotations

from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.errors import DataError, MissingResource
from simpatico.features.emotions import EMOTIONS
from simpatico.features.lexicon import SHIPPED
from simpatico.features.words import cut_words
from simpatico.training.lexicon import MAPPING, derive_lexicon, encode_lexicon
from tests.conftest import DATA

GOEMOTIONS = DATA / "goemotions"
LABELS = list(MAPPING)

CORPUS = [
    ("Happy day [NAME]", "joy"),
    ("happy, happy!", "joy"),
    ("a fine day", "joy"),
    ("a sad day", "sadness"),
    ("so sad", "sadness"),
    ("a fine rain [RELIGION]", "neutral"),
    ("so it is", "neutral"),
]


def corpus(folder: Path, rows: list[tuple[str, str]]) -> Path:
    lines = [
        f"{text}\t{','.join(str(LABELS.index(label)) for label in labels.split())}\tid{n}\n"
        for n, (text, labels) in enumerate(rows)
    ]
    (folder / "train.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


def test_weights_by_hand(tmp_path: Path) -> None:
    lexicon = derive_lexicon(corpus(tmp_path, CORPUS), minimum=2)
    # f(joy) = 3 texts against 4, f(sadness) = 2 against 5; "happy happy" is one text
    # day, joy:      2 of 3, 1 of 4   log2[(2/3) / (1.5/4)] = log2 1.7778 = 0.8301
    # happy, joy:    2 of 3, 0 of 4   log2[(2/3) / (0.5/4)] = log2 5.3333 = 2.4150
    # sad, sadness:  2 of 2, 0 of 5   log2[(2/2) / (0.5/5)] = log2 10     = 3.3219
    # so, sadness:   1 of 2, 1 of 5   log2[(1/2) / (1.5/5)] = log2 1.6667 = 0.7370
    # dropped: fine, joy (log2 0.8889 < 0); a and day, sadness (log2 1 = 0); rain, it, is (1 text)
    assert encode_lexicon(lexicon) == (
        b"term,category,weight\n"
        b"day,joy,0.8301\n"
        b"happy,joy,2.4150\n"
        b"sad,sadness,3.3219\n"
        b"so,sadness,0.7370\n"
    )


def test_a_label_may_stand_for_two_emotions(tmp_path: Path) -> None:
    rows = [("adore", "love"), ("adore", "love"), ("rain", "neutral"), ("rain", "neutral")]
    result = derive_lexicon(corpus(tmp_path, rows), minimum=2)
    # 2 of 2 texts against 0 of 2: log2[(2/2) / (0.5/2)] = log2 4 = 2
    assert result.rows() == [("adore", "joy", 2.0), ("adore", "trust", 2.0)]


def test_a_text_may_have_several_labels(tmp_path: Path) -> None:
    rows = [("ugh", "anger disgust"), ("ugh", "anger annoyance"), ("ok", "neutral")]
    result = derive_lexicon(corpus(tmp_path, rows), minimum=2)
    # anger: 2 of 2 against 0 of 1, log2[1 / (0.5/1)] = 1, annoyance beside anger counts once
    # disgust: 1 of 1 against 1 of 2, log2[1 / (1.5/2)] = log2 1.3333 = 0.4150
    assert result.rows() == [("ugh", "anger", 1.0), ("ugh", "disgust", 0.415)]


def test_placeholders_are_no_words_but_the_word_name_is(tmp_path: Path) -> None:
    rows = [("[NAME] name", "joy"), ("[NAME] name", "joy"), ("[RELIGION]", "joy"), ("x", "neutral")]
    result = derive_lexicon(corpus(tmp_path, rows), minimum=1)
    # 2 of 3 against 0 of 1, and not 3 of 3: log2[(2/3) / (0.5/1)] = log2 1.3333
    assert result.rows() == [("name", "joy", 0.415)]


texts = st.lists(st.sampled_from(["yes", "no", "don't", "café", "7"]), min_size=1, max_size=6)
labels = st.lists(st.sampled_from(LABELS), min_size=1, max_size=2, unique=True)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(texts, labels), min_size=1, max_size=12))
def test_weights_are_those_of_the_formula(rows: list[tuple[list[str], list[str]]]) -> None:
    expected = {}
    for emotion in EMOTIONS:
        inside = [set(t) for t, ls in rows if any(emotion in MAPPING[x] for x in ls)]
        outside = [set(t) for t, ls in rows if not any(emotion in MAPPING[x] for x in ls)]
        for word in {w for t, _ in rows for w in t}:
            hits, others = sum(word in t for t in inside), sum(word in t for t in outside)
            if hits and outside and hits + others >= 2:
                rate, other = hits / len(inside), (others + 0.5) / len(outside)
                expected[word, emotion] = round(log2(rate / other), 4)
    expected = {key: weight for key, weight in expected.items() if weight > 0}
    with TemporaryDirectory() as folder:
        corpus(Path(folder), [(" ".join(t), " ".join(ls)) for t, ls in rows])
        if not expected:
            with pytest.raises(DataError):
                derive_lexicon(Path(folder), minimum=2)
            return
        result = derive_lexicon(Path(folder), minimum=2).rows()
    assert [(t, c) for t, c, _ in result] == sorted(expected)
    assert {(t, c): w for t, c, w in result} == pytest.approx(expected, abs=1.01e-4)


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    one = derive_lexicon(corpus(tmp_path, CORPUS), minimum=1)
    two = derive_lexicon(corpus(tmp_path, CORPUS), minimum=1)
    assert encode_lexicon(one) == encode_lexicon(two)


def test_the_order_of_texts_does_not_matter(tmp_path: Path) -> None:
    one = derive_lexicon(corpus(tmp_path, CORPUS), minimum=1)
    two = derive_lexicon(corpus(tmp_path, CORPUS[::-1]), minimum=1)
    assert encode_lexicon(one) == encode_lexicon(two)


def test_mapping_covers_all_labels_and_reaches_all_emotions() -> None:
    assert len(LABELS) == 28
    # GoEmotions numbers its labels by the alphabet, neutral last
    assert [*sorted(LABELS[:-1]), "neutral"] == LABELS
    assert {e for result in MAPPING.values() for e in result} == set(EMOTIONS)
    assert {e for e in EMOTIONS if e in MAPPING} == {e for e in EMOTIONS if e in MAPPING.get(e, ())}
    assert all(len(set(result)) == len(result) <= 2 for result in MAPPING.values())


@pytest.mark.skipif(
    not GOEMOTIONS.is_dir(), reason=f"GoEmotions is not in {GOEMOTIONS}: set SIMPATICO_GOEMOTIONS"
)
def test_label_numbers_are_those_of_the_data() -> None:
    assert (GOEMOTIONS / "original" / "labels.txt").read_text().split() == LABELS


@pytest.mark.skipif(
    not GOEMOTIONS.is_dir(), reason=f"GoEmotions is not in {GOEMOTIONS}: set SIMPATICO_GOEMOTIONS"
)
def test_the_shipped_file_can_be_rebuilt() -> None:
    assert encode_lexicon(derive_lexicon(GOEMOTIONS)) == (SHIPPED / "emotions.csv").read_bytes()


def test_the_shipped_file() -> None:
    table = pl.read_csv(SHIPPED / "emotions.csv", schema_overrides={"term": pl.String})
    assert table.columns == ["term", "category", "weight"]
    assert table["category"].unique().sort().to_list() == sorted(EMOTIONS)
    assert table["weight"].is_finite().all()
    assert (table["weight"] > 0).all()
    assert table.rows() == sorted(table.rows())
    assert not table.select("term", "category").is_duplicated().any()


def test_the_shipped_terms_are_words_as_turns_have_them() -> None:
    table = pl.read_csv(SHIPPED / "emotions.csv", schema_overrides={"term": pl.String})
    terms = table["term"].unique(maintain_order=True)
    cut = cut_words(terms)
    assert (cut.counts == 1).all()
    assert cut.vocabulary.gather(cut.codes).to_list() == terms.to_list()


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(MissingResource) as error:
        derive_lexicon(tmp_path / "no")
    assert str(error.value) == (f"no folder '{tmp_path}/no'; give the one that holds GoEmotions")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(MissingResource) as error:
        derive_lexicon(tmp_path)
    assert str(error.value) == (
        f"no train.tsv of GoEmotions in '{tmp_path}'; "
        "get it from github.com/google-research/google-research/tree/master/goemotions/data"
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "train.tsv: no text in it"),
        (b"hi\t27\tid\nhi,27,id\n", "train.tsv:2: 1 columns; GoEmotions has text, labels and id"),
        (b"hi\t28\tid", "train.tsv:1: labels '28'; expected comma-separated numbers from 0 to 27"),
        (
            b"hi\tjoy\tid",
            "train.tsv:1: labels 'joy'; expected comma-separated numbers from 0 to 27",
        ),
        (b"hi\t27\tid\nh\xff\t27\tid", "train.tsv: not UTF-8 text at byte 10"),
    ],
)
def test_a_wrong_file(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "train.tsv").write_bytes(content)
    with pytest.raises(DataError) as error:
        derive_lexicon(tmp_path)
    assert str(error.value) == f"{tmp_path}/{sentence}"
    assert not (tmp_path / "out.csv").exists()


def test_too_few_texts(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        derive_lexicon(corpus(tmp_path, CORPUS), minimum=5)
    assert str(error.value) == f"{tmp_path}: no word is in 5 of its 7 texts; lower the minimum"


def test_minimum_below_one(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        derive_lexicon(tmp_path, minimum=0)
    assert str(error.value) == "minimum is 0 texts; give 1 or more"

"""The emotion paper: its files, the corpora behind them, and the mix."""

import numpy as np
import polars as pl
import pytest

from simpatico.errors import DataError
from simpatico.reproduction import emotional_consistency as paper
from simpatico.reproduction.emotional_consistency import data as files
from simpatico.reproduction.emotional_consistency import training_mix as mix
from simpatico.reproduction.emotional_consistency.training_mix import (
    EACH,
    NEGATIVE,
    NOWHERE,
    POSITIVE,
    CorpusUtterance,
    origin_cells,
    polarity_agreement_cells,
    rule_cells,
)
from simpatico.training.emotion.data import Utterances
from tests.reproduction.emotional_consistency.data_sets import MEANS, TALKS, write_published


@pytest.fixture
def data(tmp_path):
    return write_published(tmp_path)


def test_conversations_and_their_means(data):
    talks = files.read_conversations(data / files.FOLDER / files.CONVERSATIONS)
    assert talks.height == 9
    assert talks["dialog"].n_unique() == 2
    first = talks.filter(pl.col("responder") == "DialoGPT").row(0, named=True)
    assert (first["answer"], first["rating"], first["dialog_rating"]) == ("How sad.", 0, 0)
    assert talks["dialog_rating"].null_count() == 3


def test_a_mean_that_is_not_that_of_the_rows_is_refused(data):
    path = data / files.FOLDER / files.CONVERSATIONS
    path.write_text(TALKS + MEANS.replace("0.25", "0.5"))
    with pytest.raises(DataError) as error:
        files.read_conversations(path)
    assert str(error.value) == (
        f"{path}: the mean of 'dialog rating3' is 0.25, and the last line has 0.5; get the file "
        "again"
    )


def test_labels_that_are_neither_0_nor_1_are_refused(data):
    path = data / files.FOLDER / "EC_test.csv"
    path.write_text("label,sentence1\n2,Oh.\n")
    with pytest.raises(DataError) as error:
        files.read_labelled_utterances(path, "EC")
    assert str(error.value) == f"{path}: a label is '2', where EC has 0 and 1"


def test_in_ec_1_is_negative(data):
    path = data / files.FOLDER / "EC_test.csv"
    path.write_text("label,sentence1\n1,Oh no.\n0,Oh yes.\n")
    assert files.read_labelled_utterances(path, "EC").label == [("negative",), ("positive",)]


def test_the_corpora_and_what_is_neutral_in_them(data):
    omissions = []
    utterances = mix.read_corpora(data, omissions)
    assert omissions == []
    assert [(s.text, s.emotion) for s in utterances] == [
        ("Well, a party!", "joyful"),
        ("Have fun there.", "joyful"),
        ("Is it you?", "neutral"),
        ("Yes, me.", "happiness"),
        ("Yes, me.", "happiness"),
        ("Why am I sad?", ""),
        ("What now?", ""),
        ("look at you", "neutral"),
        ("i like it", "positive"),
        ("i hate it", "negative"),
    ]
    assert utterances[0].published_text == "Well_comma_ a party!"
    assert utterances[3].published_text == "Yes , me ."


def test_what_is_published_is_not_learned_from(data):
    """Of ten, two are published and one is said twice, so seven are left."""
    sources = paper.read_sources(data, files.read_published(data, []), [])
    assert len(sources.mix.rows) == 7
    assert sources.mix.n_published == {
        "empathetic-dialogues": 1,
        "dailydialog": 1,
        "counsel-chat": 0,
        "meisd": 0,
    }
    assert sources.mix.n_repeated["dailydialog"] == 1
    keys = {mix.text_key(t) for file in sources.files.values() for t in file.text}
    assert not keys & {mix.text_key(row.text) for row in sources.mix.rows}


def test_the_same_text_however_it_was_stored():
    assert mix.text_key("Well_comma_ it’s 5 .") == mix.text_key("well, it's 5.") == "wellits5"


def test_signs_of_emotions():
    """19 of 20 is .95 and clear; 18 of 20 is not; two utterances are too few to say."""
    assert mix.sign_of_votes([True] * 19 + [False]) == POSITIVE
    assert mix.sign_of_votes([False] * 19 + [True]) == NEGATIVE
    assert mix.sign_of_votes([True] * 18 + [False] * 2) == EACH
    assert mix.sign_of_votes([True] * 2) == EACH


def test_labels_by_emotion_by_corpus_and_by_judge():
    rows = [
        CorpusUtterance("a", "dailydialog", "1", "happiness"),
        CorpusUtterance("b", "dailydialog", "1", "surprise"),
        CorpusUtterance("c", "dailydialog", "1", "neutral"),
        CorpusUtterance("d", "meisd", "1", "negative"),
        CorpusUtterance("e", "counsel-chat", "1", ""),
    ]
    emotion_signs = {("dailydialog", "happiness"): POSITIVE, ("dailydialog", "surprise"): EACH}
    assert mix.mix_labels("NNC", rows, emotion_signs, None) == [
        "emotional",
        "emotional",
        "neutral",
        "emotional",
        "emotional",
    ]
    judge = lambda texts: np.array([0.2] * len(texts))  # noqa: E731
    assert mix.mix_labels("EC", rows, emotion_signs, judge) == [
        POSITIVE,
        NEGATIVE,
        "",
        NEGATIVE,
        "",
    ]
    assert mix.mix_labels("EC", rows, emotion_signs, None) == [POSITIVE, "", "", NEGATIVE, ""]


def test_how_often_a_judge_decides_as_published():
    """Of surprise, decided one by one, two of three; of three emotions the rule finds two signs.

    The judge takes what has "oh" in it for positive and the rest for negative. Happiness is published
    as positive, and three of three are: found. Surprise is published as decided one by one, where
    the judge has one positive of three, .67 negative, which is below .7: found as well. Anger is
    published as negative, and the judge has one of two positive: not found.
    """
    texts = [("happiness", "oh 0 a"), ("happiness", "oh 1 a"), ("happiness", "oh 2 a")]
    texts += [("surprise", "oh 3 b"), ("surprise", "no b"), ("surprise", "no c")]
    texts += [("anger", "oh 1 d"), ("anger", "no d")]
    index = mix.index_by_text(
        [CorpusUtterance(text, "dailydialog", "1", emotion) for emotion, text in texts]
    )
    labels = [POSITIVE] * 4 + [POSITIVE, NEGATIVE] + [NEGATIVE] * 2
    valid = Utterances("EC_valid.csv", [t for _, t in texts], [(y,) for y in labels])
    emotion_signs = {
        ("dailydialog", "happiness"): POSITIVE,
        ("dailydialog", "surprise"): EACH,
        ("dailydialog", "anger"): NEGATIVE,
    }
    judge = lambda texts: np.array([float("oh" in text) for text in texts])  # noqa: E731
    each, signs = polarity_agreement_cells(valid, index, emotion_signs, judge)
    assert (each.ours, each.n) == (2, 3)
    assert (signs.ours, signs.n) == (2, 3)


def test_where_utterances_come_from_and_whether_the_rule_gives_their_labels(data):
    sources = paper.read_sources(data, files.read_published(data, []), [])
    cells = {(c.row, c.column): c for c in origin_cells(sources.files, sources.by_text)}
    assert cells["NNC_test.csv", "dailydialog"].ours == 1
    assert cells["NNC_test.csv", "empathetic-dialogues"].ours == 1
    assert cells["EC_test.csv", NOWHERE].ours == 2
    rules = {c.row: c for c in rule_cells(sources.files, sources.by_text, sources.signs)}
    assert (rules["NNC_test.csv"].ours, rules["NNC_test.csv"].n) == (2, 2)


def test_the_mix_is_written_as_train_emotion_reads_it(data, tmp_path, call):
    out = tmp_path / "mix"
    code, _, err = call("reproduce", "emotional-consistency", "--data", data, "--write-mix", out)
    assert code == 0, err
    rows = pl.read_csv(out / "nnc_train.csv")
    emotional = ["emotional"] * 4
    assert rows["label"].to_list() == [*emotional, "neutral", *emotional[:2]]
    assert rows["published"][1] == "Yes , me ."
    assert "nnc_train.csv, 7 utterances" in err


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--write-mix", "m", "metrics-and-people has no training mix; emotional-consistency has"),
        (
            "--fine-tuned-polarity",
            "path:x",
            "metrics-and-people has no use for it; emotional-consistency has",
        ),
        (
            "--as-published-neutrality",
            "path:x",
            "metrics-and-people has no use for it; emotional-consistency has",
        ),
    ],
)
def test_options_of_this_paper_are_refused_for_others(tmp_path, call, option, value, sentence):
    code, _, err = call("reproduce", "metrics-and-people", "--data", tmp_path, option, value)
    assert (code, err) == (2, f"simpatico: {option}: {sentence}\n")


def test_a_file_of_one_label_is_refused(data):
    path = data / files.FOLDER / "EC_test.csv"
    path.write_text("label,sentence1\n1,Oh no.\n")
    with pytest.raises(DataError) as error:
        files.read_labelled_utterances(path, "EC")
    assert str(error.value) == (
        f"{path}: all 1 rows are 'negative', where EC has positive and negative; get it again"
    )


def test_a_folder_without_the_files_is_refused(tmp_path):
    with pytest.raises(DataError) as error:
        paper.reproduce(tmp_path)
    assert str(error.value) == (
        f"{tmp_path} has no file of emotional-consistency such as NNC_valid.csv; give the folder "
        "that holds emotional-consistency"
    )

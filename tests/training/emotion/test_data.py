"""Utterances out of files, and the sides they are drawn into."""

import numpy as np
import pytest

from simpatico.errors import DataError
from simpatico.features.detokenise import letters_and_digits
from simpatico.training.emotion.data import (
    UtteranceColumns,
    Utterances,
    join_utterances,
    read_utterances,
)
from simpatico.training.emotion.labels import resolve_labels
from simpatico.training.emotion.task import UtteranceInput, label_texts, split_utterances
from tests.conftest import DATA


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_goemotions_is_known_by_its_rows(tmp_path):
    path = written(tmp_path / "train.tsv", "Thanks [NAME]!\t0,15\ta1\nok\t27\tb2\n")
    result = read_utterances(path)
    assert (result.source, result.text) == ("train.tsv", ["Thanks  !", "ok"])
    assert result.label == [("admiration", "gratitude"), ("neutral",)]
    assert result.known_signs["gratitude"] == "positive"
    assert result.group == ["thanks", "ok"]


def test_tables_and_lines_are_read(tmp_path):
    path = written(tmp_path / "a.csv", "label,sentence1,dialog\n1,so good,d1\njoy|fear,oh,d1\n")
    result = read_utterances(path, UtteranceColumns("sentence1", "label"))
    assert (result.text, result.dialog) == (["so good", "oh"], ["d1", "d1"])
    assert result.label == [("1",), ("joy", "fear")]
    lines = '{"text": "so", "label": 0}\n{"text": "no", "label": ["a", "b"]}\n'
    more = read_utterances(written(tmp_path / "b.jsonl", lines))
    assert (more.label, more.dialog) == ([("0",), ("a", "b")], ["", ""])
    both = join_utterances([result, more])
    assert both.source == "a.csv and b.jsonl"
    assert both.dialog == ["0/d1", "0/d1", "", ""]
    assert both.group == ["0/d1", "0/d1", "so", "no"]
    assert both.labels == ["0", "1", "a", "b", "fear", "joy"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("text,label\n", "{name}: no utterance in it; give rows of text and label"),
        ("text,label\n ,joy\n", "{name}:2: 'text' has no text; leave out rows without words"),
        ("text,label\nhi,\n", "{name}:2: 'label' has no label; leave out rows without one"),
        ("text\nhi\n", "{name}:1: no column 'label' among the 1 of the header"),
        ('{"text": "hi"}\n', "{name}:1: no 'label'; every row needs text and label"),
    ],
)
def test_complaints_are_whole_sentences(text, sentence, tmp_path):
    path = written(tmp_path / "x.csv", text)
    with pytest.raises(DataError) as refused:
        read_utterances(path)
    assert str(refused.value) == sentence.format(name=path)


def talk(n=60, *, dialog=True, start=0, source="made up"):
    """Utterances of which every third is neutral, two a dialog."""
    label = [(("neutral", "joy", "anger")[number % 3],) for number in range(n)]
    text = [f"utterance {number}" for number in range(start, start + n)]
    dialogs = [f"d{number // 2}" if dialog else "" for number in range(start, start + n)]
    return Utterances(source, text, label, dialogs)


def drawn(given, seed=0, **mapped):
    given = UtteranceInput.of(given)
    meant = resolve_labels(given.all, "neutrality", mapping=mapped, polarity=lambda: None)
    return given.split(meant, tidy=True, seed=seed)


@pytest.mark.parametrize("dialog", [True, False])
def test_eighty_ten_ten_and_no_dialog_on_two_sides(dialog):
    result = drawn(talk(300, dialog=dialog))
    sizes = [len(side) for side in result.splits]
    assert sizes == pytest.approx([240, 30, 30], abs=4)
    groups = [set(side.group) for side in result.splits]
    assert not (groups[0] & groups[1] | groups[0] & groups[2] | groups[1] & groups[2])
    texts = [side.text for side in drawn(talk(300, dialog=dialog), seed=1).splits]
    assert texts != [side.text for side in result.splits]
    assert (result.left_out, result.duplicates) == (0, 0)


def test_a_text_of_two_sides_stays_on_the_later_one():
    """Two of the 60 are in the test file, stored with spaces and capitals of its own."""
    test = Utterances("test", ["Utterance 3 .", "UTTERANCE 4", "new"], [("joy",)] * 3)
    result = drawn(UtteranceInput(talk(dialog=False), test=test), anger="omit")
    learn, check, heldout = result.splits
    assert len(heldout) == 3
    assert not {letters_and_digits(t) for t in (*learn.text, *check.text)} & {
        "utterance3",
        "utterance4",
    }
    assert result.left_out == 20
    assert result.duplicates == 2
    both = drawn(UtteranceInput(talk(), talk(9, start=60), talk(9, start=70)))
    assert [len(side) for side in both.splits] == [60, 9, 9]
    stop = drawn(UtteranceInput(talk(), validation=talk(9, start=60)))
    assert len(stop.splits.validation) == 9


def test_the_stored_text_is_kept_beside():
    result = drawn(Utterances("x", [f"Oh {n} ! " for n in range(30)], [("neutral",)] * 30))
    assert result.splits.train.text[0].endswith("!")
    assert " !" not in result.splits.train.text[0]
    assert result.splits.train.raw[0].startswith("Oh ")


def test_sides_that_cannot_be_learned_from_are_refused():
    with pytest.raises(DataError) as refused:
        drawn(talk(12))
    assert str(refused.value) == (
        "made up: 12 utterances in 6 dialogs or different texts; training needs at least 20 of "
        "these"
    )
    with pytest.raises(DataError) as refused:
        drawn(talk(300), joy="neutral", anger="neutral").drop_texts(bool)
    assert str(refused.value) == (
        "emotional utterances: 0 of 240 in the training set, 0 of 30 in the validation set, 0 of 30 "
        "in the test set; each set needs examples of both classes"
    )


def test_targets_are_drawn_apart():
    """Ten utterances of a rare kind among 200: each of two halves gets five."""
    inputs = talk(200, dialog=False)
    label = [("joy",) if number < 10 else ("neutral",) for number in range(200)]
    inputs = Utterances("x", inputs.text, label)
    meant = resolve_labels(inputs, "neutrality", mapping={}, polarity=lambda: None)
    halves = split_utterances(label_texts(inputs, meant, tidy=False), (0.5, 0.5), seed=3)
    assert [int(half.target.sum()) for half in halves] == [5, 5]


def test_real_goemotions_counts():
    """Positive are the texts with positive labels alone, and those with one that is neither good
    nor bad besides: 15,216 + 775, 1,941 + 79 and 1,863 + 89."""
    folder = DATA / "goemotions/original"
    if not folder.is_dir():
        pytest.skip(f"no goemotions in {DATA}; set SIMPATICO_DATA to the folder of public data")
    inputs = UtteranceInput(
        *(read_utterances(folder / f"{name}.tsv") for name in ("train", "dev", "test"))
    )
    meant = resolve_labels(inputs.all, "polarity", mapping={}, polarity=lambda: None)
    result = [meant.targets(part) for part in inputs.parts]
    assert [len(part) for part in inputs.parts] == [43_410, 5_426, 5_427]
    assert [int(np.nansum(some)) for some in result] == [15_991, 2_020, 1_952]

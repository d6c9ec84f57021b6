"""Benchmark files: dialogs, who judged what, and counts over the real files where they are."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from simpatico.errors import DataError
from simpatico.judgements import JudgeKind, Judgement, Judgements
from simpatico.readers.conversations import read
from simpatico.readers.detect import pick_reader
from simpatico.readers.file_formats._benchmark import alternate_speakers, turn_numbers
from simpatico.readers.file_formats.convai2017 import ConvAI2017
from simpatico.readers.file_formats.dstc10_dev import DSTC10Dev
from simpatico.readers.file_formats.dstc10_test import DSTC10Test, infer_scale
from simpatico.readers.file_formats.fed import FED
from simpatico.readers.input.record import Ledger
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_files import read_judgements
from tests.conftest import DATA


def real(path: str) -> Path:
    """A file of the data folder; skips the test where it is absent."""
    if not (DATA / path).exists():
        pytest.skip(f"no {path} in {DATA}; set SIMPATICO_DATA to the folder of public data sets")
    return DATA / path


def write_json_file(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def read_ratings(path: Path, reader: Any) -> list[Judgement]:
    return list(reader.judgements(Source.of(path), Ledger()))


TEST: dict[str, Any] = {
    "contexts": [["Hi.", "Hello!", "How are you?"], ["Hi.", "Hello!", "How are you?"]],
    "responses": ["Fine.", ""],
    "reference": [["Good."], ["Good."]],
    "models": ["t5", "ground_truth"],
    "scores": [
        {"appropriateness": "4.5", "grammar": "1.0", "id": 0, "rank": 0.2},
        {"appropriateness": "1.0", "grammar": "", "id": 1, "rank": 0.9},
    ],
}


def test_dstc10_test_dialogs(tmp_path: Path) -> None:
    turns = read(write_json_file(tmp_path, "topical_eval.json", TEST))
    assert turns.frame.select("dialog", "turn", "speaker", "system", "text", "answers").rows() == [
        ("topical_eval:0", 0, "context-a", None, "Hi.", None),
        ("topical_eval:0", 1, "context-b", None, "Hello!", 0),
        ("topical_eval:0", 2, "context-a", None, "How are you?", 1),
        ("topical_eval:0", 3, "t5", "t5", "Fine.", 2),
        ("topical_eval:1", 0, "context-a", None, "Hi.", None),
        ("topical_eval:1", 1, "context-b", None, "Hello!", 0),
        ("topical_eval:1", 2, "context-a", None, "How are you?", 1),
        ("topical_eval:1", 3, "ground_truth", "ground_truth", "", 2),
    ]
    assert turns.frame["references"].to_list() == [None, None, None, ["Good."]] * 2
    assert turns.frame["prompt"].unique().to_list() == [
        blake2b("\n".join(TEST["contexts"][0]).encode(), digest_size=6).hexdigest()
    ]


def test_dstc10_test_judgements(tmp_path: Path) -> None:
    judgements = read_ratings(write_json_file(tmp_path, "x.json", TEST), DSTC10Test())
    assert judgements == [
        Judgement("x:0", 3, "t5", "appropriateness", None, "outsider", 4.5, 1.0, 5.0),
        Judgement("x:0", 3, "t5", "grammar", None, "outsider", 1.0),
        Judgement("x:1", 3, "ground_truth", "appropriateness", None, "outsider", 1.0, 1.0, 5.0),
        Judgement("x:1", 3, "ground_truth", "grammar", None, "outsider", None),
    ]


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([0.1, 1.0], (0.0, 1.0)),
        ([0.0], (0.0, 1.0)),
        ([1.0, 3.5], (1.0, 5.0)),
        ([1.0, 3.0], (None, None)),
        ([1.0], (None, None)),
        ([0.5, 3.0], (None, None)),
        ([], (None, None)),
    ],
)
def test_a_scale_is_read_off_the_values_only_where_they_tell(
    values: list[float], scale: tuple[float, float]
) -> None:
    assert infer_scale(values) == scale


def test_dstc10_test_lists_of_different_length(tmp_path: Path) -> None:
    path = write_json_file(tmp_path, "x.json", TEST | {"models": ["t5"]})
    with pytest.raises(DataError) as error:
        read_ratings(path, DSTC10Test())
    assert str(error.value) == (
        f"{path}:1: the lists differ in length "
        "(2 context, 2 response, 1 model, 2 scores, 2 references); no row is read"
    )


def test_dstc10_test_bad_row_is_named_by_number_and_never_quoted(tmp_path: Path) -> None:
    path = write_json_file(tmp_path, "x.json", TEST | {"responses": ["Fine.", {"secret": 1}]})
    ledger = Ledger("skip")
    assert len(list(DSTC10Test().dialogs(Source.of(path), ledger))) == 1
    assert [reject.reason for reject in ledger.rejects] == [
        "row 1: 'response' must be text, not an object"
    ]


def test_a_file_longer_than_its_head_is_told_though_cut_within_a_text(tmp_path: Path) -> None:
    turn = "so, well, " * 20
    for n in range(330, 340):  # the head ends somewhere within a text that has commas
        long = {name: column[:1] * n for name, column in TEST.items()}
        long["contexts"] = [[turn + "x" * (n % 7)]] * n
        path = write_json_file(tmp_path, "x.json", long)
        assert path.stat().st_size > 2**16
        assert pick_reader(Source.of(path)).name == "dstc10-test"


DEV = [
    {
        "dialogue_id": "persona-usr_00000",
        "model": "KV-MemNN",
        "context": "a ? \n b .",
        "response": "c",
        "reference": ["d"],
        "fact": "i have a dog",
        "annotations": {"Overall": [2, 5], "Uses Knowledge": [0, 1]},
    },
    {
        "dialogue_id": "other_1",
        "model": "Human",
        "context": "a",
        "response": "b",
        "annotations": {"nice": [7, "N/A (not applicable)", ""]},
    },
]


def test_dstc10_dev_turn_level(tmp_path: Path) -> None:
    path = write_json_file(tmp_path, "usr.json", DEV)
    turns = read(path)
    assert turns.frame.select("dialog", "turn", "speaker", "system", "text").rows() == [
        ("persona-usr_00000", 0, "context-b", None, "a ?"),
        ("persona-usr_00000", 1, "context-a", None, "b ."),
        ("persona-usr_00000", 2, "KV-MemNN", "KV-MemNN", "c"),
        ("other_1", 0, "context-a", None, "a"),
        ("other_1", 1, "human", "human", "b"),
    ]
    assert turns.frame["extras"].to_list() == [None, None, '{"fact":"i have a dog"}', None, None]
    unit, other = ("persona-usr_00000", 2, "KV-MemNN"), ("other_1", 1, "human")
    assert read_ratings(path, DSTC10Dev()) == [
        Judgement(*unit, "Overall", "judge-1", "outsider", 2.0, 1.0, 5.0),
        Judgement(*unit, "Overall", "judge-2", "outsider", 5.0, 1.0, 5.0),
        Judgement(*unit, "Uses Knowledge", "judge-1", "outsider", 0.0, 0.0, 1.0),
        Judgement(*unit, "Uses Knowledge", "judge-2", "outsider", 1.0, 0.0, 1.0),
        Judgement(*other, "nice", "judge-1", "outsider", 7.0),
        Judgement(*other, "nice", "judge-2", "outsider", None),
        Judgement(*other, "nice", "judge-3", "outsider", None),
    ]


def dialog_level(key: str) -> list[dict[str, Any]]:
    turns = [("human", "Hi"), ("model", "Hello"), ("human", "Bye")]
    return [
        {
            "dialogue_id": "fed-dial_00000",
            "model": "Human",
            key: [{"speaker": speaker, "text": text} for speaker, text in turns],
            "annotations": {"Overall": [0, 4], "Error recovery": [2]},
        }
    ]


@pytest.mark.parametrize("key", ["dialog", "dialogue"])
def test_dstc10_dev_dialog_level(tmp_path: Path, key: str) -> None:
    path = write_json_file(tmp_path, "fed-dial.json", dialog_level(key))
    # the person who talks with the system called human is not that system
    assert read(path).frame.select("turn", "speaker", "system").rows() == [
        (0, "user", None),
        (1, "human", "human"),
        (2, "user", None),
    ]
    ledger, unit = Ledger(), ("fed-dial_00000", None, "human")
    assert list(DSTC10Dev().judgements(Source.of(path), ledger)) == [
        Judgement(*unit, "Overall", "judge-1", "outsider", 0.0, 0.0, 4.0),
        Judgement(*unit, "Overall", "judge-2", "outsider", 4.0, 0.0, 4.0),
        Judgement(*unit, "Error recovery", "judge-1", "outsider", 2.0, 0.0, 2.0),
    ]
    assert ledger.skip_counts == {"judgement left out of its list": 1}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"annotations": {"Overall": ["great"]}}, "a rating is neither a number nor 'not rated'"),
        ({"annotations": {"Overall": [9]}}, "the value 9 is outside its scale, 1 to 5"),
        ({"response": None}, "a row needs 'context' and 'response', or 'dialogue'"),
        ({"dialogue_id": "other_1"}, "an earlier record has the same 'dialogue_id'"),
        ({"context": 3}, "'context' must be text or null, not a whole number"),
    ],
)
def test_dstc10_dev_refuses(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([DEV[1], DEV[0] | change], indent=1))
    ledger = Ledger("skip")
    list(DSTC10Dev().judgements(Source.of(path), ledger))
    assert [reject.reason for reject in ledger.rejects] == [reason]
    assert path.read_text().splitlines()[ledger.rejects[0].place.line - 1].strip() == "{"


FED_ROWS = [
    {
        "context": "User: Hi!\nSystem: Hey: you?\nstill me\nUser: So?",
        "response": "System: So what.",
        "system": "Meena",
        "annotations": {"Engaging": [2, "N/A"], "Overall": [0]},
    },
    {
        "context": "User: Hi!\nSystem: Hey.",
        "system": "Human",
        "annotations": {"Consistent": [1, ""]},
    },
    {
        "context": "User: Hi!\nSystem: Hey.",
        "response": "System: Again.",
        "annotations": {"Overall": [3]},
    },
]


def test_fed_as_published(tmp_path: Path) -> None:
    path = write_json_file(tmp_path, "fed_data.json", FED_ROWS)
    assert read(path, system="mine").frame.select("dialog", "speaker", "system", "text").rows() == [
        ("fed_data:0", "user", None, "Hi!"),
        ("fed_data:0", "Meena", None, "Hey: you?\nstill me"),
        ("fed_data:0", "user", None, "So?"),
        ("fed_data:0", "Meena", "Meena", "So what."),
        ("fed_data:1", "user", None, "Hi!"),
        ("fed_data:1", "human", "human", "Hey."),
        ("fed_data:2", "user", None, "Hi!"),
        ("fed_data:2", "context", None, "Hey."),
        ("fed_data:2", "mine", "mine", "Again."),
    ]
    assert read_ratings(path, FED(system="mine")) == [
        Judgement("fed_data:0", 3, "Meena", "Engaging", "judge-1", "outsider", 2.0, 0.0, 2.0),
        Judgement("fed_data:0", 3, "Meena", "Engaging", "judge-2", "outsider", None, 0.0, 2.0),
        Judgement("fed_data:0", 3, "Meena", "Overall", "judge-1", "outsider", 0.0, 0.0, 4.0),
        Judgement("fed_data:1", None, "human", "Consistent", "judge-1", "outsider", 1.0, 0.0, 1.0),
        Judgement("fed_data:1", None, "human", "Consistent", "judge-2", "outsider", None, 0.0, 1.0),
        Judgement("fed_data:2", 2, "mine", "Overall", "judge-1", "outsider", 3.0, 0.0, 4.0),
    ]


def talk(number: int, thread: list[tuple[str, str, int]]) -> dict[str, Any]:
    return {
        "dialogId": number,
        "context": "A passage.",
        "users": [{"id": "Bob", "userType": "Human"}, {"id": "Alice", "userType": "Bot"}],
        "thread": [{"userId": u, "text": t, "evaluation": e, "time": 137} for u, t, e in thread],
        "evaluation": [
            {"userId": "Alice", "quality": 1, "breadth": 2, "engagement": 3},
            {"userId": "Bob", "quality": 0, "breadth": 0, "engagement": 0},
        ],
    }


CONVAI = [
    talk(7, [("Alice", "Hi", 2), ("Alice", "Hm", 1), ("Alice", "?", 0), ("Bob", "Yes", 0)]),
    talk(8, []),
]


def test_convai_dialogs(tmp_path: Path) -> None:
    path = write_json_file(tmp_path, "train_full.json", CONVAI)
    frame = read(path).frame
    assert frame.select("dialog", "turn", "speaker", "system", "text", "time").rows() == [
        ("7", 0, "Alice", "bot", "Hi\nHm\n?", None),
        ("7", 1, "Bob", "human", "Yes", None),
    ]
    assert frame["extras"].to_list() == ['{"passage":"A passage."}', None]
    ledger = Ledger()
    assert len(list(ConvAI2017().dialogs(Source.of(path), ledger))) == 1
    assert ledger.skip_counts == {"dialog without utterances": 1}


def test_convai_the_rated_is_judged_by_the_other_and_zero_is_not_rated(tmp_path: Path) -> None:
    path = write_json_file(tmp_path, "x.json", CONVAI[:1])
    bot, person = ("7", None, "Alice"), ("7", None, "Bob")
    by_person: tuple[str, JudgeKind] = ("7:Bob", "interlocutor")
    by_bot: tuple[str, JudgeKind] = ("7:Alice", "interlocutor")
    assert read_ratings(path, ConvAI2017()) == [
        Judgement(*bot, "quality", *by_person, 1.0, 1.0, 5.0),
        Judgement(*bot, "breadth", *by_person, 2.0, 1.0, 5.0),
        Judgement(*bot, "engagement", *by_person, 3.0, 1.0, 5.0),
        Judgement(*person, "quality", *by_bot, None, 1.0, 5.0),
        Judgement(*person, "breadth", *by_bot, None, 1.0, 5.0),
        Judgement(*person, "engagement", *by_bot, None, 1.0, 5.0),
        # thumbs up (2) and down (1), the third utterance has none
        Judgement("7", 0, "Alice", "liked", *by_person, 1.5, 1.0, 2.0),
        Judgement("7", 1, "Bob", "liked", *by_bot, None, 1.0, 2.0),
    ]


def test_convai_zero_as_the_engagement_paper_reads_it(tmp_path: Path) -> None:
    judgements = read_ratings(
        write_json_file(tmp_path, "x.json", CONVAI[:1]), ConvAI2017(zero="rating")
    )
    assert [j.value for j in judgements] == [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    assert {(j.scale_min, j.scale_max) for j in judgements} == {(0.0, 5.0), (0.0, 2.0)}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"users": []}, "a conversation needs two users with different ids"),
        (
            {"thread": [{"userId": "Eve", "text": "x", "evaluation": 0}]},
            "a userId is not one of the conversation's users",
        ),
        (
            {"evaluation": [{"userId": "Bob", "quality": 1, "breadth": 1, "engagement": 1}] * 2},
            "a userId is rated twice",
        ),
        ({"dialogId": 7}, "an earlier record has the same 'dialogId'"),
        (
            {"evaluation": [{"userId": "Bob", "quality": 6, "breadth": 1, "engagement": 1}]},
            "the value 6 is outside its scale, 1 to 5",
        ),
    ],
)
def test_convai_refuses(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    path = tmp_path / "x.json"
    write_json_file(tmp_path, "x.json", [CONVAI[0], talk(9, []) | change])
    with pytest.raises(DataError) as error:
        read_ratings(path, ConvAI2017())
    assert str(error.value) == f"{path}:1: {reason}"


def test_numbers_of_turns_are_those_of_the_turn_table() -> None:
    assert turn_numbers(["a", "a", "b", "a", "a"]) == [0, 0, 1, 2, 2]
    assert turn_numbers([]) == []
    assert [speaker for speaker, _ in alternate_speakers(["x", "y"])] == ["context-b", "context-a"]


def test_judgements_of_a_benchmark_join_its_turns(tmp_path: Path) -> None:
    for name, content in [("a", TEST), ("b", DEV), ("c", FED_ROWS), ("d", CONVAI[:1])]:
        path = write_json_file(tmp_path, f"{name}.json", content)
        gold = read_judgements(path).gold().filter(pl.col("turn").is_not_null())
        keys = ["dialog", "turn", "speaker"]
        assert gold.join(read(path).frame, on=keys, how="anti").is_empty()


DSTC10_TEST: dict[str, Any] = {
    "dstc10-topical_clean_eval-addrank": (4_500, 4, (1.0, 5.0)),
    "dstc10-persona_clean_eval-addrank": (4_829, 4, (1.0, 5.0)),
    # nothing above 3, and 170 of 741 exactly 3: not the 1 to 5 of the other sets
    "jsalt_eval-addrank": (741, 1, (None, None)),
    "esl_eval-addrank": (1_242, 1, (0.0, 1.0)),
    "ncm_eval-addrank": (2_461, 1, (0.0, 1.0)),
}


@pytest.mark.parametrize("name", DSTC10_TEST)
def test_real_dstc10_test(name: str) -> None:
    path = real(f"dstc10-test/{name}.json")
    n, qualities, scale = DSTC10_TEST[name]
    turns, judgements = read(path), read_judgements(path).frame
    assert turns.scored.sum() == n
    assert turns.frame["dialog"].n_unique() == n
    assert judgements.height == n * qualities
    assert set(judgements.select("scale_min", "scale_max").rows()) == {scale}
    answers = turns.frame.filter(pl.col("system").is_not_null())
    keys = ["dialog", "turn", "speaker"]
    assert judgements.join(answers, on=keys, how="semi").height == judgements.height
    assert answers["answers"].null_count() == 0


def test_dstc10_test_has_13773_rows() -> None:
    assert sum(n for n, *_ in DSTC10_TEST.values()) == 13_773


DSTC10_DEV = {  # dialogs, judgements, of which qualities left out of a row's list
    "dailydialog-zhao": (900, 14_400, 0),
    "persona-zhao": (900, 3_600, 0),
    "dailydialog-gupta": (500, 500, 0),
    "topical-usr": (360, 6_480, 0),
    "persona-usr": (300, 5_400, 0),
    "fed-turn": (375, 16_863, 12),
    "fed-dial": (125, 6_720, 155),
}


@pytest.mark.parametrize("name", DSTC10_DEV)
def test_real_dstc10_dev(name: str) -> None:
    path, ledger = real(f"dstc10-dev/{name}_eval.json"), Ledger()
    turns, ratings = read(path), read_judgements(path, ledger=ledger)
    dialogs, judgements, left_out = DSTC10_DEV[name]
    assert turns.frame["dialog"].n_unique() == dialogs
    assert len(ratings) == judgements
    assert ledger.skip_counts.total() == left_out
    assert ratings.frame.select("value", "scale_min", "scale_max").null_count().row(0) == (0, 0, 0)
    scored = turns.frame.filter(pl.col("system").is_not_null())
    keys = ["dialog", "speaker"] if name == "fed-dial" else ["dialog", "turn", "speaker"]
    assert ratings.frame.join(scored, on=keys, how="semi").height == judgements


def test_real_fed_systems() -> None:
    frame = read(real("dstc10-dev/fed-dial_eval.json")).frame.drop_nulls("system")
    per_system = frame.group_by("system").agg(pl.col("dialog").n_unique()).sort("system")
    assert per_system.rows() == [("Meena", 40), ("Mitsuku", 44), ("human", 41)]


def test_real_convai_dialogs() -> None:
    source, ledger = Source.of(real("convai2017/train_full.json")), Ledger()
    reader = pick_reader(source)
    assert reader.name == "convai2017"
    dialogs = list(reader.dialogs(source, ledger))
    assert len(dialogs) + ledger.skip_counts["dialog without utterances"] == 2_778
    assert ledger.skip_counts == {"dialog without utterances": 119}
    # in 466 of the 2,337 dialogs with a bot the bot never says a word; 424 + 466 = 890
    kinds = Counter(any(u.system == "bot" for u in dialog) for dialog in dialogs)
    assert kinds == {True: 1_769, False: 890}


def test_real_convai_judgements() -> None:
    judgements = read_judgements(real("convai2017/train_full.json"))
    rows = judgements.frame.filter(quality="engagement")
    assert rows.height == 2 * 2_778
    # one entry of each of the 2,337 human-bot dialogs is empty, none of the 441 human-human ones
    assert rows["value"].null_count() == 2_337
    per_dialog = rows.group_by("dialog").agg(pl.col("value").count())["value"]
    assert Counter(per_dialog) == {1: 2_337, 2: 441}
    assert (judgements.frame["value"] == 0).sum() == 0
    assert judgements.frame["value"].drop_nulls().is_between(1, 5).all()


def test_real_convai_counts_of_the_engagement_paper() -> None:
    """Table 1 of the paper, first row: 1,690 / 21 / 81 / 47 / 147 / 63 conversations.

    Its rule: conversations in which both sides speak, without the 50 that its crowd workers
    rated; the score is what stands under the people's ids, zero taken as a rating; two people's
    scores are averaged and rounded half to even.
    """
    lines = real("predictive-engagement/50convs_AMT.txt").read_text().splitlines()
    path = real("convai2017/train_full.json")
    talks = read(path).frame
    both = talks.group_by("dialog").agg(pl.col("speaker").n_unique()).filter(pl.col("speaker") == 2)
    people = talks.filter(system="human").select("dialog", "speaker").unique()
    reader = ConvAI2017(zero="rating")
    scores = (
        Judgements.of(reader.judgements(Source.of(path), Ledger()))
        .frame.filter(quality="engagement")
        .join(people, on=["dialog", "speaker"], how="semi")
        .join(both, on="dialog", how="semi")
        .filter(~pl.col("dialog").is_in([line.split("\t")[0] for line in lines]))
        .group_by("dialog")
        .agg(pl.col("value").mean())["value"]
    )
    counts = Counter(round(score) for score in scores)
    assert counts == {0: 1_690, 1: 21, 2: 81, 3: 47, 4: 147, 5: 63}

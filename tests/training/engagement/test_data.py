"""Exchanges: both readings of ConvAI, Ji et al., tables, honest splits, whole sentences."""

import json
from dataclasses import replace

import numpy as np
import pytest

from simpatico.errors import BadValue, DataError
from simpatico.training.engagement.data import (
    ExchangeReader,
    read_convai,
    read_dialog_list,
    read_ji,
)
from simpatico.training.engagement.exchanges import (
    Exchanges,
    join_exchanges,
    read_exchange_table,
    split_exchanges,
)


def talk(number, kinds, ratings, said):
    """A conversation of ConvAI between Alice and Bob; `said` names who says each utterance."""
    names = {"a": "Alice", "b": "Bob"}
    users = [{"id": n, "userType": k} for n, k in zip(names.values(), kinds, strict=True)]
    inputs = [
        {"userId": n, "quality": 1, "breadth": 1, "engagement": r}
        for n, r in zip(names.values(), ratings, strict=True)
    ]
    thread = [
        {"userId": names[who], "text": f"{who}{at}", "evaluation": 0} for at, who in enumerate(said)
    ]
    return {"dialogId": number, "users": users, "thread": thread, "evaluation": inputs}


TALKS = [
    talk(1, ("Human", "Bot"), (0, 4), "abaab"),
    talk(2, ("Human", "Human"), (5, 2), "abab"),
    talk(3, ("Human", "Human"), (3, 2), "baba"),
    talk(4, ("Bot", "Human"), (5, 0), "a"),
]


def written(folder, talks):
    path = folder / "convai.json"
    path.write_text(json.dumps(talks))
    return path


def rows(found):
    columns = found.dialog, found.query, found.reply, found.rating.tolist(), found.label.tolist()
    return list(zip(*columns, strict=True))


def test_convai_as_rated(tmp_path):
    """1: the bot Bob got 4, Alice none; its turns b1 and b4 answer a0, and a2 with a3 (one turn).
    2: Alice got 5, Bob 2. 3: Alice got 3, Bob 2; Bob's first turn answers nothing."""
    result = read_convai(written(tmp_path, TALKS), "rated")
    assert rows(result) == [
        ("1", "a0", "b1", 4, 1),
        ("1", "a2\na3", "b4", 4, 1),
        ("2", "a0", "b1", 2, 0),
        ("2", "b1", "a2", 5, 1),
        ("2", "a2", "b3", 2, 0),
        ("3", "b0", "a1", 3, 1),
        ("3", "a1", "b2", 2, 0),
        ("3", "b2", "a3", 3, 1),
    ]
    assert result.kind == ["human-bot"] * 2 + ["human-human"] * 6
    assert result.share_between_people == 3 / 5


def test_convai_as_the_paper_read_it(tmp_path):
    """1: 0 under the person's id, so turns 1 and 2, 3 and 4 are pairs. 2: (5 + 2) / 2 = 3.5, to the
    even 4, which is engaging, so every turn with the one before. 3: (3 + 2) / 2 = 2.5, to 2."""
    result = read_convai(written(tmp_path, TALKS), "paper")
    assert rows(result) == [
        ("1", "a0", "b1", 0, 0),
        ("1", "a2\na3", "b4", 0, 0),
        ("2", "a0", "b1", 4, 1),
        ("2", "b1", "a2", 4, 1),
        ("2", "a2", "b3", 4, 1),
        ("3", "b0", "a1", 2, 0),
        ("3", "b2", "a3", 2, 0),
    ]
    assert result.share_between_people == 1.0


def test_convai_with_thumbs(tmp_path):
    """b1 got a thumb up; of a2 and a3, one turn, one up and one down: left out; b4 one down, and
    a0, though up, answers nothing. The rated exchanges stay as they are, in front."""
    talks = [dict(one, thread=[dict(said) for said in one["thread"]]) for one in TALKS[:1]]
    for said, thumb in zip(talks[0]["thread"], (2, 2, 2, 1, 1), strict=True):
        said["evaluation"] = thumb
    path = written(tmp_path, talks)
    result = read_convai(path, thumbs=True)
    assert rows(result)[:2] == rows(read_convai(path))
    assert rows(result)[2:] == [("1", "a0", "b1", 2, 1), ("1", "a2\na3", "b4", 1, 0)]
    assert result.origin == ["convai.json, rating above 2"] * 2 + ["convai.json, thumbs up"] * 2
    assert result.group == ["1"] * 4
    again = ExchangeReader("paper", threshold=0, thumbs=True).read(path)
    assert again.origin[::2] == ["convai.json, rating above 0", "convai.json, thumbs up"]


def test_dialogs_that_are_named_are_left_out(tmp_path):
    (tmp_path / "apart.txt").write_text("2\tmore\n\n3\n")
    apart = read_dialog_list(tmp_path / "apart.txt")
    assert apart == {"2", "3"}
    assert set(read_convai(written(tmp_path, TALKS), without=apart).dialog) == {"1"}
    with pytest.raises(DataError) as told:
        read_dialog_list(tmp_path)
    assert str(told.value) == f"{tmp_path}: not a text file with one dialog per line"


def sitting(*ratings, worker="w", models=("A", "QualityControl", "B")):
    """A sitting of a dialog for each pair of ratings, interesting and fun."""
    said = [{"round": 1, "user": "hi", "bot": "hello"}, {"round": 2, "user": "so", "bot": "yes"}]
    data = [
        {"model": model, "dialogue": said, "raw scores": {"interesting": interesting, "fun": fun}}
        for model, (interesting, fun) in zip(models, ratings, strict=False)
    ]
    return {"AssignmentId": "s", "WorkerId": worker, "HITId": "h", "data": data}


def test_ji(tmp_path):
    """w's mean is (90 + 0 + 30) / 3 = 40, over the control too, which is left out; 90 is above and
    30 below. x's mean is 10, which its first dialog
    equals. Of fun, w's mean is (50 + 50 + 20) / 3 = 40, and all of x's dialogs equal the mean."""
    rated = sitting((90, 50), (0, 50), (30, 20)), sitting((10, 7), (9, 7), (11, 7), worker="x")
    (tmp_path / "pass_x.json").write_text(json.dumps(rated))
    (tmp_path / "fail_x.json").write_text(json.dumps([sitting((1, 1))]))
    result = read_ji(tmp_path)
    assert rows(result)[::2] == [
        ("w/s/0", "hi", "hello", 90, 1),
        ("w/s/2", "hi", "hello", 30, 0),
        ("x/s/2", "hi", "hello", 11, 1),
    ]
    assert result.kind == ["human-bot"] * 6
    assert result.group == ["w"] * 4 + ["x"] * 2
    assert set(result.origin) == {f"{tmp_path.name}, interesting above the worker's mean"}
    assert read_ji(tmp_path, control=True).label.tolist() == [1, 1, 0, 0, 0, 0, 0, 0, 1, 1]
    assert read_ji(tmp_path, "fun").label.tolist() == [1, 1, 0, 0]
    result = read_ji(tmp_path, threshold=10)
    assert result.label.tolist() == [1, 1, 1, 1, 0, 0, 1, 1]
    assert set(result.origin) == {f"{tmp_path.name}, interesting above 10"}
    assert read_ji(tmp_path / "fail_x.json", threshold=0).rating.tolist() == [1, 1]
    assert len(read_ji(tmp_path / "fail_x.json")) == 0
    (tmp_path / "pass_x.json").write_text("[1]")
    with pytest.raises(DataError) as told:
        read_ji(tmp_path)
    assert str(told.value).startswith(f"{tmp_path / 'pass_x.json'}: not ratings of Ji et al.: ")
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError) as told:
        read_ji(tmp_path / "none")
    assert str(told.value) == (
        f"{tmp_path / 'none'}: no pass_*.json in it; give the folder of Ji et al. or a file"
    )


def test_a_table_with_labels_and_one_with_ratings(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('id,query,reply,label\n1," hi\n",hello,1\n2,so,yes,0\n3,hi,well,0.0\n')
    result = read_exchange_table(path)
    assert rows(result) == [
        ("hi", "hi", "hello", 1, 1),
        ("so", "so", "yes", 0, 0),
        ("hi", "hi", "well", 0, 0),
    ]
    assert (result.dialogs, result.share_between_people, result.source) == (2, None, "x.csv")
    path = tmp_path / "x.jsonl"
    lines = [{"query": "a", "reply": "b", "rating": r, "dialog": d} for r, d in ((2, 1), (2.5, 1))]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert rows(read_exchange_table(path)) == [("1", "a", "b", 2, 0), ("1", "a", "b", 2.5, 1)]
    assert read_exchange_table(path, threshold=2.5).label.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("text,reply,label\na,b,1\n", ":1: no column 'query' among the 3 of the header"),
        (
            "query,reply,score\na,b,1\n",
            ":2: neither 'label' nor 'rating'; every exchange needs one of them",
        ),
        (
            "query,reply,label\na,b,nan\n",
            ":2: 'label' is not a finite number; leave out exchanges without a label",
        ),
        (
            "query,reply,label\na,b,\n",
            ":2: 'label' is not a finite number; leave out exchanges without a label",
        ),
        ("query,reply,label\na,b,2\n", ":2: label 2; give 1 for engaging or 0"),
        (
            "query,reply,rating\na,b,inf\n",
            ":2: 'rating' is not a finite number; leave out exchanges without a rating",
        ),
        (
            'query,reply,label\na,"  ",1\n',
            ":2: 'reply' has no text; leave out exchanges without words",
        ),
        (
            "query,reply,label,dialog\na,b,1,\n",
            ":2: 'dialog' is empty; name the dialog of each exchange",
        ),
        (
            "query,reply,label\n",
            ": no exchange in it; give rows of query, reply and label",
        ),
        ('{"query": "a", "label": 1}\n', ":1: no 'reply'; every row needs query and reply"),
    ],
)
def test_complaints_are_whole_sentences(content, sentence, tmp_path):
    path = tmp_path / ("x.jsonl" if content.startswith("{") else "x.csv")
    path.write_text(content)
    with pytest.raises(DataError) as told:
        read_exchange_table(path)
    assert str(told.value) == f"{path}{sentence}"


def made(n, *, every=3):
    """`n` dialogs of two exchanges each, one dialog in `every` engaging."""
    dialog = [f"d{at // 2}" for at in range(2 * n)]
    label = np.array([at // 2 % every == 0 for at in range(2 * n)], np.int64)
    texts = [f"t{at}" for at in range(2 * n)]
    return Exchanges("made up", dialog, texts, texts, label.astype(float), label, [""] * 2 * n)


def test_no_dialog_is_on_two_sides_and_both_labels_are_on_each():
    """30 dialogs, 10 of them engaging: 6, 2 and 2 of those, and 12, 4 and 4 of the others."""
    inputs = made(30)
    sides = split_exchanges(inputs, seed=3)
    assert [side.dialogs for side in sides] == [18, 6, 6]
    assert [int(side.label.sum()) for side in sides] == [12, 4, 4]
    assert len({*sides[0].dialog} | {*sides[1].dialog} | {*sides[2].dialog}) == 30
    again, other = split_exchanges(inputs, seed=3), split_exchanges(inputs, seed=4)
    assert [side.dialog for side in again] == [side.dialog for side in sides]
    assert other[0].dialog != sides[0].dialog
    with pytest.raises(BadValue) as told:
        split_exchanges(inputs, (0.5, 0.4), seed=0)
    assert str(told.value) == (
        "shares (0.5, 0.4) do not add up to 1; give shares such as (0.6, 0.2, 0.2)"
    )


def test_all_of_a_rater_are_on_one_side_and_each_origin_on_every_side():
    """30 dialogs of 10 raters and 10 of their own: 6, 2 and 2 raters, and 6, 2 and 2 dialogs."""
    raters = replace(made(30), group=[f"w{at // 2 % 10}" for at in range(60)])
    alone = replace(made(10, every=1), origin=["other"] * 20)
    sides = split_exchanges(join_exchanges([raters, alone]), seed=0)
    groups = [{*side.group} for side in sides]
    assert [len({g for g in some if g.startswith("0/w")}) for some in groups] == [6, 2, 2]
    assert [len({g for g in some if g.startswith("1/d")}) for some in groups] == [6, 2, 2]
    assert len(set.union(*groups)) == 20
    assert [side.dialogs for side in sides] == [24, 8, 8]
    assert set(sides[1].origin) == {"made up", "other"}


def test_dialogs_of_two_files_are_kept_apart():
    one = made(2)
    both = join_exchanges([one, one])
    assert (len(both), both.dialogs, both.source) == (8, 4, "made up and made up")
    assert both.group == both.dialog
    assert join_exchanges([one]) is one


def test_what_a_file_is_tells_how_it_is_read(tmp_path):
    taken = ExchangeReader("paper", frozenset({"1"}), threshold=4)
    assert rows(taken.read(written(tmp_path, TALKS)))[:1] == [("2", "a0", "b1", 4, 0)]
    (tmp_path / "pass_x.json").write_text(json.dumps([sitting((51, 3), (9, 9))]))
    assert ExchangeReader(quality="fun").read(tmp_path).rating.tolist() == [3, 3]
    assert ExchangeReader(control=True).read(tmp_path / "pass_x.json").label.tolist() == [
        1,
        1,
        0,
        0,
    ]
    assert ExchangeReader(threshold=51).read(tmp_path / "pass_x.json").label.tolist() == [0, 0]
    (tmp_path / "x.csv").write_text("query,reply,rating\na,b,2\na,c,3\n")
    assert ExchangeReader().read(tmp_path / "x.csv").label.tolist() == [0, 1]

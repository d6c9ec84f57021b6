"""Who answered under which name, dialogs without times, and what a log's end leaves open."""

import json
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl

from simpatico import Turns, read
from simpatico.training.users.continuity.data import Filters, addressed_contexts, reply_examples
from simpatico.training.users.continuity.outcomes import Window, reply_outcomes
from simpatico.training.users.splits import TRAIN_ON_ALL
from tests.training.users.logs import START, frame

MANY = Filters(repeated=1)


def chats(path, *rows):
    """Chats of users who have an id, and a word for each message."""
    with path.open("w", encoding="utf-8") as file:
        for at, (user, first, words) in enumerate(rows):
            roles = ("user", "assistant") if first == "user" else ("assistant", "user")
            said = [{"role": roles[n % 2], "content": f"word {n}"} for n in range(words)]
            file.write(json.dumps({"id": f"c{at}", "user": user, "messages": said}) + "\n")
    return read(path)


def replies(turns):
    """Of each turn of the assistant: whom it is said to, and whether they answered."""
    contexts = addressed_contexts(turns)
    outcomes = reply_outcomes(turns, contexts.row, contexts.user, Window())
    speaker = turns.frame["speaker"].gather(contexts.row).to_list()
    rows = zip(speaker, outcomes.user, outcomes.has_reply.tolist(), strict=True)
    return [(user, has_reply) for by, user, has_reply in rows if by == "assistant"]


def test_users_with_an_id_answer_as_the_one_who_spoke(tmp_path):
    """u7 says 3 of 5 messages: both of the assistant are answered. u8's last is not."""
    result = replies(chats(tmp_path / "chat.jsonl", ("u7", "user", 5), ("u8", "user", 4)))
    assert result == [("u7", True), ("u7", True), ("u8", True), ("u8", False)]


def test_a_greeting_is_answered_by_whoever_answers_it(tmp_path):
    """It answers nobody, so that nothing tells which speaker u7 is; u8 says nothing at all."""
    result = replies(chats(tmp_path / "chat.jsonl", ("u7", "assistant", 3), ("u8", "assistant", 1)))
    assert result == [("u7", True), ("u7", False), ("u8", False)]


def test_a_name_in_the_dialog_is_waited_for():
    """bob answers ann and says it to eve: ann's next words are none of eve's."""
    rows = {
        "dialog": ["d"] * 4,
        "speaker": ["eve", "ann", "bob", "ann"],
        "text": ["so", "why", "because", "oh"],
        "interlocutor": [None, None, "eve", None],
    }
    turns = Turns.from_utterances(pl.DataFrame(rows))
    assert not reply_outcomes(turns, np.array([2]), ["eve"], Window()).has_reply.any()
    assert reply_outcomes(turns, np.array([2]), ["u1"], Window()).has_reply.all()


def partly_timed(timeless):
    """Ten dialogs of two, a day apart; of some of them nobody knows when they were."""
    start = datetime(2020, 1, 1, tzinfo=UTC)
    rows = [
        (f"d{d}", "ab"[t % 2] * 2, f"x{d}{t}", start + timedelta(days=d, minutes=t))
        for d in range(10)
        for t in range(4)
    ]
    table = pl.DataFrame(rows, schema=["dialog", "speaker", "text", "time"], orient="row")
    gone = pl.col("dialog").is_in([f"d{n}" for n in timeless])
    return Turns.from_utterances(
        table.with_columns(time=pl.when(gone).then(None).otherwise("time"))
    )


def dialogs(found):
    return [sorted(set(found.outcomes.dialog[side].tolist())) for side in found.split[:3]]


def test_dialogs_without_a_time_are_on_no_side():
    """d0 and d1 have none. Of the 24 turns of the others 80% and 90% begin by d8 and d9; those
    of d8 are open at the first cut, with a limit or without."""
    turns = partly_timed([0, 1])
    for window in (Window(), Window(None)):
        result = reply_examples(turns, window=window, filters=MANY)
        assert dialogs(result)[0] == [2, 3, 4, 5, 6, 7]
        assert dialogs(result)[2] == [9]
        assert result.split.excluded["without a time"] == 6
        going_on = reply_examples(turns, window=window, by=TRAIN_ON_ALL, filters=MANY)
        assert dialogs(going_on) == [[2, 3, 4, 5, 6, 7, 8, 9], [], []]


def test_of_a_persons_dialogs_those_without_a_time_are_not_the_latest():
    result = reply_examples(partly_timed([0, 1]), window=Window(), by="person", filters=MANY)
    assert dialogs(result) == [[2, 3, 4, 5, 6, 7], [8], [9]]
    assert result.split.excluded["without a time"] == 6
    without = reply_examples(partly_timed(range(10)), window=Window(), by="person", filters=MANY)
    assert dialogs(without) == [[0, 1, 2, 3, 4, 5, 6, 7], [8], [9]], "as they follow each other"
    assert without.split.excluded["without a time"] == 0


def test_silence_at_the_end_of_the_log_is_counted():
    """The last turn of each day has no answer. After that of the last day there is no log at all,
    less than 3 minutes; after the others there is. With a minute to be left it is left out."""
    turns = partly_timed([])
    for window, n in ((Window(3), 1), (Window(3, 1), 0), (Window(None), 0)):
        result = reply_examples(turns, window=window, by=TRAIN_ON_ALL, filters=MANY)
        assert result.count_unfinished(result.split.train) == n
    nowhen = reply_examples(partly_timed(range(10)), window=Window(), by=TRAIN_ON_ALL, filters=MANY)
    assert nowhen.count_unfinished(nowhen.split.train) == 0


def test_the_command_line_tells_of_a_log_that_ends(call, tmp_path):
    """p0 asks an hour after all others, is helped at once, and there is no more of the log."""
    end = START + timedelta(hours=100)
    last = [("z", "p0", None, "and this?", end), ("z", "helper", "human", "look there", end)]
    table = pl.concat([frame(100), pl.DataFrame(last, frame(1).schema, orient="row")])
    data, out = tmp_path / "log.csv", tmp_path / "m"
    table.with_columns(pl.col("time").dt.strftime("%Y-%m-%dT%H:%M:%SZ")).write_csv(data)
    told = ["train", "continuity", "--data", data, "--out"]
    tail = (
        "less than 30 minutes of log afterwards and counts as no reply; exclude such turns with "
        "--min-remaining"
    )
    code, _, err = call(*told, out)
    assert code == 0, err
    assert f"1 turn of the test set has {tail}\n" in err
    code, _, err = call(*told, tmp_path / "later", "--continue", f"path:{out}")
    assert code == 0, err
    assert f"1 new turn has {tail}\n" in err
    code, _, err = call(*told, tmp_path / "ever", "--minutes", "0")
    assert code == 0, err
    assert "of log afterwards" not in err
    assert "--minutes is now --reply-within\n" in err

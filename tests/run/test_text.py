"""What a run keeps for the report: the conversations, and how each metric was made."""

import json
import stat
from dataclasses import dataclass
from math import inf
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico import Conversations, Run, load, read, score_run
from simpatico.errors import DataError, UnknownName
from simpatico.features.emotions import EMOTIONS
from simpatico.metrics.emotional_entropy import EmotionalEntropy
from simpatico.run.description import metric_parameters
from simpatico.turns import Turns
from tests.command_line import simpatico

ROWS = [
    ("d1", "ann", None, None, "I am sad"),
    ("d1", "bot", "bot-a", None, "Oh no,\nwhy? 😭"),
    ("d1", "ann", None, None, ""),
    ("d1", "bot", "bot-a", None, "I see"),
    ("d2", "bot", "bot-b", "p", "We love the dog"),
    ("d2", "ann", None, "p", "you never do"),
    ("d2", "cyd", None, "p", "=cmd and joy"),
    ("d2", "bot", "bot-b", "p", "but I fear it"),
    ("d3", "bot", "bot-a", None, "alone"),
]


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.parquet"
    names = ["dialog", "speaker", "system", "prompt", "text"]
    pl.DataFrame(ROWS, schema=dict.fromkeys(names, pl.String), orient="row").write_parquet(path)
    return path


def scored(path: Path, out: Path, *metrics, **options) -> Run:
    selection = metrics or (load("emotional_entropy"), load("style_matching"))
    return score_run(Conversations((path,)), selection, out, **options)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_turn_is_kept_in_order_context_too(talk, tmp_path):
    scored(talk, tmp_path / "run", chunk=3)
    frame = pl.read_parquet(tmp_path / "run" / "text.parquet")
    assert frame.schema == {
        "dialog": pl.String,
        "turn": pl.Int32,
        "speaker": pl.String,
        "system": pl.String,
        "text": pl.String,
        "answers": pl.Int32,
        "prompt": pl.String,
    }
    assert frame.equals(read(talk).frame.select(frame.columns))
    assert frame["text"].to_list() == [row[-1] for row in ROWS]
    assert frame["answers"].to_list() == [None, 0, 1, 2, None, 0, 1, 2, None]


def test_the_turns_of_some_dialogs_score_as_in_the_run(talk, tmp_path):
    from simpatico import score

    run, frame = scored(talk, tmp_path / "run"), read(talk).frame
    turns = run.turns(["d2", "d1", "d2", "unknown"])
    assert isinstance(turns, Turns)
    assert turns.frame.equals(frame.filter(pl.col("dialog") != "d3"))
    assert turns.answered.tolist() == [-1, 0, 1, 2, -1, 4, 5, 6]
    metrics = [load("emotional_entropy"), load("style_matching")]
    again = score(turns, metrics).at("dialog")
    assert again.equals(run.at("dialog").filter(pl.col("dialog") != "d3"))


def test_no_dialog_gives_no_turn(talk, tmp_path):
    turns = scored(talk, tmp_path / "run").turns([])
    assert turns is not None
    assert turns.frame.equals(read(talk).frame.clear())


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Forty dialogs in a Parquet file, and a run of them in parts."""
    folder = tmp_path_factory.mktemp("many")
    frame = pl.DataFrame(
        [{"dialog": f"d{n // 6}", "speaker": "ab"[n % 2], "text": f"I {n}"} for n in range(240)]
    )
    frame.write_parquet(folder / "many.parquet")
    run = scored(folder / "many.parquet", folder / "run", load("style_matching"), chunk=50)
    return run, read(folder / "many.parquet").frame


@given(dialogs=st.lists(st.sampled_from([f"d{n}" for n in range(40)]), max_size=12))
def test_turns_reads_these_dialogs_and_no_other(many, dialogs):
    run, frame = many
    turns = run.turns(iter(dialogs))
    assert turns is not None
    assert turns.frame.equals(frame.filter(pl.col("dialog").is_in(dialogs)))


def test_text_is_for_its_owner_only_while_and_after_it_is_written(talk, tmp_path, monkeypatch):
    modes = []
    real = Path.replace

    def record_mode(self, target):
        if ".text." in self.name:
            modes.append((self.name.partition(".text")[0], mode(self)))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", record_mode)
    run = scored(talk, tmp_path / "run", chunk=3)
    assert mode(run.folder / "text.parquet") == 0o600
    assert {m for _, m in modes} == {0o600}
    assert len(modes) == 3  # two parts, and the joined table


def test_without_text_the_scores_are_the_same_and_no_word_is_kept(talk, tmp_path):
    run = scored(talk, tmp_path / "run", keep_text=False)
    other = scored(talk, tmp_path / "other")
    assert sorted(p.name for p in run.folder.iterdir()) == [
        "dialog.parquet",
        "run.json",
        "system.parquet",
        "turn.parquet",
    ]
    for level in ("turn", "dialog", "system"):
        table = f"{level}.parquet"
        assert (run.folder / table).read_bytes() == (other.folder / table).read_bytes()
    assert run.facts["text"] is False
    assert run.turns(["d1"]) is None


def test_a_run_whose_text_was_deleted_or_never_kept_still_opens(talk, tmp_path):
    run = scored(talk, tmp_path / "run")
    (run.folder / "text.parquet").unlink()
    assert run.turns(["d1"]) is None
    assert run.at("dialog").height == 3


def test_an_unfinished_run_gives_no_turns(tmp_path):
    with pytest.raises(DataError, match="is not a run folder"):
        Run(tmp_path).turns(["d1"])


def test_the_command_leaves_the_text_out(talk, tmp_path):
    out = tmp_path / "run"
    done = simpatico("score", talk, "--out", out, "--metrics", "style_matching", "--no-text")
    assert done.returncode == 0, done.stderr
    assert not (out / "text.parquet").exists()
    assert Run(out).facts["text"] is False


def test_only_the_columns_that_were_asked_for(talk, tmp_path):
    run = scored(talk, tmp_path / "run")
    names = ["style_matching", "dialog"]
    assert run.at("dialog", names).equals(run.at("dialog").select(names))
    with pytest.raises(UnknownName) as error:
        run.at("dialog", ["style_matchin"])
    assert str(error.value) == (
        f"no column 'style_matchin' in {run.folder / 'dialog.parquet'}; "
        "did you mean 'style_matching' or 'style_matching_prep' or 'style_matching_null'?"
    )


def words(path: Path, *, weight: int = 1) -> Path:
    lines = [f"{w},{e},{weight}" for e in EMOTIONS for w in ("joy", "love")]
    path.write_text("term,category,weight\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def own(talk, tmp_path) -> tuple[Run, Path]:
    """A run with a lexicon of the user's own, and where that lies."""
    lexicon = words(tmp_path / "mine.csv")
    metric = load("emotional_entropy", lexicon=str(lexicon), base=4.0)
    return scored(talk, tmp_path / "own", metric), lexicon


def test_run_json_keeps_the_parameters_beside_what_the_key_is_of(own):
    run, lexicon = own
    facts = run.facts["metrics"]["emotional_entropy"]
    assert facts["parameters"] == {
        "lexicon": str(lexicon),
        "emotions": "lexicon",
        "base": 4.0,
        "normalised": False,
    }


def test_the_path_of_a_lexicon_is_not_part_of_the_key(talk, tmp_path):
    (tmp_path / "there").mkdir()
    places = [words(tmp_path / "mine.csv"), words(tmp_path / "there" / "mine.csv")]
    metrics = [load("emotional_entropy", lexicon=str(place)) for place in places]
    keys = {scored(talk, tmp_path / f"run{i}", m).facts["key"] for i, m in enumerate(metrics)}
    assert len(keys) == 1


def test_a_metric_comes_back_with_its_parameters(own):
    run, lexicon = own
    assert run.metric("emotional_entropy") == EmotionalEntropy(lexicon=str(lexicon), base=4.0)


def test_a_metric_of_defaults_comes_back_in_another_run_folder(talk, tmp_path):
    run = scored(talk, tmp_path / "run")
    assert run.metric("style_matching") == load("style_matching")


def test_another_name_is_refused(own):
    with pytest.raises(UnknownName, match=r"no metric 'emotional_entrop' in .*did you mean"):
        own[0].metric("emotional_entrop")


def test_a_changed_lexicon_is_told(own):
    run, lexicon = own
    words(lexicon, weight=22)
    assert run.metric("emotional_entropy") == (
        "its word list or model is not what it was when the run was scored "
        "(emotional_entropy.lexicon is 'mine.csv')"
    )


def test_a_lexicon_that_is_gone_or_damaged_is_told(own):
    run, lexicon = own
    sentence = (
        "its word list or model is missing or damaged (emotional_entropy.lexicon is 'mine.csv')"
    )
    lexicon.write_text("nothing of the kind")
    assert run.metric("emotional_entropy") == sentence
    lexicon.unlink()
    assert run.metric("emotional_entropy") == sentence


def retold(run: Run, name: str, **changes: object) -> None:
    """The run as if `run.json` had told something else of a metric."""
    facts = run.facts
    facts["metrics"] = {name: {**next(iter(facts["metrics"].values())), **changes}}
    (run.folder / "run.json").write_text(json.dumps(facts))


def test_a_model_that_is_gone_is_told(own):
    retold(own[0], "empathy", parameters={"model": "far/away", "minimum_words": 20})
    assert own[0].metric("empathy") == (
        "its word list or model is missing or damaged (empathy.model is 'away')"
    )


def test_a_metric_that_is_not_installed_is_told(own):
    retold(own[0], "hedging")
    assert own[0].metric("hedging") == "it is not installed here"


def test_another_version_is_told(own):
    run, _ = own
    signature = run.facts["metrics"]["emotional_entropy"]["signature"]
    retold(run, "emotional_entropy", signature=signature.rpartition("|")[0] + "|version:0.0.1")
    assert run.metric("emotional_entropy") == "the run was scored with another version of simpatico"


def test_a_parameter_that_no_longer_exists_is_told(own):
    retold(own[0], "emotional_entropy", parameters={"tense": 1})
    assert own[0].metric("emotional_entropy") == (
        "it cannot be built again: emotional_entropy has no parameter 'tense'; "
        "it has lexicon, emotions, base, normalised"
    )


def test_a_run_without_parameters_gives_a_metric_only_if_it_was_of_defaults(talk, tmp_path, own):
    run = scored(talk, tmp_path / "run", load("style_matching"))
    entry = run.facts["metrics"]["style_matching"]
    del entry["parameters"]
    facts = {**run.facts, "metrics": {"style_matching": entry}}
    (run.folder / "run.json").write_text(json.dumps(facts))
    assert run.metric("style_matching") == load("style_matching")
    retold(own[0], "emotional_entropy", parameters={})
    assert own[0].metric("emotional_entropy") == (
        "the run does not say with which parameters it was scored"
    )


FOREIGN = """
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from simpatico.metric import Card, Score


@dataclass(frozen=True)
class Softness:
    words: tuple[str, ...] = ("maybe",)
    name: ClassVar = "softness"
    level: ClassVar = "turn"
    card: ClassVar = Card(about="a", undefined="u", citation="c", kind="other")
    needs: ClassVar = ()
    scores: ClassVar = (Score("softness", of=pl.col("soft"), range=(0, 1), meaning="m"),)

    def __call__(self, turns, features):
        return pl.DataFrame({"soft": turns.frame["text"].is_in(self.words).cast(float)})
"""


def test_a_metric_of_another_package_comes_back_until_its_code_changes(talk, tmp_path, monkeypatch):
    code, info = tmp_path / "softness_of_others.py", tmp_path / "softness_of_others-1.dist-info"
    code.write_text(FOREIGN)
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: softness\nVersion: 1\n")
    points = "[simpatico.metrics]\nsoftness = softness_of_others:Softness\n"
    (info / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(tmp_path)
    metric = load("softness", words=("I see", "alone"))
    run = scored(talk, tmp_path / "run", metric)
    assert run.facts["metrics"]["softness"]["parameters"] == {"words": ["I see", "alone"]}
    assert run.metric("softness") == metric
    code.write_text(f"{FOREIGN}\n# changed\n")
    assert run.metric("softness") == "its code is not what it was when the run was scored"


@dataclass(frozen=True)
class Odd:
    words: tuple[str, ...] = ("maybe", "perhaps")
    most: float = inf
    kind: type = int
    name = "odd"


def test_parameters_that_json_cannot_hold_are_left_out():
    assert metric_parameters(Odd()) == {"words": ("maybe", "perhaps")}
    assert metric_parameters(Odd(most=2.5, words=("\udcff",))) == {"most": 2.5}


def test_a_parameter_of_another_type_is_told(own):
    retold(own[0], "emotional_entropy", parameters={"emotions": ["lexicon"]})
    assert own[0].metric("emotional_entropy") == (
        "it cannot be built again: emotional_entropy.emotions is tuple"
    )

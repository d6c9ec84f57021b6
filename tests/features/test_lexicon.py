"""Lexicons of every kind of file: what is read, what is left out, what is said when it fails."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from simpatico import limits
from simpatico.errors import DataError, MissingResource
from simpatico.features import Features, closure
from simpatico.features.lexicon import SHIPPED, LexiconSums, load_lexicon
from simpatico.features.lexicon_files import lexicon_rows
from simpatico.features.words import WordTable
from simpatico.turns import Turns

DIC = """%
1\tfunct
2\tppron
3\tpreps
4\tauxverb
5\tnegate
%
don't\t4\t5
he*\t1\t2
hello\t3
hell*\t4
i'm\t2\t4
kind of\t1
"""


def save_file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def weights(path: Path | str, *words: str) -> list[dict[str, float]]:
    """For each word, its weights other than 0."""
    lexicon = load_lexicon(str(path))
    vocabulary = pl.Series(words, dtype=pl.String)
    rows = lexicon.of(WordTable(np.zeros(0, np.int32), np.zeros(1, np.int64), vocabulary)).tolist()
    return [{c: w for c, w in zip(lexicon.categories, row, strict=True) if w} for row in rows]


def database(path: Path, rows: list[tuple[object, ...]], table: str = "nrc_emot") -> Path:
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(f"create table {table} (id bigint, term text, category text, weight float)")
        base.executemany(f"insert into {table} values (?, ?, ?, ?)", rows)
    return path


@pytest.mark.parametrize(("name", "mark"), [("a.csv", ","), ("a.tsv", "\t"), ("a.txt", "\t")])
def test_table_with_a_header(tmp_path: Path, name: str, mark: str) -> None:
    rows = ["term,category,weight", "happy,joy,1.5", "happy,trust,0.25", "", "sad,sadness,2"]
    path = save_file(tmp_path, name, "\n".join(rows).replace(",", mark))
    assert list(lexicon_rows(path)) == [
        ("happy", "joy", 1.5),
        ("happy", "trust", 0.25),
        ("sad", "sadness", 2.0),
    ]
    assert weights(path, "sad", "table", "happy") == [
        {"sadness": 2.0},
        {},
        {"joy": 1.5, "trust": 0.25},
    ]


def test_columns_in_any_order_with_spaces_marks_and_other_columns(tmp_path: Path) -> None:
    content = "\ufeffid, Weight, Category, Term\r\n1, 2, Joy , happy \r\n"
    assert list(lexicon_rows(save_file(tmp_path, "a.csv", content))) == [("happy", "joy", 2.0)]


def test_without_weights_each_is_one(tmp_path: Path) -> None:
    path = save_file(tmp_path, "a.csv", "term,category\nthe,article\nof,Prepositions\n")
    assert list(lexicon_rows(path)) == [("the", "article", 1.0), ("of", "prep", 1.0)]


def test_quotes_mean_something_between_commas_only(tmp_path: Path) -> None:
    commas = save_file(tmp_path, "a.csv", 'term,category,weight\n"a,b",joy,1\nc,joy,1\n')
    tabs = save_file(tmp_path, "a.tsv", 'term\tcategory\tweight\n"a\tjoy\t1\nb\tjoy\t1\n')
    assert [t for t, _, _ in lexicon_rows(commas)] == ["a,b", "c"]
    assert [t for t, _, _ in lexicon_rows(tabs)] == ['"a', "b"]


def test_layout_of_nrc_has_the_category_first_and_no_header(tmp_path: Path) -> None:
    content = "joy\thappy\t1.5\njoy\tsunny\t0.5\nanger\thappy\t0.1\nanger\tnan\t0.7\n"
    path = save_file(tmp_path, "NRC.txt", content)
    assert weights(path, "happy", "nan", "joy") == [{"joy": 1.5, "anger": 0.1}, {"anger": 0.7}, {}]


def test_layout_with_the_term_first_and_no_header(tmp_path: Path) -> None:
    path = save_file(tmp_path, "a.txt", "happy\tjoy\t1\nsunny\tjoy\t1\nglad\ttrust\t0\n")
    assert weights(path, "sunny", "joy") == [{"joy": 1.0}, {}]


@pytest.mark.parametrize("word", ["nan", "null", "none", "na", "true", "1"])
def test_words_that_look_like_missing_values_are_words(tmp_path: Path, word: str) -> None:
    row = f"{word},joy,2\n"
    path = save_file(tmp_path, "a.csv", f"term,category,weight\n{row}")
    assert weights(path, word) == [{"joy": 2.0}]
    base = database(tmp_path / "a.db", [(1, word, "joy", 2.0)])
    assert weights(base, word) == [{"joy": 2.0}]


def test_dic_has_overlapping_categories(tmp_path: Path) -> None:
    path = save_file(tmp_path, "liwc.dic", DIC)
    assert weights(path, "don't", "i'm") == [
        {"auxverb": 1.0, "negate": 1.0},
        {"ppron": 1.0, "auxverb": 1.0},
    ]
    assert load_lexicon(str(path)).categories == ("auxverb", "funct", "negate", "ppron", "prep")


def test_dic_exact_beats_stem_and_the_longest_stem_wins(tmp_path: Path) -> None:
    path = save_file(tmp_path, "LIWC.DIC", DIC)
    assert weights(path, "hello", "hells", "hell", "hear", "he", "h") == [
        {"prep": 1.0},  # its own entry, not hell* or he*
        {"auxverb": 1.0},  # hell*, not he*
        {"auxverb": 1.0},  # a stem stands for itself too
        {"funct": 1.0, "ppron": 1.0},  # he*
        {"funct": 1.0, "ppron": 1.0},
        {},
    ]


def test_dic_term_of_several_words_is_read_but_never_found(tmp_path: Path) -> None:
    path = save_file(tmp_path, "a.dic", DIC)
    assert ("kind of", "funct", 1.0) in list(lexicon_rows(path))
    assert weights(path, "kind", "of") == [{}, {}]


def test_dic_with_spaces_for_tabs(tmp_path: Path) -> None:
    path = save_file(tmp_path, "a.dic", "%\r\n1 article\r\n%\r\nthe   1\r\n\r\na 1")
    assert list(lexicon_rows(path)) == [("the", "article", 1.0), ("a", "article", 1.0)]


def test_database_of_dlatk(tmp_path: Path) -> None:
    rows: list[tuple[object, ...]] = [(1, "happy", "Joy", 1.5), (2, "nan", "anger", 0.5)]
    # a file name that would end the address of a database
    path = database(tmp_path / "lexica?v=1#%41.db", [*rows, (3, "#fun", "joy", 9.0)])
    assert next(lexicon_rows(path)) == ("happy", "joy", 1.5)
    assert weights(path, "happy", "nan", "fun") == [{"joy": 1.5}, {"anger": 0.5}, {}]


def test_another_table_of_the_database(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", [(1, "sun", "topic7", 0.5)], "fb2000_cp")
    assert list(lexicon_rows(path, "fb2000_cp")) == [("sun", "topic7", 0.5)]
    with pytest.raises(DataError) as error:
        list(lexicon_rows(path))
    assert str(error.value) == f"{path}: no table 'nrc_emot'; it has ['fb2000_cp']"


def test_terms_are_brought_to_the_form_of_words(tmp_path: Path) -> None:
    content = "term,category\nDON\u2019T,negate\nCafe\u0301,place\n#fun,joy\n:),joy\nok go,joy\n"
    path = save_file(tmp_path, "a.csv", content)
    assert weights(path, "don't", "café", "fun", "ok") == [{"negate": 1.0}, {"place": 1.0}, {}, {}]


def test_a_term_twice_in_a_category_counts_once(tmp_path: Path) -> None:
    path = save_file(tmp_path, "a.csv", "term,category\nof,prep\nOf,preps\nof,conj\n")
    assert weights(path, "of") == [{"prep": 1.0, "conj": 1.0}]


def test_a_file_beside_its_csv_is_not_taken_for_it(tmp_path: Path) -> None:
    save_file(tmp_path, "mine.csv", "term,category\nwrong,joy\n")
    path = save_file(tmp_path, "mine", "term,category\nright,joy\n")
    assert weights(path, "right", "wrong") == [{"joy": 1.0}, {}]


def test_sums_over_the_words_of_turns(tmp_path: Path) -> None:
    path = save_file(
        tmp_path, "a.csv", "term,category,weight\nhappy,joy,1.5\nglad,joy,1\nsad,woe,2\n"
    )
    feature = LexiconSums(str(path), ("woe", "joy"))
    frame = pl.DataFrame({"dialog": "d", "speaker": ["a", "b", "a"], "text": ["", "", ""]})
    texts = pl.Series("text", ["Happy, happy, sad.", "unhappy", "GLAD happy"])
    turns = Turns.from_utterances(frame.with_columns(texts))
    sums = Features(turns, closure([feature]))[feature]
    # woe: 2, 0, 0; joy: 1.5 + 1.5, 0, 1 + 1.5
    np.testing.assert_array_equal(sums, [[2.0, 3.0], [0.0, 0.0], [0.0, 2.5]])


def test_fingerprint_follows_the_bytes_of_the_file(tmp_path: Path) -> None:
    one = save_file(tmp_path, "1.csv", "term,category\nthe,article\n")
    two = save_file(tmp_path, "2.csv", "term,category\nthe,article\n")
    three = save_file(tmp_path, "3.csv", "term,category\nan,article\n")
    prints = [LexiconSums(str(p), ("article",)).fingerprint for p in (one, two, three)]
    # the first 12 of `sha256sum 1.csv`
    assert prints[0] == prints[1] == "lexicon_sha256:d38ca1d86a54" != prints[2]


@pytest.mark.parametrize("name", ["emotions", "function_words"])
def test_ours_load_by_name(name: str) -> None:
    lexicon = load_lexicon(name)
    assert np.isfinite(lexicon.weights).all()
    assert (lexicon.weights >= 0).all()
    assert len(lexicon.rows) == len(lexicon.weights) - 1
    assert not lexicon.stems


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(MissingResource) as error:
        load_lexicon(str(tmp_path / "no.csv"))
    ours = sorted(p.stem for p in SHIPPED.glob("*.csv"))
    assert {"emotions", "function_words"} <= set(ours)
    assert str(error.value) == (
        f"no lexicon '{tmp_path}/no.csv': give a file's path or one of {ours}"
    )


def test_missing_category(tmp_path: Path) -> None:
    path = save_file(tmp_path, "a.csv", "term,category\nhappy,joy\nsad,woe\n")
    feature = LexiconSums(str(path), ("joy", "trust"))
    turns = Turns.from_utterances(pl.DataFrame({"dialog": "d", "speaker": "a", "text": ["hi"]}))
    with pytest.raises(DataError) as error:
        Features(turns, closure([feature]))[feature]
    assert (
        str(error.value)
        == f"lexicon '{path}' has no category ['trust'] among its 2; it needs joy, trust"
    )


@pytest.mark.parametrize(
    "content", ["", "term,category\n", "term,category\n:),joy\n#fun,joy\n", "joy\t:)\t1\n"]
)
def test_no_words(tmp_path: Path, content: str) -> None:
    path = save_file(tmp_path, "a.csv", content)
    with pytest.raises(DataError) as error:
        load_lexicon(str(path))
    assert str(error.value) == f"{path}: it has no words"


HEADER = "term,category,weight\n"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", f"{HEADER}ok,joy,1\nhi,joy,high\n", ":3: the weight is not a number; give one"),
        ("a.csv", f"{HEADER}hi,joy,\n", ":2: the weight is not a number; give one"),
        ("a.csv", f"{HEADER}hi,joy,nan\n", ":2: the weight is not finite; give a number"),
        ("a.csv", f"{HEADER}\nhi,joy,-inf\n", ":3: the weight is not finite; give a number"),
        ("a.csv", f"{HEADER}hi, ,1\n", ":2: the category is empty; give one"),
        ("a.csv", f"{HEADER}hi,joy\n", ":2: 2 cells but 3 columns"),
        (
            "a.csv",
            "happy\nsad\n",
            ": needs a header term,category,weight or three columns in each row",
        ),
        ("a.csv", "joy\thi\tx\n", ":1: the weight is not a number; give one"),
        ("a.csv", b"caf\xe9,joy,1", ": not UTF-8 text at byte 3; save it as UTF-8"),
        ("a.dic", "the 1\n", ": a .dic file lists its categories between two lines of %"),
        ("a.dic", "%\n1\n%\n", ":2: the category has no name"),
        (
            "a.dic",
            "%\n1\tarticle\n%\nthe\t1\t22\n",
            ":4: a category is not defined between the two lines of %",
        ),
    ],
)
def test_a_bad_file(tmp_path: Path, name: str, content: str | bytes, sentence: str) -> None:
    path = save_file(tmp_path, name, content)
    with pytest.raises(DataError) as error:
        load_lexicon(str(path))
    assert str(error.value) == f"{path}{sentence}"


@pytest.fixture
def usual_field_limit() -> Iterator[None]:
    """Readers of conversations raise the limit for the whole process."""
    before = csv.field_size_limit(131_072)
    yield
    csv.field_size_limit(before)


def test_a_table_python_cannot_cut(tmp_path: Path, usual_field_limit: None) -> None:
    path = save_file(tmp_path, "a.csv", f'term,category\n"{"x" * 200_000}",joy\n')
    with pytest.raises(DataError) as error:
        load_lexicon(str(path))
    assert str(error.value) == (
        f"{path}: cannot be read as a table: field larger than field limit (131072)"
    )


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ((1, None, "joy", 1.0), "a cell is null; give term, category and weight"),
        ((1, "hi", "joy", None), "a cell is null; give term, category and weight"),
        ((1, "hi", "joy", "high"), "the weight is not a number; give one"),
        ((1, "hi", "", 1.0), "the category is empty; give one"),
    ],
)
def test_a_bad_row_of_a_database(tmp_path: Path, row: tuple[object, ...], sentence: str) -> None:
    path = database(tmp_path / "a.db", [(0, "ok", "joy", 1.0), row])
    with pytest.raises(DataError) as error:
        load_lexicon(str(path))
    assert str(error.value) == f"{path}: row 2 of nrc_emot: {sentence}"


def test_a_database_without_the_columns(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as base, base:
        base.execute("create table nrc_emot (term text, emotion text)")
    with pytest.raises(DataError) as error:
        load_lexicon(str(tmp_path / "a.db"))
    assert str(error.value) == (
        f"{tmp_path}/a.db: column 'category' of nrc_emot is missing; store its values"
    )


def test_a_broken_database(tmp_path: Path) -> None:
    path = save_file(tmp_path, "a.db", b"SQLite format 3\x00" + b"x" * 200)
    with pytest.raises(DataError) as error:
        load_lexicon(str(path))
    assert str(error.value) == (
        f"{path}: cannot be read as a DLATK lexicon (SQLITE_NOTADB); make it anew"
    )


def test_a_liwc_22_dictionary_is_a_table_of_categories(tmp_path):
    path = save_file(tmp_path, "mine.dicx", "DicTerm,Joy,Fear\nhappy*,X,\nafraid,,X\nwow,0.5,x\n")
    assert sorted(lexicon_rows(path)) == [
        ("afraid", "fear", 1.0),
        ("happy*", "joy", 1.0),
        ("wow", "fear", 1.0),
        ("wow", "joy", 0.5),
    ]
    for content, reason in (
        ("term,Joy\nx,X\n", ":1: a .dicx file begins with DicTerm and the names of categories"),
        ("DicTerm,Joy\nx,much\n", ":2: the weight is not a number; give one"),
        ("DicTerm,Joy\nx,X,X\n", ":2: 3 cells but 2 columns"),
    ):
        path = save_file(tmp_path, "mine.dicx", content)
        with pytest.raises(DataError) as error:
            list(lexicon_rows(path))
        assert str(error.value) == f"{path}{reason}"


def sentence(path: Path) -> str:
    """What is said about a lexicon that is refused."""
    with pytest.raises(DataError) as error:
        load_lexicon(str(path))
    return str(error.value).removeprefix(str(path))


def test_tables_that_are_computed_are_refused(tmp_path: Path) -> None:
    """A row of a view or a generated column can be of any length, out of a file of 8 kB."""
    long = "replace(hex(zeroblob(50000000)), '0', 'ha')"
    tables = {
        "create table nrc_emot (category text, weight real, term text as ("
        + long
        + "))": ": column 'term' of nrc_emot is computed; store its values",
        f"create view nrc_emot as select {long} as term, 'joy' as category, 1 as weight": (
            ": no table 'nrc_emot'; it has []"
        ),
    }
    for number, (statement, reason) in enumerate(tables.items()):
        path = tmp_path / f"{number}.db"
        with closing(sqlite3.connect(path)) as base, base:
            base.execute(statement)
            if "create table" in statement:
                base.execute("insert into nrc_emot (category, weight) values ('joy', 1)")
        assert sentence(path) == reason


def test_a_term_of_megabytes_is_refused_by_the_database(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", [(1, "x" * 200_000, "joy", 1.0)])
    assert sentence(path) == (": cannot be read as a DLATK lexicon (SQLITE_TOOBIG); make it anew")


def test_too_many_categories_rows_or_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"w{'abcdefghij'[i % 10]}{'x' * (i // 10)},c{i},1\n" for i in range(100))
    path = save_file(tmp_path, "a.csv", HEADER + rows)
    assert len(load_lexicon(str(path)).categories) == 100
    for name, limit, reason in (
        (
            "LEXICON_CELLS",
            9_999,
            ": 100 terms in 100 categories are too many; leave out what no metric uses",
        ),
        ("LEXICON_ROWS", 99, ": the lexicon has more than 99 rows; leave some out"),
        ("RESOURCE", 2**20, ": the file is larger than 1 MiB; give a smaller one"),
    ):
        content = HEADER + rows * (1 if limit < 2**20 else 2_000)
        save_file(tmp_path, f"{name}.csv", content)
        with monkeypatch.context() as patch:
            patch.setattr(limits, name, limit)
            assert sentence(tmp_path / f"{name}.csv") == reason

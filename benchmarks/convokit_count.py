"""ConvoKit's way to nine category counts per utterance; run by the Python that has convokit.

    .venv-bench/bin/python benchmarks/convokit_count.py UTTERANCES.jsonl LEXICON.csv

The tokeniser is spaCy's blank English one and a text counts as one sentence, so that nothing is
downloaded. Prints the CPU seconds as JSON; imports are not counted.
"""

from __future__ import annotations

import csv
import json
import resource
import sys
from pathlib import Path

import spacy
from convokit import Corpus, Speaker, TextParser, TextProcessor, Utterance


class OneSentence:
    """A text as one sentence, which costs less than any way of splitting it."""

    def tokenize(self, text: str) -> list[str]:
        return [text]


def cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def lexicon(path: Path) -> dict[str, list[str]]:
    categories: dict[str, list[str]] = {}
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
        categories.setdefault(row["term"], []).append(row["category"])
    return categories


def main(source: Path, words: Path) -> None:
    rows = [json.loads(line) for line in source.open(encoding="utf-8")]
    categories = lexicon(words)

    def count(sentences: list[dict[str, list[dict[str, str]]]]) -> dict[str, int]:
        counts: dict[str, int] = {}
        for sentence in sentences:
            for token in sentence["toks"]:
                for category in categories.get(token["tok"].lower(), ()):
                    counts[category] = counts.get(category, 0) + 1
        return counts

    english = spacy.blank("en")
    begin = cpu()
    speakers = {name: Speaker(id=name) for name in {row["speaker"] for row in rows}}
    corpus = Corpus(
        utterances=[
            Utterance(
                id=str(number),
                speaker=speakers[row["speaker"]],
                conversation_id=row["dialog"],
                text=row["text"],
            )
            for number, row in enumerate(rows)
        ]
    )
    corpus = TextParser(mode="tokenize", spacy_nlp=english, sent_tokenizer=OneSentence()).transform(
        corpus
    )
    counter = TextProcessor(proc_fn=count, input_field="parsed", output_field="counts")
    corpus = counter.transform(corpus)
    seconds = cpu() - begin
    hits = sum(sum(u.meta["counts"].values()) for u in corpus.iter_utterances())
    print(json.dumps({"utterances": len(rows), "cpu_seconds": seconds, "hits": hits}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

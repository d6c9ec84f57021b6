"""What people use instead, each in a process of its own; run by the Python of .venv-bench.

    python benchmarks/peers.py PEER ARGUMENTS

Prints its CPU seconds as JSON, from reading the file to the counts; imports, models and a first
call are not counted. A peer that is not installed or lacks its data says so.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import islice

BATCH = 64


def cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def timed(work: Callable[[], object]) -> None:
    """Print what the work takes."""
    begin, wall = cpu(), time.perf_counter()
    work()
    print(json.dumps({"cpu": cpu() - begin, "wall": time.perf_counter() - wall}))


def first_rows(source: str, n: int) -> list[dict[str, str]]:
    with open(source, encoding="utf-8") as lines:
        return [json.loads(line) for line in islice(lines, n)]


def first_texts(source: str, n: int) -> list[str]:
    return [row["text"] for row in first_rows(source, n)]


def matrices() -> list:
    """Two metrics and judgements of one hidden quality: 10 systems by 100 inputs."""
    import numpy as np

    rng = np.random.default_rng(0)
    quality = rng.normal(size=(10, 1))
    return [w * quality + rng.normal(size=(10, 100)) for w in (0.6, 0.4, 1.0)]


def count_vectorizer(source: str, n: str, entries: str) -> None:
    """scikit-learn: counts of the lexica's words, times their weights."""
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer

    with open(entries, encoding="utf-8") as file:
        lexica = json.load(file)
    terms = sorted(lexica["entries"])
    weights = np.zeros((len(terms), len(lexica["columns"])))
    for row, term in enumerate(terms):
        for column, weight in lexica["entries"][term]:
            weights[row, column] = weight
    counter = CountVectorizer(vocabulary=terms, token_pattern=r"[^\W_]+(?:'[^\W_]+)*")
    timed(lambda: counter.fit_transform(first_texts(source, int(n))) @ weights)


def vader(source: str, n: str) -> None:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer = SentimentIntensityAnalyzer()
    timed(lambda: [analyzer.polarity_scores(t) for t in first_texts(source, int(n))])


def nrclex(source: str, n: str) -> None:
    """Given tokens, since its own tokeniser needs a download."""
    from nrclex import NRCLex

    def work() -> None:
        for text in first_texts(source, int(n)):
            emotions = NRCLex()
            emotions.load_token_list(re.findall(r"\w+", text.lower()))
            _ = emotions.affect_frequencies

    NRCLex()
    timed(work)


def liwc(source: str, n: str, dictionary: str) -> None:
    """The recipe of the package's own description: tokens, then a Counter of categories."""
    import liwc as package

    parse, _ = package.load_token_parser(dictionary)

    def work() -> None:
        for text in first_texts(source, int(n)):
            Counter(c for token in re.findall(r"\w+", text.lower()) for c in parse(token))

    timed(work)


class OneSentence:
    """A text as one sentence, which costs less than any way of splitting it."""

    def tokenize(self, text: str) -> list[str]:
        return [text]


def convokit(source: str, n: str, entries: str) -> None:
    """Corpus, TextParser with a blank spaCy (no download), and counts of the function words."""
    import spacy
    from convokit import Corpus, Speaker, TextParser, TextProcessor, Utterance

    with open(entries, encoding="utf-8") as file:
        lexica = json.load(file)["entries"]

    def count(sentences: list[dict]) -> dict[int, int]:
        tokens = (token["tok"].lower() for sentence in sentences for token in sentence["toks"])
        return dict(Counter(column for t in tokens for column, _ in lexica.get(t, ())))

    def work() -> None:
        rows = first_rows(source, int(n))
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
        parser = TextParser(mode="tokenize", spacy_nlp=english, sent_tokenizer=OneSentence())
        TextProcessor(proc_fn=count, input_field="parsed", output_field="counts").transform(
            parser.transform(corpus)
        )

    english = spacy.blank("en")
    timed(work)


def sentence_transformers(source: str, n: str, folder: str, size: str) -> None:
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    model, texts = SentenceTransformer(folder), first_texts(source, int(n))
    model.encode(texts[0])
    # as they come: encode() sorts a list by length, a stream of messages is not sorted
    parts = [texts[low : low + int(size)] for low in range(0, len(texts), int(size))]
    timed(lambda: [model.encode(part, batch_size=int(size)) for part in parts])


def onnxruntime(source: str, n: str, folder: str, size: str) -> None:
    import numpy as np
    from onnxruntime import InferenceSession, SessionOptions
    from tokenizers import Tokenizer

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = InferenceSession(f"{folder}/onnx/model.onnx", options)
    tokenizer, texts = Tokenizer.from_file(f"{folder}/tokenizer.json"), first_texts(source, int(n))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    names = {i.name for i in session.get_inputs()}

    def encode(part: list[str]) -> np.ndarray:
        items = tokenizer.encode_batch(part)
        mask = np.array([i.attention_mask for i in items])
        ids = np.array([i.ids for i in items])
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = session.run(None, {k: v for k, v in feed.items() if k in names})[0]
        rows = (states * mask[..., None]).sum(1)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    encode(texts[:1])
    timed(lambda: [encode(texts[i : i + int(size)]) for i in range(0, len(texts), int(size))])


def nlpstats(level: str, coefficient: str, draws: str) -> None:
    from nlpstats.correlations import permutation_test

    timed(lambda: permutation_test(*matrices(), level, coefficient, "both", n_resamples=int(draws)))


PEERS = (
    count_vectorizer,
    vader,
    nrclex,
    liwc,
    convokit,
    sentence_transformers,
    onnxruntime,
    nlpstats,
)

if __name__ == "__main__":
    try:
        {peer.__name__: peer for peer in PEERS}[sys.argv[1]](*sys.argv[2:])
    except (ImportError, LookupError, OSError) as error:
        print(json.dumps({"problem": str(error).strip().splitlines()[0]}))

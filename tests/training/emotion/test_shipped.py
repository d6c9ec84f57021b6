"""The evaluators we ship: small, whole, with figures on their cards, and right on plain sentences."""

import numpy as np
import polars as pl
import pytest

from simpatico.features import Features
from simpatico.features.detokenise import detokenise
from simpatico.features.embeddings import MINILM
from simpatico.features.heads.folder import REQUIRED_HEADS, SHIPPED, PairHead, load_heads
from simpatico.features.plutchik import EMOTIONS
from simpatico.models.names import why_missing
from simpatico.training.emotion.labels import polarity_model
from simpatico.turns import Turns

KINDS = ("neutrality", "polarity", "plutchik")
GLAD = ("I am so happy for you!", "What a wonderful day, I love it.", "Thank you, that was great.")
SAD = ("I hate this so much.", "My dog died and I am heartbroken.", "That is disgusting and mean.")
PLAIN = ("The shop opens at nine.", "It is on the second floor.", "The meeting is in room four.")


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_is_whole_and_small(kind):
    result = load_heads(kind, kind)
    assert tuple(result.heads) == REQUIRED_HEADS[kind]
    assert sum(path.stat().st_size for path in (SHIPPED / kind).iterdir()) < 5e6
    licence = "Apache-2.0 (GoEmotions, Demszky et al. 2020)"
    counsel = ", MIT (counsel-chat, Bertagnolli 2020)" if kind == "neutrality" else ""
    assert result.recipe.licence == licence + counsel
    for told in result.recipe.heads.values():
        assert (told.encoder, told.parts) == (MINILM, ["first"])
        assert told.heldout.low < told.heldout.auc < told.heldout.high
        assert told.heldout.low > told.heldout.plain_auc
    card = (SHIPPED / kind / "card.md").read_text(encoding="utf-8")
    for part in ("| linear SVM |", "| majority |", "--data train.tsv", "\n## Limit", "Reddit"):
        assert part in card
    assert ("DailyDialog" in card) == (kind != "plutchik")


def fits(kind, *names):
    """A function from texts to the probabilities of heads, a row a head."""
    if reason := why_missing(MINILM):
        pytest.skip(reason)
    heads = [PairHead(kind, kind, name) for name in names]
    empty = Turns(pl.DataFrame({"text": pl.Series([], dtype=pl.String)}))
    features = Features(empty, frozenset({*heads, *heads[0].needs}))
    return lambda texts: np.array(
        [features[head].of(list(map(detokenise, texts))) for head in heads]
    )


def test_emotional_sentences_and_plain_ones():
    result = fits("neutrality", "emotional")
    assert (result(GLAD + SAD) > 0.5).all()
    assert (result(PLAIN) < 0.5).all()
    assert result([]).tolist() == [[]]


def test_good_news_and_bad():
    assert (fits("polarity", "positive")(GLAD) > 0.8).all()
    assert (polarity_model("polarity")(SAD) < 0.2).all()


def test_single_texts_are_judged_alone():
    """What a text gets depends neither on the others nor on how many there are."""
    result = fits("polarity", "positive")
    alone = [float(result([text])[0, 0]) for text in (*GLAD, *SAD)]
    assert result([*GLAD, *SAD])[0].tolist() == alone


def test_the_likeliest_of_the_eight():
    """One sentence for each emotion, in the order of their names."""
    result = fits("plutchik", *EMOTIONS)(
        [
            "I am so angry, shut up!",
            "I hope we can see it, when is it?",
            "Ew, that is gross and disgusting.",
            "I am scared of the dark.",
            "Haha, that was so funny!",
            "I miss her, I could cry.",
            "Wow, I did not expect that!",
            "Thank you so much, you are great.",
        ]
    )
    assert [EMOTIONS[at] for at in result.argmax(axis=0)] == list(EMOTIONS)

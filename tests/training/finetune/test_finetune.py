"""Fine-tuning: what it learns, that it goes on after any kill, and the folder it writes."""

import json
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from simpatico import files
from simpatico.errors import BadValue, DataError, RunError
from simpatico.features.classes import Classes
from simpatico.features.embeddings import MINILM
from simpatico.features.heads.folder import is_heads_folder
from simpatico.files import lock_folder
from simpatico.models.names import find_model, why_missing
from simpatico.progress import listen
from simpatico.training.card import About
from simpatico.training.finetune import FineTuning, TextDataset, fine_tune
from simpatico.training.finetune import folder as finetune_folder
from simpatico.training.finetune import loop as finetune_loop
from simpatico.training.finetune import state as finetune_state
from simpatico.training.finetune.start import add_tokens, prepare_model, show_spelling
from tests.models.tiny import WORDS, tiny

ABOUT = About("made up", "CC0", "simpatico train …")
LABELS = ("dull", "lively")
MOODS = ("bad sad", "good happy")


def texts(n: int, *, seed: int, pairs: bool = True) -> TextDataset:
    """Replies that end in a word of their class, after something that has nothing to do with it."""
    rng = np.random.default_rng(seed)
    label = np.arange(n) % 2
    said = [" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(2 * n)]
    replies = [f"{text} {MOODS[y]}" for text, y in zip(said[n:], label, strict=True)]
    target = label.astype(np.float32)
    return TextDataset(said[:n], replies, target) if pairs else TextDataset(replies, None, target)


def how(kind: str = "bert", **more: object) -> FineTuning:
    told = {"base": f"path:{tiny(kind)}", "rate": 3e-3, "batch": 8, "epochs": 2} | more
    return FineTuning(**told)


def tune(folder, given: FineTuning, *, n: int = 24, labels: tuple[str, ...] = LABELS):
    out = folder / "m"
    return fine_tune(
        texts(n, seed=1), texts(10, seed=2), out, settings=given, labels=labels, about=ABOUT
    )


def weights(folder) -> str:
    return sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def said_of(folder, given: TextDataset, output="softmax"):
    classes = Classes(find_model(f"path:{folder}"), given.second is not None, output, "classes")
    return classes.labels, classes.of(given.first, given.second)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_folder_says_what_was_learned_and_its_loss_is_the_one_told(tmp_path, kind):
    """The loss a second way: minus the mean log probability that the folder gives the class."""
    result = tune(tmp_path, how(kind, epochs=4), n=64)
    fresh = texts(10, seed=2)
    labels, shares = said_of(tmp_path / "m", fresh)
    assert labels == LABELS
    right = shares[np.arange(10), fresh.target.astype(int)]
    assert result.losses[result.epoch - 1] == min(result.losses) < 0.69
    assert -np.log(right).mean() == pytest.approx(result.losses[result.epoch - 1], abs=1e-5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m"]


def test_marks_of_its_own_have_one_piece_and_a_vector_near_the_mean(tmp_path):
    inputs = how(tokens=("<me>", "<you>"))
    start = prepare_model(find_model(inputs.base), inputs, LABELS)
    first, second = (start.tokenizer.token_to_id(token) for token in inputs.tokens)
    table = start.model.get_input_embeddings().weight.detach().numpy()
    old = prepare_model(find_model(inputs.base), replace(inputs, tokens=()), LABELS)
    before = old.model.get_input_embeddings().weight.detach().numpy()
    assert (first, second, len(table)) == (len(before), len(before) + 1, len(before) + 2)
    np.testing.assert_array_equal(table[:first], before)
    away = (table[first:] - before.mean(axis=0)) / before.std(axis=0, ddof=1)
    assert 0.05 < away.std() < 0.15
    tune(tmp_path, inputs)
    model = find_model(f"path:{tmp_path / 'm'}")
    assert model.config["vocab_size"] == len(table)
    cut = Classes(model, True, "softmax", "classes")
    assert cut.of(["<me> tea"], ["<you> rain"]).shape == (1, 2)
    from simpatico.models.runtime.tokens import load_tokenizer

    assert load_tokenizer(model)(["<me>tea"])[0].ids.tolist()[1] == first
    # what looks like the model's own mark stays text
    assert load_tokenizer(model)(["[SEP]"])[0].special.tolist()[1:-1] == [False] * 5


def test_texts_are_cut_as_long_as_they_were_in_training(tmp_path):
    tune(tmp_path, how(longest=8))
    from simpatico.models.runtime.tokens import load_tokenizer

    assert len(load_tokenizer(find_model(f"path:{tmp_path / 'm'}"))(["tea " * 50])[0].ids) == 8


@pytest.mark.parametrize("problem", ["multi", "regression"])
def test_labels_by_themselves_and_numbers(tmp_path, problem):
    inputs = texts(24, seed=1, pairs=False)
    target = inputs.target if problem == "regression" else np.stack([inputs.target] * 3, axis=1)
    names = ("score",) if problem == "regression" else ("a", "b", "c")
    known = replace(inputs, target=target)
    settings = how(problem=problem, class_weights=problem == "multi")
    result = fine_tune(known, known, tmp_path / "m", settings=settings, labels=names, about=ABOUT)
    labels, logits = said_of(tmp_path / "m", known, "logits")
    assert (labels, logits.shape) == (names, (24, len(names)))
    squares = ((logits - target.reshape(24, -1)) ** 2).mean()
    entropy = (np.logaddexp(0, logits) - target.reshape(24, -1) * logits).mean()
    expected = squares if problem == "regression" else entropy
    assert result.losses[result.epoch - 1] == pytest.approx(expected, abs=1e-4)


class Killed(Exception):
    """Stands for a kill -9: nothing of ours catches it."""


def killing(at: int, work):
    """The same function, which works so often and then is killed."""
    left = iter(range(at))

    def limited(*given, **more):
        if next(left, None) is None:
            raise Killed
        return work(*given, **more)

    return limited


def killed(folder, monkeypatch, module, name: str, at: int) -> None:
    """A training that ends when this function is called once more than `at` times."""
    with monkeypatch.context() as dying:
        dying.setattr(module, name, killing(at, getattr(module, name)))
        with pytest.raises(Killed):
            tune(folder, how())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What an uninterrupted training of three steps an epoch comes to."""
    folder = tmp_path_factory.mktemp("whole")
    return tune(folder, how()), weights(folder / "m")


# a step is kept in two files, three at the end of the best epoch: 3 steps, 2 epochs, 14 files
@pytest.mark.parametrize("at", [0, 3, 4, 5, 6, 13])
def test_killed_while_files_are_written_it_ends_at_the_same_weights(
    tmp_path, whole, monkeypatch, at
):
    monkeypatch.setattr(finetune_loop, "CHECKPOINT_SECONDS", -1.0)
    killed(tmp_path, monkeypatch, finetune_state, "write_atomically", at)
    assert (tmp_path / "m.partial").is_dir()
    again = tune(tmp_path, how())
    assert (again.losses, again.epoch) == (whole[0].losses, whole[0].epoch)
    assert weights(tmp_path / "m") == whole[1]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m"]


@pytest.mark.parametrize("name", ["quiet_loading", "find_model", "finetuning_recipe"])
def test_killed_while_the_folder_is_put_together(tmp_path, whole, monkeypatch, name):
    killed(tmp_path, monkeypatch, finetune_folder, name, 0)
    assert not (tmp_path / "m").exists()
    tune(tmp_path, how())
    assert weights(tmp_path / "m") == whole[1]


def test_killed_once_the_folder_is_in_its_place(tmp_path, whole, monkeypatch):
    """The two folders left over from before are removed; the one of the steps is not."""
    killed(tmp_path, monkeypatch, finetune_folder.shutil, "rmtree", 2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "m.partial"]
    steps = []
    with listen(steps.append):
        tune(tmp_path, how())
    assert [step.done for step in steps if step.what == "fine-tuning"] == [6]
    assert weights(tmp_path / "m") == whole[1]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m"]


def test_killed_over_an_older_model_it_is_the_old_or_the_new_one(tmp_path, whole, monkeypatch):
    tune(tmp_path, how(seed=1))
    old = weights(tmp_path / "m")
    for point, expected in (
        ("folder-ready", old),
        ("exchanged", whole[1]),
        ("new-moved", whole[1]),
    ):

        def fault(name, point=point):
            if name == point:
                raise Killed

        with monkeypatch.context() as dying:
            dying.setattr(files, "fault", fault)
            with pytest.raises(Killed):
                tune(tmp_path, how())
        assert weights(tmp_path / "m") == expected
        find_model(f"path:{tmp_path / 'm'}")
    tune(tmp_path, how())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m"]


def test_what_is_not_of_a_model_is_not_replaced_with_it(tmp_path):
    tune(tmp_path, how())
    (tmp_path / "m" / "thesis.md").write_text("ten years of work")
    with pytest.raises(DataError) as told:
        tune(tmp_path, how())
    assert str(told.value) == (
        f"{tmp_path / 'm'} holds 'thesis.md', which is not part of a model; move it away"
    )


def test_another_seed_ends_elsewhere_and_torch_is_left_as_it_was(tmp_path, whole):
    import torch

    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    before = torch.get_num_threads()
    tune(tmp_path, how(seed=1))
    assert weights(tmp_path / "m") != whole[1]
    assert (torch.rand(1), torch.get_num_threads()) == (expected, before)


def test_what_is_unfinished_is_not_mixed_with_other_settings_or_another_process(
    tmp_path, monkeypatch
):
    killed(tmp_path, monkeypatch, finetune_folder, "quiet_loading", 0)
    partial = tmp_path / "m.partial"
    with pytest.raises(DataError) as told:
        tune(tmp_path, how(seed=7))
    assert str(told.value) == (
        f"{partial} holds an unfinished training of other data or settings; "
        "finish that one, or delete the folder"
    )
    with lock_folder(partial), pytest.raises(RunError) as held:
        tune(tmp_path, how())
    assert str(held.value) == (
        f"{partial} is being written by another process; wait or use another"
    )
    (partial / "state.json").write_text("{")
    with pytest.raises(DataError) as told:
        tune(tmp_path, how())
    assert str(told.value) == (
        f"{partial / 'state.json'}: cannot be read; delete {partial} to start over"
    )


def test_the_folder_tells_how_it_was_made_and_not_where(tmp_path):
    result = tune(tmp_path, how())
    out = tmp_path / "m"
    told = json.loads((out / "training.json").read_text())
    assert (told["base"], told["base_sha256"]) == ("path:bert", find_model(how().base).sha256)
    assert (told["check_losses"], told["epoch"]) == (result.losses, result.epoch)
    assert (told["learned_from"], told["checked_by"], told["licence"]) == (24, 10, "CC0")
    assert "licence of the data: CC0" in (out / "card.md").read_text()
    assert not any(str(tmp_path.parent) in path.read_text() for path in out.glob("*.[jm][sd]*"))
    assert not is_heads_folder(f"path:{out}")


def test_the_rate_rises_and_falls():
    """Ten steps, two of them warm-up, rate 1: 1/2, 2/2, then (10 - n) / 8."""
    inputs = FineTuning(rate=1.0, warmup=0.2)
    result = [finetune_loop.learning_rate(step, 10, inputs) for step in range(10)]
    assert result == pytest.approx([0.5, 1.0, 1.0, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125])


def test_adam_step_by_step(monkeypatch):
    """Of any gradient the first step is the rate long; matrices are first cut by rate x decay.

    The second, after gradients 4 and -2: mean (.9 x .4 - .2) / .19, square (.999 x .016 + .004) /
    .001999, so .1 x .842105 / 3.161803, the root of it.
    """
    import torch

    monkeypatch.setattr(finetune_loop, "WEIGHT_DECAY", 0.5)
    flat, matrix = torch.nn.Parameter(torch.ones(1)), torch.nn.Parameter(torch.ones(1, 1))
    still = torch.nn.Parameter(torch.ones(1))
    adam = finetune_loop.make_optimizer(torch.nn.ParameterList([flat, matrix, still]))
    for slope in (4.0, -2.0):
        adam.zero_grad()
        flat.grad, matrix.grad = torch.full((1,), slope), torch.full((1, 1), 7.0)
        for group in adam.param_groups:
            group["lr"] = 0.1
        adam.step()
    assert flat.item() == pytest.approx(0.9 - 0.1 * 0.842105 / 3.161803, abs=1e-6)
    # both steps of a gradient that stays are the rate long: (1 x .95 - .1) x .95 - .1
    assert matrix.item() == pytest.approx(0.7075, abs=1e-6)
    assert still.item() == 1.0


def test_classes_weigh_alike():
    """Of four, three are of class 0: 4 / (2 x 3) and 4 / (2 x 1); a label there once of four: 3 / 1."""
    import torch

    single = FineTuning(class_weights=True)
    result = finetune_loop.class_weights(torch.tensor([0, 0, 0, 1]), single, 2)
    assert result.tolist() == pytest.approx([2 / 3, 2.0])
    multi = replace(single, problem="multi")
    target = torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    assert finetune_loop.class_weights(target, multi, 2).tolist() == [3.0, 1.0]


def test_batches_hold_every_text_once_and_texts_of_about_one_length():
    lengths = np.random.default_rng(0).integers(5, 100, 1_003)
    result = finetune_loop.length_batches(lengths, 8, [0, 1])
    assert sorted(np.concatenate(result).tolist()) == list(range(1_003))
    assert sorted(map(len, result))[:2] == [3, 8]
    # 400 lengths from 5 to 99, sorted, cut in eights: about 2 apart
    assert np.mean([np.ptp(lengths[batch]) for batch in result]) < 4
    assert [b.tolist() for b in result] != [
        b.tolist() for b in finetune_loop.length_batches(lengths, 8, [0, 2])
    ]


REFUSED = [
    ({"problem": "some"}, "unknown problem 'some'; choose one of single, multi, regression"),
    ({"rate": 0.0}, "rate is 0.0; it must be above 0"),
    ({"warmup": 1.0}, "warmup is 1.0; it must be a share of the steps, at least 0 and below 1"),
    ({"longest": 4}, "longest is 4; a pair of texts with its special tokens needs 8 tokens"),
    (
        {"problem": "regression", "class_weights": True},
        "class_weights need classes; regression has none",
    ),
    ({"tokens": ("<a>", "<a>")}, "special token '<a>' is blank or repeated; each must be unique"),
]


@pytest.mark.parametrize(("given", "sentence"), REFUSED)
def test_settings_that_make_no_sense(given, sentence):
    with pytest.raises(BadValue) as told:
        FineTuning(**given)
    assert str(told.value) == sentence


def ones(*numbers: float, second: list[str] | None = None) -> TextDataset:
    return TextDataset(["tea"] * 2, second, np.array(numbers, np.float32))


EXAMPLES = [
    (
        TextDataset([], None, np.zeros(0, np.float32)),
        "training set: 0 texts and 2 labels; fine-tuning needs some of both",
    ),
    (
        ones(0, 1, second=["x"]),
        "training set: 2 texts, 1 second texts and targets of shape (2,); "
        "'single' with 2 labels needs (2,)",
    ),
    (
        ones(0, 1, 1),
        "training set: 2 texts and targets of shape (3,); 'single' with 2 labels needs (2,)",
    ),
    (ones(0, 2), "training set: targets from 0 to 2; a class must be a whole number from 0 to 1"),
    (
        ones(0, 0.5),
        "training set: targets from 0 to 0.5; a class must be a whole number from 0 to 1",
    ),
    (
        ones(0, np.nan),
        "training set: targets from nan to nan; a class must be a whole number from 0 to 1",
    ),
    (ones(1, 1), "training set: no text is 'dull'; leave that label out"),
]


@pytest.mark.parametrize(("given", "sentence"), EXAMPLES)
def test_examples_that_do_not_fit(tmp_path, given, sentence):
    with pytest.raises(DataError) as told:
        fine_tune(given, given, tmp_path / "m", settings=how(), labels=LABELS, about=ABOUT)
    assert str(told.value) == sentence


def test_places_bases_and_rates_that_cannot_be(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "letter.txt").write_text("")
    with pytest.raises(DataError) as told:
        tune(tmp_path, how())
    assert str(told.value) == (
        f"{tmp_path / 'm'} is not the folder of a fine-tuned model; name another folder"
    )
    file = tmp_path / "m" / "letter.txt"
    with pytest.raises(DataError) as told:
        fine_tune(
            texts(8, seed=1), texts(8, seed=1), file, settings=how(), labels=LABELS, about=ABOUT
        )
    assert str(told.value) == f"{file} is a file; name a folder for the model"
    (tmp_path / "loop" / "m").parent.mkdir()
    (tmp_path / "loop" / "m").symlink_to(tmp_path / "loop" / "m")
    with pytest.raises(DataError) as told:
        tune(tmp_path / "loop", how())
    assert str(told.value) == (
        f"{tmp_path / 'loop' / 'm'} is a link that leads nowhere; name a folder for the model"
    )
    with pytest.raises(DataError) as told:
        tune(tmp_path / "other", how(rate=1e30))
    assert str(told.value) == ("the loss is not finite at learning rate 1e+30; lower it")


@pytest.mark.slow
def test_the_real_minilm_learns_and_keeps_its_word_pieces(tmp_path):
    from simpatico.models.names import why_missing

    if why := why_missing("package:minilm-torch"):
        pytest.skip(why)
    inputs = FineTuning(rate=1e-4, batch=8, epochs=2, longest=32, tokens=("<me>",))
    result = tune(tmp_path, inputs, n=64)
    fresh = texts(10, seed=2)
    labels, shares = said_of(tmp_path / "m", fresh)
    right = shares[np.arange(10), fresh.target.astype(int)]
    assert (labels, min(result.losses) < 0.6) == (LABELS, True)
    assert -np.log(right).mean() == pytest.approx(min(result.losses), abs=1e-5)
    told = json.loads((tmp_path / "m" / "training.json").read_text())
    assert told["base"] == "package:minilm-torch"
    assert find_model(f"path:{tmp_path / 'm'}").config["vocab_size"] == 30_523
    from transformers import AutoTokenizer

    cut = AutoTokenizer.from_pretrained(tmp_path / "m", local_files_only=True)
    assert cut("<me>tea")["input_ids"][1] == 30_522


def test_an_encoder_without_case_can_be_shown_spelling():
    """Capitals and spaces before punctuation, which its own normaliser drops, are tokens."""
    if reason := why_missing(MINILM):
        pytest.skip(reason)
    tokenizer, _ = add_tokens(find_model(MINILM), ())
    plain = tokenizer.encode("No . I know, OK!").tokens[1:-1]
    assert plain == tokenizer.encode("no. i know , ok !").tokens[1:-1]
    show_spelling(tokenizer)
    tokens = tokenizer.encode("No . I know, OK!").tokens[1:-1]
    assert tokens == ["↑", "no", "←", ".", "↑", "i", "know", ",", "↑", "ok", "!"]
    assert tokenizer.encode("no. i know, ok!").tokens[1:-1] == plain


def test_a_vocabulary_without_arrows_cannot_show_spelling():
    inputs = how(spelling=True)
    with pytest.raises(DataError) as error:
        prepare_model(find_model(inputs.base), inputs, LABELS)
    assert str(error.value) == (
        "the vocabulary of the encoder has no '↑', which would show spelling; leave out --spelling"
    )

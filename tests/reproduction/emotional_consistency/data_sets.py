"""Small made-up files in the shape of those of the emotion paper and its corpora."""

import json
from zipfile import ZipFile

from simpatico.reproduction.emotional_consistency import data as files

HEAD = "user,sentence1(human),score1,Dialog rating1,sentence2(fb),score2,Dialog rating2,sentence3(gpt),score3,dialog rating3\n"
TALKS = (
    HEAD
    + "I won!,Great!,1,1,Oh.,.5,.5,How sad.,0,0\n"
    + "I am so glad.,Me too.,1,,Nice!,1,,I hate it.,0.5,\n"
    + ",,,,,,,,,\n"
    + "I lost.,How sad.,0.5,0.5,Sorry!,1,1,Great!,0,0.5\n"
    + ",,,,,,,,,\n"
)
MEANS = ",,0.8333333333,0.75,,0.8333333333,0.75,,0.1666666667,0.25\n"
EMPATHETIC = """Dialog_ID,Type,Actor,Text,Label
hit:1,situation,none,A party.,joyful
hit:1,utterance,speaker,"Well, a party!",joyful
hit:1,utterance,listener,Have fun there.,wishing
"""
SCENES = """TV Series,Utterances,dialog_ids,sentiment
FR,look at you,1,neutral
FR,i like it,1, Positve
FR,i hate it,2,negative
"""
COUNSEL = "questionID,questionText\n0,Why am I sad?\n0,Why am I sad?\n1,What now?\n"


def write_published(tmp_path):
    """Small files in the shape of the public ones."""
    own = tmp_path / "emotional-consistency"
    (own / "human_conversation").mkdir(parents=True)
    (own / files.CONVERSATIONS).write_text(TALKS + MEANS)
    for task in files.TASKS:
        for part in files.PARTS:
            (own / f"{task}_{part}.csv").write_text(
                "label,sentence1\n1,Nowhere to be found.\n0,Nor is this.\n"
            )
    (own / "NNC_test.csv").write_text("label,sentence1\n1,Well_comma_ a party!\n0,Is it you ? \n")
    folder = tmp_path / "empathetic-dialogues" / "e_annotated"
    folder.mkdir(parents=True)
    (folder / "joyful.csv").write_text(EMPATHETIC)
    for name, text in (("meisd", SCENES), ("counsel-chat", COUNSEL)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "all.csv").write_text(text)
    (tmp_path / "dailydialog").mkdir()
    turns = [("Is it you?", "no emotion"), ("Yes, me.", "happiness"), ("Yes, me.", "happiness")]
    dialog = {"dialogue_id": "d-1", "turns": [{"utterance": u, "emotion": e} for u, e in turns]}
    with ZipFile(tmp_path / "dailydialog" / "data.zip", "w") as archive:
        archive.writestr("data/dialogues.json", json.dumps([dialog]))
    return tmp_path

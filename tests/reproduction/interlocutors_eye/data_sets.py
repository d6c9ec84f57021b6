"""Made-up files in the shape of Hazumi, IRC, RealPersonaChat and Ji et al.

Persons differ: some rate high, some answer always. And words matter a little: "good" is liked.
"""

import gzip
import json
from datetime import date, timedelta
from math import sin

WORDS = ("good", "bad")


def noise(*numbers):
    """A number between -1 and 1 that looks random and never changes."""
    return sin(sum((at + 1.7) * 12.9898 * (number + 0.3) for at, number in enumerate(numbers)) ** 2)


def kind(*numbers):
    """1 for what is liked, 0 for what is not."""
    return int(noise(*numbers, 5) > 0)


def hazumi(folder, name, people=12, exchanges=20):
    """Participant p likes everything by p % 5 - 2 more than the middle."""
    rows = []
    for person in range(people):
        for n in range(exchanges):
            sign = 2 * kind(person, n) - 1
            own = 4 + (person % 5 - 2) + 0.8 * sign + 0.6 * noise(person, n)
            others = {f"UI_{o}": str(round(4 + 1.5 * sign)) for o in ("F1", "M2")}
            rows.append(
                {
                    "dialog": f"{name[-4:]}F{person:04}",
                    "start": 1000 * n,
                    "end": 1000 * n + 900,
                    "sys": f"{WORDS[1 - kind(person, n)]} {n}",
                    "user": "" if n % 7 == 0 else "hm",
                    "self": "E" if (person, n) == (0, 3) else str(min(7, max(1, round(own)))),
                    "outsiders": others,
                }
            )
    (folder / name).mkdir()
    (folder / name / "exchanges_parsed.json").write_text(json.dumps(rows))


def irc(folder, days=16, people=10):
    """Every day everybody asks and is helped; who has an even number thanks for it, mostly."""
    (folder / "irc" / "train").mkdir(parents=True)
    for day in range(days):
        lines, links = [], []
        for slot in range(people):
            person = (3 * slot + 5 * day) % people  # so that the clock tells nobody
            for again in range(2):
                clock = f"[{10 + slot // 4:02}:{slot % 4 * 14 + again * 4:02}]"
                at, helper = len(lines), f"helper{(person + again) % 3}"
                way = round(1e6 * abs(noise(day, person, again, 9)))
                lines.append(f"{clock} <asks{person}> how do I do thing {day}{again}?")
                lines.append(f"{clock} <{helper}> do it like {way}")
                links += [f"{at} {at} -", f"{at} {at + 1} -"]
                if noise(day, person, again) > (0.95 if person % 2 else -0.95):
                    lines.append(f"{clock} <asks{person}> thanks for {day}{again}")
                    links.append(f"{at + 1} {at + 2} -")
        lines += [f"[13:59] <helper0> bye {n}" for n in range(2)]
        links += [f"{n} {n} -" for n in (len(lines) - 2, len(lines) - 1)]
        stem = folder / "irc" / "train" / f"{date(2005, 1, 1) + timedelta(days=day)}.train-a"
        stem.with_name(stem.name + ".ascii.txt").write_text("\n".join(lines) + "\n")
        stem.with_name(stem.name + ".annotation.txt").write_text("\n".join(links) + "\n")


def persona(folder, people=6, rounds=6):
    """Everybody talks with everybody, again and again; two systems are rated by nobody we know."""
    home = folder / "real-persona-chat"
    (home / "llm").mkdir(parents=True)
    profiles = {
        f"P{n}": {"persona": [f"I am number {n}."], "personality": {}} for n in range(people)
    }
    (home / "interlocutors.json").write_text(json.dumps(profiles))
    talks = []
    for n in range(people * rounds):
        pair = n % people, (n + 1 + n // people % 3) % people
        talks.append(talk(n, [f"P{one}" for one in pair], pair))
    with gzip.open(home / "dialogues.jsonl.gz", "wt") as out:
        out.writelines(json.dumps(one) + "\n" for one in talks)
    systems = [with_system(n) for n in range(12)]
    (home / "llm" / "GPT-4.json").write_text(json.dumps(systems))


def talk(n, names, pair):
    utterances = [
        {
            "utterance_id": at,
            "interlocutor_id": names[at % 2],
            "text": f"{WORDS[1 - kind(n, at % 2)]} thing {at}",
            "timestamp": f"2022-08-{1 + n // 24:02}T{n % 24:02}:0{at}:00.000000",
        }
        for at in range(4)
    ]
    rated = [
        {"interlocutor_id": who, "satisfaction": 2 + one % 3 + kind(n, 1 - side)}
        for side, (who, one) in enumerate(zip(names, pair, strict=True))
    ]
    return {
        "dialogue_id": n,
        "interlocutors": names,
        "utterances": utterances,
        "evaluations": rated,
    }


def with_system(n):
    utterances = [
        {"utterance_id": at, "interlocutor": who, "text": f"{WORDS[1 - kind(n)]} {at}"}
        for at, who in enumerate(("user", "system") * 2)
    ]
    return {
        "dialogue_id": n,
        "system_id": "GPT-4",
        "interlocutor_id": "P1",
        "utterances": utterances,
        "evaluation": {"satisfaction": 3 + kind(n) + n % 2},
    }


def crowd(folder, workers=8, each=8):
    """Worker w rates by 5 w higher; every eighth dialog is with the bot that was made worse."""
    (folder / "ji2022").mkdir()
    sittings = []
    for worker in range(workers):
        talks = []
        for n in range(each):
            word = WORDS[1 - kind(worker, n)]
            score = 30 + 5 * worker + 10 * kind(worker, n)
            talks.append(
                {
                    "model": "QualityControl" if n % 8 == 7 else "A",
                    "dialogue": [{"user": "hi", "bot": f"{word} {n}"}] * 2,
                    "raw scores": {"interesting": score, "fun": 100 - score},
                }
            )
        sittings.append({"AssignmentId": f"a{worker}", "WorkerId": f"w{worker}", "data": talks})
    (folder / "ji2022" / "pass_free_run1.json").write_text(json.dumps(sittings))

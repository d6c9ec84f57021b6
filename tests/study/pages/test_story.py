"""A whole study in Chromium, by keyboard: two people talk with a bot, three others rate.

One of the three fails the attention checks, one loses the connection, one opens two tabs; what the
owner's page then says of agreement is what `validate` says of the export.
"""

import json
import re

import pytest
from playwright.sync_api import expect

from simpatico.study import schema as db
from simpatico.study.panel import new_panel_token
from tests.command_line import simpatico
from tests.reporting.test_axe import CONTRAST, STRUCTURE, violations

STUDY = """
name = "story"
title = "Two talks"
consent = "You will read two conversations."
guidelines = ["Judge the reply, not the person."]
completion_code = "SIM-42"
seed = 3

[talk]
bots = [{name = "vague", spec = "script:generic"}]
dialogs_per_bot = 2
min_turns = 4
max_turns = 6

[rate]
raters = 3

[checks]
every = 1
exclude_after = 2

[[questions]]
name = "engaging"
unit = "turn"
roles = ["outsider", "interlocutor"]
text = "How engaging is this reply?"
answers = ["not at all", "a little", "somewhat", "quite", "very"]

[[questions]]
name = "overall"
unit = "dialog"
roles = ["outsider", "interlocutor"]
text = "Overall, how good is this conversation?"
answers = ["very poor", "poor", "fair", "good", "very good"]

[[training]]
turns = [
  {who = "person", text = "Finally fixed my bike."},
  {who = "partner", text = "Bicycles have two wheels."},
]
expected = [
  {question = "engaging", turn = 1, value = 1, tolerance = 1, feedback = "It is true, but no reply."},
]
"""


def answer_all(page, digits, *, pass_checks=True):
    """Answer whatever is asked, question by question, until nothing is open."""
    given = iter(digits)
    answered = page.locator("#answered")
    for _ in range(60):
        done, every = map(int, re.findall(r"\d+", answered.inner_text())[:2])
        if done == every:
            return
        question = page.locator(".q.on")
        text = question.locator(".lab").inner_text()
        if "reading" in text:
            labels = question.locator("label .a").all_inner_texts()
            right = labels.index(re.search("“(.*)”", text)[1]) + 1
            page.keyboard.press(str(right if pass_checks else right % 3 + 1))
        else:
            page.keyboard.press(str(next(given)))
        expect(answered).to_have_text(f"{done + 1} of {every} answered")
    raise AssertionError("questions stayed open")


def begin(page):
    """Agree, and go through the practice round."""
    expect(page.get_by_role("button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Practice: a short round with feedback")
    page.keyboard.press("5")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.locator(".feedback")).to_contain_text("We chose “not at all”.")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_have_text("1 of about 2")


def rate_units(page, digits, **how):
    answer_all(page, digits, **how)
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_have_text("2 of about 2")
    answer_all(page, digits, **how)
    page.keyboard.press("Enter")


def rate_both(page, digits, **how):
    rate_units(page, digits, **how)
    expect(page.locator("h1")).to_have_text("Thank you, that was all")
    expect(page.locator(".code b")).to_have_text("SIM-42")


def talk(page, texts):
    expect(page.get_by_role("button")).to_be_focused()
    page.keyboard.press("Enter")
    for n, text in enumerate(texts):
        expect(page.locator("#say")).to_be_focused()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        expect(page.locator(".q:not(.wide)")).to_have_count(n + 1)
        page.keyboard.press("4")


def skip(page):
    """Give a unit back, by keyboard."""
    page.locator("#skip").press("Enter")
    expect(page.locator("dialog")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_have_count(0)


@pytest.fixture
def story(open_study, visit):
    study = open_study(STUDY)
    first, second = map(visit, study.links("interlocutor", 2))
    for page, texts, overall in (
        (first, "Hello! I moved here.|It is cold.|Bye", 2),
        (second, "Hi|What now?|So", 4),
    ):
        talk(page, texts.split("|"))
        # three exchanges are the most; the whole is asked, and a check
        answer_all(page, [overall])
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Thank you, that was all")
    return study


def test_a_whole_study(story, visit, tmp_path):
    careful, careless, unlucky = map(visit, story.links("outsider", 3))
    begin(careful)
    assert violations(careful, STRUCTURE) == []
    assert violations(careful, CONTRAST) == []
    assert "vague" not in careful.content()

    # two tabs: an answer in the first is what the second shows when it tries another one
    other = careful.context.new_page()
    other.goto(careful.url)
    expect(other.locator(".q.on")).to_have_count(1)
    careful.keyboard.press("5")
    expect(careful.locator("#save")).to_contain_text("Saved")
    other.keyboard.press("1")
    expect(other.locator("#banner")).to_contain_text("answered in another window")
    expect(other.locator(".q").first.locator("input:checked")).to_have_value("5")
    other.close()
    rate_both(careful, [4, 3, 4, 5, 2, 1, 2])

    begin(careless)
    rate_units(careless, [1, 1, 1, 1, 5, 5, 5, 5], pass_checks=False)
    expect(careless.locator("h1")).to_have_text("The study is closed for you")

    begin(unlucky)
    unlucky.context.set_offline(True)
    unlucky.keyboard.press("4")
    expect(unlucky.locator("#banner")).to_contain_text("No connection")
    expect(unlucky.locator("#save")).to_have_text("Not saved yet")
    unlucky.context.set_offline(False)
    expect(unlucky.locator("#save")).to_contain_text("Saved")
    expect(unlucky.locator("#banner")).to_have_text("")
    device = visit(unlucky.url)  # of the same person: everything is there, and can be taken back
    expect(device.locator("#answered")).to_contain_text("1 of ")
    device.keyboard.press("u")
    expect(device.locator("#answered")).to_contain_text("0 of ")
    device.keyboard.press("3")
    expect(device.locator("#save")).to_contain_text("Saved")
    unlucky.reload()
    expect(unlucky.locator(".q").first.locator("input:checked")).to_have_value("3")
    unlucky.keyboard.press("u")
    expect(unlucky.locator("#answered")).to_contain_text("0 of ")
    unlucky.reload()
    expect(unlucky.locator("#answered")).to_contain_text("0 of ")
    rate_both(unlucky, [4, 4, 3, 4, 2, 2, 3, 3])

    export = tmp_path / "results"
    done = simpatico("study", "report", story.file, "--out", export, "--metrics", "length")
    assert done.returncode == 0, done.stderr
    assert (export / "report.html").stat().st_mode & 0o777 == 0o600
    check_owner(story, visit, export)


def check_owner(story, visit, export):
    """The owner's page has validate's numbers, and says who failed the checks."""
    ratings = export / "judgements.csv"
    done = simpatico("validate", export / "run", "--judgements", ratings, "--json")
    rows = json.loads(done.stdout)["agreement"]
    alpha = {
        (r["quality"], r["level"]): r for r in rows if r["score"] == "krippendorff_alpha_ordinal"
    }
    page = visit(story.owner)
    expect(page.locator("#headline")).to_have_text(
        "0 of 2 units have 3 ratings, 2 of 2 talks have ended"
    )
    cells = page.locator("#agreement tbody tr").all_inner_texts()
    shown = {line.split()[0]: line.split("\t")[2] for line in cells}
    engaging, overall = alpha["engaging", "turn"], alpha["overall", "dialog"]
    value = f"{engaging['value']:.2f}".replace("-", "−").replace("0.", ".")
    assert shown["engaging"].startswith(f"{value} "), (shown, engaging)
    assert shown["engaging"].endswith(f"n = {engaging['n']}")
    assert (overall["status"], shown["overall"]) == ("too_few", "– (too few)")
    careless = page.locator("#raters tr", has_text="failed 2 checks")
    expect(careless).to_have_count(1)
    expect(careless).to_contain_text("2 of 2")
    for name, n in (("Include r004", 0), ("Exclude r004", 1)):  # the owner has the last word
        page.get_by_role("button", name=name).press("Enter")
        expect(
            page.locator("#raters tr", has_text="r004").locator("text=excluded by")
        ).to_have_count(n)
    assert violations(page, STRUCTURE) == []
    assert violations(page, CONTRAST) == []
    page.get_by_role("button", name="Pause the study").press("Enter")
    expect(page.locator("#headline")).to_contain_text("the study is paused")
    rater = visit(story.links("outsider", 1)[0])
    expect(rater.locator("h1")).to_have_text("The study is paused")


def test_a_talk_in_two_tabs_goes_on_in_both(open_study, visit):
    """What the second tab says is not lost: it sees what the first has said, and keeps the text."""
    page = visit(open_study(STUDY).links("interlocutor", 1)[0])
    expect(page.get_by_role("button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#say")).to_be_focused()
    other = page.context.new_page()
    other.goto(page.url)
    for tab, text in ((page, "Hello"), (other, "Good morning")):
        expect(tab.locator("#say")).to_be_focused()
        tab.keyboard.type(text)
        tab.keyboard.press("Enter")
        expect(tab.locator(".turn")).to_have_count(2)
        expect(tab.locator(".q:not(.wide)")).to_have_count(1)
    expect(other.locator("#banner")).to_contain_text("went on in another window")
    assert other.locator(".turn .said").first.inner_text() == "Hello"
    expect(other.locator("#say")).to_have_value("Good morning")
    other.keyboard.press("4")
    expect(other.locator("#say")).to_be_focused()
    other.keyboard.press("Enter")
    expect(other.locator(".turn .said")).to_have_count(4)
    expect(other.locator("#banner")).to_have_text("")


SHOWN = """
name = "shown"
title = "What it looks like"
language = "de"
question_sets = ["preference", "will_answer", "tbd"]
[rate]
source = "chats.jsonl"
raters = 2
[checks]
every = 1
"""


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_kind_of_question_on_wide_and_narrow_screens(open_study, visit, width, scheme):
    """Dialogs with scales, a range from 0 to 100, and a pair; nothing scrolls sideways."""
    study = open_study(SHOWN)
    page = visit(study.links("outsider", 1)[0], width=width, scheme=scheme)
    kinds = set()
    for _ in range(3):  # two dialogs and the pair of them
        expect(page.locator(".q.on")).to_have_count(1)
        kinds.add(page.locator("h1").inner_text())
        assert page.evaluate("document.documentElement.scrollWidth") == width
        # colours do not depend on the width, nor structure on colours
        assert violations(page, CONTRAST if width == 1400 else STRUCTURE) == []
        count = page.locator("#count").inner_text()
        skip(page)
        expect(page.locator("#count")).not_to_have_text(count)
    assert kinds == {
        "Lesen Sie das Gespräch, bewerten Sie jede Antwort und am Ende das Ganze",
        "Lesen Sie beide Gespräche und wählen Sie",
    }
    expect(page.locator("h1")).to_have_text("Im Moment gibt es nichts zu bewerten")


def test_a_link_that_is_not_valid_says_so(open_study, visit):
    study = open_study(SHOWN)
    expect(visit(study.address).locator("main")).to_contain_text("open the personal link")
    expect(visit(f"{study.address}/#none").locator("main")).to_contain_text("is not valid")
    expect(visit(f"{study.address}/owner#none").locator("main")).to_contain_text("is not valid")


def test_somebody_of_a_panel_comes_twice_and_goes_back_to_the_platform(open_study, visit):
    back = "https://platform.example/complete?cc=C1"
    panel = f'completion_url = "{back}"\n[panel]\nmax_raters = 1\n[rate]\nper_person = 1\n'
    text = SHOWN.replace('"preference", "will_answer", "tbd"', '"engagement"')
    study = open_study(
        text.replace('"de"', '"en"').replace("[rate]\n", panel).replace("= 1\n[ch", "= 0\n[ch")
    )
    token = new_panel_token(study.store, "shown")
    page = visit(f"{study.address}/panel?pid=p1&session=9#{token}")
    expect(page.locator(".q.on")).to_have_count(1)
    assert "p1" not in page.url
    assert token not in page.url
    again = visit(f"{study.address}/panel#{token}?pid=p1")  # appended behind the #: the same rater
    expect(again.locator(".q.on")).to_have_count(1)
    assert again.url == page.url
    full = visit(f"{study.address}/panel?pid=p2#{token}")
    expect(full.locator("main")).to_contain_text("all places of this study are taken")
    missing = visit(f"{study.address}/panel#{token}")
    expect(missing.locator("main")).to_contain_text("lacks your participant id")
    answer_all(page, [3, 4, 5])
    page.keyboard.press("Enter")
    link = page.get_by_role("link", name="Complete on the platform")
    expect(link).to_have_attribute("href", back)
    assert violations(page, STRUCTURE) == []
    assert violations(page, CONTRAST) == []
    expect(visit(study.owner).locator("#raters")).to_contain_text("outsider p1")


def test_a_slip_of_the_finger_loses_nothing(open_study, visit):
    """Enter before the end goes to what is open; to skip has to be meant, and digits wait for it."""
    page = visit(open_study(SHOWN.replace('"preference", ', "")).links("outsider", 1)[0], width=390)
    expect(page.locator(".q.on")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#answered")).to_have_text(
        "Bitte beantworten Sie zuerst die markierte Frage"
    )
    expect(page.locator(".q").first).to_be_focused()
    heading, count = page.locator("h1").inner_text(), page.locator("#count").inner_text()
    for close in ("Escape", "Tab"):  # from the button that skips to the one that does not
        page.locator("#skip").press("Enter")
        expect(page.locator("dialog")).to_be_visible()
        assert violations(page, STRUCTURE) == []
        page.keyboard.press("3")
        page.keyboard.press(close)
        if close == "Tab":
            page.keyboard.press("Enter")
        expect(page.locator("dialog")).to_have_count(0)
        expect(page.locator("#skip")).to_be_focused()
    assert (page.locator("h1").inner_text(), page.locator("#count").inner_text()) == (
        heading, count,
    )  # fmt: skip
    assert page.locator(".q.done").count() == 0


def test_a_browser_that_may_store_nothing_still_saves(open_study, visit):
    study = open_study(SHOWN.replace('"preference", ', ""))
    refuse = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})"
    page = visit(study.links("outsider", 1)[0], script=refuse)
    page.locator("input[type=number]").first.focus()
    page.keyboard.press("?")
    expect(page.locator("#save")).to_contain_text("Gespeichert")
    ((answer,),) = study.store.rows("shown", db.ANSWERS)
    assert (answer.question, answer.value, answer.state) == ("will_answer", None, "cannot_tell")


def test_the_last_number_and_enter_twice_end_a_dialog(open_study, visit):
    ask = SHOWN.replace('"preference", ', "").replace(', "tbd"', "").replace("= 1\n", "= 0\n")
    study = open_study(ask)
    page = visit(study.links("outsider", 1)[0])
    for _ in range(2):  # dialogs of one reply or two
        expect(page.locator(".q.on")).to_have_count(1)
        count = page.locator("#count").inner_text()
        for _ in range(page.locator(".q").count()):
            page.keyboard.type("7")
            page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page.locator("#count")).not_to_have_text(count)
    expect(page.locator("h1")).to_have_text("Vielen Dank, das war alles")
    (answers,) = study.store.rows("shown", db.ANSWERS)
    assert [a.value for a in answers] == [7, 7, 7]


def test_a_range_is_typed_and_what_was_never_asked_is_refused(open_study, visit):
    """On a range of 0 to 100, 0 is its lowest point; 72 is saved, and shown again after a reload."""
    study = open_study(SHOWN.replace('"preference", ', "").replace('"tbd"', '"engagement"'))
    page = visit(study.links("outsider", 1)[0])
    expect(page.locator(".q.on .lab")).to_have_text("How likely is it that you would answer this?")
    page.keyboard.type("0")
    page.keyboard.press("Enter")
    expect(page.locator("input[type=range]").first).to_have_value("0")
    page.keyboard.press("u")
    page.locator("input[type=number]").first.focus()
    page.keyboard.press("ArrowUp")  # moves, here too, and answers nothing
    page.keyboard.type("72")
    page.keyboard.press("Enter")
    expect(page.locator(".q.on .lab")).to_have_text("How engaging is this reply?")
    expect(page.locator("#save")).to_contain_text("Gespeichert")
    page.reload()
    expect(page.locator("input[type=number]").first).to_have_value("72")
    (answers,) = study.store.rows("shown", db.ANSWERS)
    assert {(a.question, a.revision, a.value) for a in answers} == {
        ("will_answer", 1, 0), ("will_answer", 2, None), ("will_answer", 3, 72)
    }  # fmt: skip
    refused = page.evaluate(
        """async (unit) => {
          const body = {unit, turn: 0, question: "engaging", value: 9, state: "given",
                        revision: 0, key: "0123456789abcdef"};
          const send = (change) => fetch("/api/answer", {method: "POST",
            headers: {Authorization: `Bearer ${location.hash.slice(1)}`},
            body: JSON.stringify({...body, ...change})}).then((r) => r.json());
          return [await send({}), await send({turn: 1})];
        }""",
        answers[0].unit,
    )
    assert refused == [
        {"problem": "this was not asked"}, {"problem": "this value is not on the scale"}
    ]  # fmt: skip
    page.context.set_offline(True)
    skip(page)
    expect(page.locator("#banner")).to_contain_text("Keine Verbindung")
    page.context.set_offline(False)
    expect(page.locator("#answered")).to_contain_text("0 von ")
    expect(page.locator("#banner")).to_have_text("")

// The rater's page: consent, a practice round, then one unit at a time.

import { Offline, Refused, call, hasToken } from "./api.js";
import { banner, byId, el, fill, showMessage } from "./dom.js";
import { CHECK, QuestionList, WHOLE, keysHelp, progressText, questionCard } from "./questions.js";
import { RETRY, Saving, pause } from "./saving.js";
import { drawTalk } from "./talk.js";

const page = { me: null, texts: {}, saving: null, list: null, history: [], unit: null, started: 0, opened: 0, times: [] };

async function start() {
  if (!hasToken()) return showMessage("simpatico", "Please open the personal link that you were given.");
  try {
    if (location.pathname === "/panel") await enrol();
    page.me = await call("me");
  } catch (error) {
    if (error instanceof Offline) {
      setTimeout(start, RETRY);
      return showMessage("simpatico", "No connection …");
    }
    return showMessage("simpatico", error.body?.text ?? "This link is not valid. Please check that it is complete.");
  }
  page.texts = page.me.texts;
  document.documentElement.lang = page.me.language;
  document.title = page.me.title;
  page.saving = new Saving(page.me.place, showSaving, showConflict);
  await page.saving.start();
  drawTop();
  await proceed(page.me.state);
}

// The link of a panel, with the id that the platform has added to it, becomes a personal one.
async function enrol() {
  const behind = location.hash.split(/[?&]/).slice(1).join("&");
  const parameters = Object.fromEntries([...new URLSearchParams(location.search), ...new URLSearchParams(behind)]);
  const { token } = await call("enrol", { parameters });
  history.replaceState(null, "", `/#${token}`);
}

// An answer of the server, asked for until there is a connection.
async function insist(path, body) {
  for (;;) {
    try {
      return await call(path, body);
    } catch (error) {
      if (!(error instanceof Offline)) throw error;
      showSaving("offline");
      await pause(RETRY);
    }
  }
}

async function proceed(state) {
  const texts = page.texts;
  if (state === "consent") return drawConsent();
  if (state === "training") return drawTraining(0);
  if (state === "paused") return showMessage(texts.paused_title, texts.paused_text);
  if (byId("count")) byId("count").textContent = "";
  if (state === "nothing") return showMessage(texts.nothing_title, texts.nothing_text);
  if (state === "excluded") return showMessage(texts.excluded_title, texts.excluded_text);
  return nextUnit();
}

function drawTop() {
  const { me, texts } = page;
  byId("top").replaceChildren(
    el("div", { class: "in" },
      el("b", {}, "simpatico"), el("span", { class: "study" }, me.title), el("span", { class: "mut" }, me.rater),
      el("span", { class: "fl" }), el("span", { id: "count" }),
      el("span", { class: "save", id: "save", role: "status" }, el("i", {}), el("span", {}, ""))),
    el("div", { class: "prog", id: "prog", role: "progressbar", "aria-label": texts.progress, "aria-valuemin": 0, "aria-valuemax": 100 }, el("span", {})));
}

function showProgress(done, left) {
  const all = done + left;
  const median = [...page.times].sort((a, b) => a - b)[page.times.length >> 1];
  const minutes = Math.max(1, Math.round((median * left) / 60_000));
  byId("count").replaceChildren(fill(page.texts.unit_of, { n: Math.min(done + 1, all), all }),
    page.times.length > 1 ? el("span", { class: "mut" }, " · ", fill(page.texts.minutes_left, { n: minutes })) : "");
  const inside = page.list?.items.length ? page.list.done / page.list.items.length : 0;
  showShare(all ? (100 * (done + inside)) / all : 0, all);
}

// How far somebody is; in steps, where these are few enough to be seen.
function showShare(share, steps) {
  const place = byId("prog");
  place.setAttribute("aria-valuenow", Math.round(share));
  place.firstChild.style.setProperty("width", `${share}%`);
  place.style.setProperty("--steps", steps <= 40 ? steps : 1);
}

function showSaving(state) {
  const place = byId("save");
  const { texts } = page;
  if (place) {
    place.className = `save ${state === "saved" ? "" : state === "offline" ? "bad" : "busy"}`;
    const time = new Date().toLocaleTimeString(page.me.language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
    const words = { saved: fill(texts.saved, { time }), saving: texts.saving, offline: texts.not_saved };
    place.lastChild.textContent = words[state];
  }
  if (state === "offline") banner(texts.offline, "bad");
  else if (byId("banner").classList.contains("bad") && state === "saved") banner("");
}

function showConflict(entry, error) {
  const latest = error.body.latest;
  if (latest && page.unit?.unit === entry.unit) {
    page.list.set(entry.turn, entry.question, latest);
    banner(page.texts.elsewhere);
    showState();
  } else if (error.status === 410) {
    banner(page.texts.gone);
    nextUnit();
  } else if (error.status === 403) {
    insist("me").then((me) => proceed(me.state));
  } else location.reload(); // what the server has is what is shown
}

function drawConsent() {
  const { me, texts } = page;
  const agree = el("button", { class: "main", onclick: async () => { await insist("consent", {}); banner(""); proceed(me.training.length ? "training" : "work"); } }, texts.agree);
  const paragraphs = me.consent.trim().split(/\n\s*\n/).map((text) => el("p", {}, text));
  byId("foot").setAttribute("hidden", "");
  byId("main").replaceChildren(el("div", { class: "message" }, el("h1", {}, texts.consent_title), paragraphs, el("p", {}, agree)));
  agree.focus();
}

// -- the dialog with its questions -----------------------------------------------------------

function drawLayout(title, lead) {
  const { me, texts } = page;
  byId("main").replaceChildren(el("div", { class: "page" },
    el("div", {}, el("h1", {}, title), lead ? el("p", { class: "lead" }, lead) : null, el("div", { id: "body" })),
    el("aside", { id: "aside", "aria-label": texts.guidelines }, el("div", { id: "card" }), keysHelp(texts, me.guidelines))));
  return byId("body");
}

function newList() {
  page.history = [];
  page.list = new QuestionList(page.texts, answered, (item) => byId("card").replaceChildren(questionCard(item, page.texts)));
  return page.list;
}

function drawTurn(turn, texts) {
  const who = turn.who === "partner" ? texts.partner : texts.person;
  return el("li", { class: `turn ${turn.who === "partner" ? "s" : ""}` }, el("span", { class: "w" }, who),
    el("div", {}, el("p", { class: "said", dir: "auto" }, turn.text), el("div", { class: "qs" })));
}

function drawDialog(body, turns, questions) {
  const own = questions.filter((q) => q.unit === "turn");
  const list = el("ol", { class: "conv" });
  body.append(list);
  for (const turn of turns) {
    const line = drawTurn(turn, page.texts);
    list.append(line);
    if (turn.rated) for (const question of own) page.list.add(turn.turn, question, line.querySelector(".qs"));
  }
  return list;
}

function drawWhole(body, questions, check, title = page.texts.whole) {
  if (!questions.length && !check) return;
  const place = el("section", { class: "whole", id: "whole" }, el("h2", {}, title));
  body.append(place);
  const all = [...questions];
  // not at the end, where everybody expects it
  if (check) all.splice(Math.floor(all.length / 2), 0, { name: CHECK, text: check.text, options: check.options, check: true });
  for (const question of all) page.list.add(WHOLE, question, place);
}

async function nextUnit() {
  const { me, texts } = page;
  const unit = await insist("next", {});
  if (byId("banner").classList.contains("bad")) banner("");
  page.unit = unit;
  page.ready = page.onTurnRated = null;
  page.started = page.opened = performance.now();
  if (unit.state === "done") {
    const code = unit.code ? el("p", { class: "code" }, texts.code, " ", el("b", {}, unit.code)) : null;
    const back = unit.url ? el("p", {}, el("a", { class: "main", href: unit.url }, texts.back)) : null;
    byId("count").textContent = "";
    return showMessage(texts.done_title, back ? texts.done_back : texts.done_text, code, back);
  }
  if (unit.state !== "work") return proceed(unit.state);
  newList();
  for (const answer of unit.answers) {
    page.list.answers.set(`${answer.turn}/${answer.question}`, answer);
    page.saving.know({ ...answer, unit: unit.unit });
  }
  for (const entry of page.saving.pending(unit.unit)) page.list.answers.set(`${entry.turn}/${entry.question}`, entry);
  if (unit.kind === "talk") drawTalk(page, drawLayout(texts.talk_title, me.talk.task || me.lead), { drawTurn, drawWhole, showState, drawFoot, finish, reopen: nextUnit, showShare });
  else drawUnit(unit);
  for (const { turn, question } of unit.answers) {
    const item = page.list.items.find((one) => one.turn === turn && one.question.name === question);
    if (item && page.list.isDone(item)) page.history.push({ item });
  }
  drawFoot();
  showState();
  if (page.list.firstOpen) page.list.activate(page.list.firstOpen, true);
  if (unit.kind !== "talk") scrollTo(0, 0);
}

function drawUnit(unit) {
  const { me, texts } = page;
  const own = me.questions;
  if (unit.kind === "pair") {
    const body = drawLayout(texts.rate_pair, me.lead);
    const sides = el("div", { class: "sides" });
    body.append(sides);
    unit.sides.forEach((turns, n) => {
      const side = el("section", { "aria-label": n ? texts.second_side : texts.first_side }, el("h2", {}, n ? texts.second_side : texts.first_side));
      sides.append(side);
      drawDialog(side, turns, []);
    });
    return drawWhole(body, own.filter((q) => q.unit === "pair"), unit.check, texts.choice);
  }
  const asked = unit.kind === "exchange" ? own.filter((q) => q.unit === "exchange") : own.filter((q) => q.unit === "dialog");
  const byTurn = unit.kind === "dialog" && own.some((q) => q.unit === "turn");
  const body = drawLayout(unit.kind === "exchange" ? texts.rate_exchange : byTurn ? texts.rate_dialog : texts.rate_whole, me.lead);
  drawDialog(body, unit.sides[0], byTurn ? own : []);
  if (byTurn && me.reveal) {
    const show = el("button", { type: "button", onclick: () => { page.revealed = unit.unit; reveal(); } }, texts.show_all);
    body.append(el("div", { class: "more", id: "more" }, el("span", {}), show));
  }
  drawWhole(body, asked, unit.check);
  reveal();
}

// Later turns appear as earlier ones are rated, against hindsight.
function reveal() {
  const more = byId("more");
  if (!more) return;
  const lines = [...document.querySelectorAll(".conv .turn")];
  const open = page.revealed === page.unit.unit ? lines.length : lines.findIndex((line) => [...line.querySelectorAll(".q")].some((q) => !q.classList.contains("done")));
  const last = open < 0 ? lines.length : open + 1;
  lines.forEach((line, n) => (line.hidden = n >= last));
  const left = Math.max(0, lines.length - last);
  more.hidden = left === 0;
  more.firstChild.textContent = fill(page.texts.more_turns, { n: left });
  const whole = byId("whole");
  if (whole) whole.hidden = left > 0;
}

function answered(item, answer, before) {
  page.history.push({ item, before });
  send(item, answer);
  reveal();
  page.onTurnRated?.();
  showState();
  const goesOn = page.unit.kind === "talk" && item.turn !== WHOLE && !byId("say").disabled;
  if (goesOn) byId("say").focus();
  return goesOn;
}

function send(item, answer) {
  if (page.training) return;
  const milliseconds = Math.round(performance.now() - page.started);
  page.started = performance.now();
  const { value, state } = answer;
  page.saving.add({ unit: page.unit.unit, turn: item.turn, question: item.question.name, value: value ?? null, state, milliseconds });
}

function undo() {
  const last = page.history.pop();
  if (!last) return;
  const answer = last.before && last.before.state !== "withdrawn" ? last.before : { value: null, state: "withdrawn" };
  page.list.set(last.item.turn, last.item.question.name, answer);
  send(last.item, answer);
  reveal();
  page.onTurnRated?.();
  showState();
  page.list.activate(last.item, true);
}

// -- the foot ---------------------------------------------------------------------------------

function drawFoot() {
  const { texts } = page;
  const skip = page.unit.kind === "talk" || page.training ? null : el("button", { type: "button", id: "skip", onclick: confirmSkip }, texts.skip);
  byId("foot").removeAttribute("hidden");
  byId("foot").replaceChildren(el("div", { class: "in" },
    el("button", { type: "button", id: "undo", onclick: undo }, texts.undo, " ", el("kbd", { "aria-hidden": "true" }, "U")), skip,
    el("span", { id: "answered", role: "status" }), el("span", { class: "fl" }),
    el("button", { type: "button", class: "main", id: "next", onclick: () => finish() }, page.training ? texts.check_answers : page.unit.kind === "talk" ? texts.finish_talk : texts.next, " ", el("kbd", { "aria-hidden": "true" }, "Enter"))));
}

function showState() {
  const list = page.list;
  byId("answered").textContent = progressText(page.texts, list);
  byId("next").setAttribute("aria-disabled", String(!isComplete()));
  byId("undo").setAttribute("aria-disabled", String(!page.history.length));
  if (page.unit && !page.training && page.unit.kind !== "talk") showProgress(page.unit.done, page.unit.left);
}

const isComplete = () => page.list.done === page.list.items.length && (page.ready?.() ?? true);

// Close the unit, once everything about it is saved, and open the next one.
async function leave(how) {
  if (page.closing) return;
  page.closing = true;
  try {
    await page.saving.start();
    await insist(how, { unit: page.unit.unit }).catch((error) => {
      if (!(error instanceof Refused)) throw error; // the next one says why
    });
    if (how === "finish") page.times.push(performance.now() - page.opened);
    await nextUnit();
  } finally {
    page.closing = false;
  }
}

// A unit that was given back does not come again, so a slip of the finger must not do it.
function confirmSkip() {
  const { texts } = page;
  const close = (choice) => () => { box.remove(); choice?.(); };
  const box = el("dialog", { "aria-labelledby": "skip-title", onclose: close() },
    el("h2", { id: "skip-title" }, texts.skip_title), el("p", {}, texts.skip_text),
    el("div", { class: "bar" },
      el("button", { type: "button", class: "main", onclick: close(() => leave("skip")) }, texts.skip_yes),
      el("button", { type: "button", onclick: close(() => byId("skip").focus()) }, texts.skip_no)));
  document.body.append(box);
  box.showModal();
}

// What is missing, where there is something: a key that does nothing leaves people puzzled.
function showOpen() {
  const open = page.list.firstOpen;
  if (open) page.list.activate(open, true);
  else byId("say")?.focus();
  byId("answered").textContent = open ? page.texts.answer_first : byId("hint")?.textContent ?? "";
}

function finish() {
  if (!isComplete()) return showOpen();
  if (page.training) page.training();
  else leave(page.unit.kind === "talk" ? "end" : "finish");
}

// -- the practice round -----------------------------------------------------------------------

function drawTraining(number) {
  const { me, texts } = page;
  page.unit = { unit: `training-${number}`, kind: "training" };
  newList();
  const body = drawLayout(texts.training_title, texts.training_lead);
  drawDialog(body, me.training[number], me.questions);
  drawWhole(body, me.questions.filter((q) => q.unit === "dialog"), null);
  page.training = () => compareTraining(number);
  drawFoot();
  showState();
  page.list.activate(page.list.items[0], true);
}

async function compareTraining(number) {
  const { me, texts } = page;
  const answers = Object.fromEntries([...page.list.answers].map(([key, answer]) => [key, answer.value]));
  const { feedback } = await insist("training", { number, answers });
  if (byId("banner").classList.contains("bad")) banner("");
  for (const old of document.querySelectorAll(".feedback")) old.remove();
  for (const line of feedback) {
    const item = page.list.items.find((one) => one.key === line.key);
    const words = line.right ? texts.right : fill(texts.wrong, { answer: label(item.question, line.value) });
    item?.element.append(el("p", { class: `feedback ${line.right ? "" : "bad"}`, role: "status" }, words, " ", line.feedback));
  }
  const go = async () => {
    page.training = null;
    if (number + 1 < me.training.length) return drawTraining(number + 1);
    await insist("trained", {});
    return nextUnit();
  };
  page.training = go;
  byId("next").firstChild.textContent = number + 1 < me.training.length ? texts.next : texts.begin;
  byId("next").focus();
  (document.querySelector(".feedback.bad") ?? document.querySelector(".feedback"))?.scrollIntoView({ block: "center" });
}

const label = (question, value) => (question.range ? String(value) : `“${question.answers[value - question.first]}”`);

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !page.list || document.querySelector("dialog")) return;
  const field = event.target.closest?.("textarea, input[type=number], input[type=range]");
  // in a field of numbers, arrows would change the answer
  if (field && !(field.type === "number" && /^(ArrowUp|ArrowDown|\?)$/.test(event.key))) return;
  if (/^[0-9?]$/.test(event.key) && page.list.press(event.key)) event.preventDefault();
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    page.list.move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key.toLowerCase() === "u") undo();
  else if (event.key === "Enter" && !event.target.closest?.("button, summary, a")) finish();
});

start();

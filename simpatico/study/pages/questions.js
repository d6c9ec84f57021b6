// Questions with their scales. One is active at a time: digits answer it, arrows move on.

import { el, fill } from "./dom.js";

export const key = (turn, question) => `${turn}/${question}`;
export const CHECK = "_check";
export const WHOLE = -1;

// The choices of a question as { value, label }; null for a scale of whole numbers.
export function choices(question, texts) {
  if (question.options) return question.options.map((label, value) => ({ value, label }));
  if (question.unit === "pair") {
    const labels = [texts.first, texts.second, texts.no_difference];
    return labels.map((label, value) => ({ value, label }));
  }
  if (question.range) return null;
  return question.answers.map((label, n) => ({ value: question.first + n, label }));
}

// Of a range, 0 may be its lowest point: digits are typed into its field.
const cannotTellKey = (question) => (question.range ? "?" : "0");

export class QuestionList {
  // `items`: { turn, question, place } in the order in which they are asked
  constructor(texts, onAnswer, onActive) {
    this.texts = texts;
    this.onAnswer = onAnswer;
    this.onActive = onActive;
    this.items = [];
    this.answers = new Map();
    this.active = null;
  }

  add(turn, question, place) {
    const item = { turn, question, key: key(turn, question.name) };
    item.element = this.draw(item);
    this.items.push(item);
    place.append(item.element);
    this.mark(item);
    return item;
  }

  draw(item) {
    const { question, turn } = item;
    const id = `q-${item.key}`;
    const options = choices(question, this.texts);
    const body = options ? this.drawChoices(item, options, id) : this.drawRange(item, id);
    return el("fieldset", {
      class: `q${turn === WHOLE ? " wide" : ""}`, id, tabindex: -1,
      onfocusin: () => this.activate(item, false),
    }, el("legend", { class: "lab" }, question.check ? el("small", {}, this.texts.check_label) : null, question.text),
    question.hint ? el("p", { class: "hint" }, question.hint) : null, body);
  }

  drawChoices(item, options, id) {
    const scale = el("div", { class: "scale", "data-points": options.length });
    scale.style.setProperty("--points", options.length);
    options.forEach((option, n) => scale.append(this.drawOption(item, id, option, n + 1, "")));
    if (item.question.cannot_tell) {
      const option = { value: null, label: this.texts.cannot_tell };
      scale.append(this.drawOption(item, id, option, cannotTellKey(item.question), "cj"));
    }
    return scale;
  }

  drawOption(item, id, option, key, kind) {
    const input = el("input", {
      type: "radio", name: id, value: option.value === null ? "cannot_tell" : option.value,
      onchange: () => this.choose(item, option.value),
    });
    const shown = option.label === String(key) ? null : el("span", { class: "n", "aria-hidden": "true" }, String(key));
    return el("label", { class: kind }, input, shown, el("span", { class: "a" }, option.label));
  }

  drawRange(item, id) {
    const [low, high] = item.question.range;
    const label = `${item.question.text} (${low}–${high})`;
    // pale until it is moved, as its place would suggest an answer; for keys there is the field, as
    // a step of the slider would be an answer each
    const slider = el("input", { type: "range", class: "unset", tabindex: -1, min: low, max: high, step: 1, "aria-label": label });
    const number = el("input", { type: "number", min: low, max: high, step: 1, "aria-label": label, inputmode: "numeric" });
    const set = (source) => {
      const value = Math.round(Number(source.value));
      if (source.value === "" || !(value >= low && value <= high)) return;
      this.choose(item, value);
    };
    slider.addEventListener("input", () => {
      number.value = slider.value;
      slider.classList.remove("unset");
    });
    slider.addEventListener("change", () => set(slider));
    number.addEventListener("change", () => set(number));
    const none = item.question.cannot_tell
      ? this.drawOption(item, id, { value: null, label: this.texts.cannot_tell }, cannotTellKey(item.question), "cj") : null;
    const anchors = item.question.anchors;
    return el("div", { class: "slide" }, el("span", {}, anchors[0]), slider, el("span", {}, anchors[1]), number, none);
  }

  // The answer of an item as the page shows it.
  mark(item) {
    const answer = this.answers.get(item.key);
    const given = answer && answer.state !== "withdrawn";
    item.element.classList.toggle("done", Boolean(given));
    for (const input of item.element.querySelectorAll("input")) {
      if (input.type === "radio") {
        const value = answer?.state === "cannot_tell" ? "cannot_tell" : String(answer?.value);
        input.checked = Boolean(given) && input.value === value;
      } else if (answer?.state === "given") {
        input.value = answer.value;
        input.classList.remove("unset");
      } else if (input.type === "number") {
        input.value = "";
      }
    }
  }

  set(turn, question, answer) {
    this.answers.set(key(turn, question), answer);
    const item = this.items.find((one) => one.key === key(turn, question));
    if (item) this.mark(item);
  }

  choose(item, value) {
    const answer = { value, state: value === null ? "cannot_tell" : "given" };
    const before = this.answers.get(item.key);
    this.set(item.turn, item.question.name, answer);
    if (this.onAnswer(item, answer, before)) return; // the page has moved the focus itself
    this.activate(this.firstOpen ?? item, true); // never left in a field, where keys are text
  }

  get firstOpen() {
    return this.items.find((one) => !this.isDone(one) && !one.element.closest("[hidden]"));
  }

  isDone(item) {
    const answer = this.answers.get(item.key);
    return Boolean(answer) && answer.state !== "withdrawn";
  }

  get done() {
    return this.items.filter((item) => this.isDone(item)).length;
  }

  activate(item, focus) {
    if (this.active && this.active !== item) this.active.element.classList.remove("on");
    const changed = this.active !== item;
    this.active = item;
    item.element.classList.add("on");
    if (focus) {
      // the question, never an option: a ring on "1" would suggest 1
      item.element.focus({ preventScroll: true });
      item.element.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion:reduce)").matches ? "auto" : "smooth" });
    }
    if (changed) this.onActive(item);
  }

  move(step) {
    const shown = this.items.filter((item) => !item.element.closest("[hidden]"));
    const index = shown.indexOf(this.active);
    const next = shown[Math.min(shown.length - 1, Math.max(0, index + step))];
    if (next) this.activate(next, true);
  }

  // A digit, or ?, answers the active question; true if it did.
  press(key) {
    if (!this.active) return false;
    const { question } = this.active;
    const options = choices(question, this.texts);
    const number = this.active.element.querySelector("input[type=number]");
    if (key === cannotTellKey(question) && question.cannot_tell) this.choose(this.active, null);
    else if (number) {
      number.select(); // the browser puts the digit there, so that it hears of the change
      return false;
    } else if (options?.[key - 1]) this.choose(this.active, options[key - 1].value);
    else return false;
    return true;
  }
}

// The card beside the dialog: the active question with its scale in words.
export function questionCard(item, texts) {
  const options = choices(item.question, texts);
  const { range, anchors } = item.question;
  const rows = options?.map((option, n) => [n + 1, option.label]) ?? range.map((value, n) => [value, anchors[n]]);
  if (item.question.cannot_tell) rows.push([cannotTellKey(item.question), texts.cannot_tell]);
  const list = el("dl", { class: "anch" }, rows.map(([key, words]) => [el("dt", {}, el("kbd", {}, String(key))), el("dd", {}, words)]));
  return el("div", { class: "card" }, el("h2", {}, item.question.text), item.question.hint ? el("p", {}, item.question.hint) : null, list);
}

export function keysHelp(texts, fixed) {
  const rows = [["1–9 0", texts.key_answer], ["↑ ↓", texts.key_move], ["U", texts.key_undo], ["Enter", texts.key_next]];
  return [
    fixed.length ? el("details", { open: innerWidth > 1020 }, el("summary", {}, texts.guidelines), el("ul", {}, fixed.map((line) => el("li", {}, line)))) : null,
    el("details", {}, el("summary", {}, texts.keys), el("dl", { class: "keys" }, rows.map(([keys, what]) => [el("dt", {}, keys.split(" ").map((k) => el("kbd", {}, k))), el("dd", {}, what)]))),
  ];
}

export const progressText = (texts, list) => fill(texts.answered, { done: list.done, all: list.items.length });

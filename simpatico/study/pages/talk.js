// A conversation with a bot: say something, read the reply as it comes, rate it, go on.

import { Offline, Refused, lines } from "./api.js";
import { banner, byId, el, fill } from "./dom.js";

export function drawTalk(page, body, tools) {
  const { me, texts, unit, list } = page;
  const own = me.questions.filter((q) => q.unit === "turn");
  const messages = unit.messages;
  const log = el("ol", { class: "conv", "aria-live": "polite" });
  const field = el("textarea", { id: "say", rows: 2, maxlength: 4000, "aria-label": texts.say, placeholder: texts.say });
  const send = el("button", { type: "submit", class: "main" }, texts.send);
  const hint = el("p", { class: "mut sm", id: "hint" });
  const form = el("form", { class: "say", onsubmit: (event) => { event.preventDefault(); say(); } }, field, send);
  const whole = el("div", { hidden: true });
  body.append(log, form, hint, whole);
  tools.drawWhole(whole, me.questions.filter((q) => q.unit === "dialog"), unit.check);
  const wholeItems = [...list.items];
  let busy = false;

  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      say();
    }
  });

  function draw(message, position) {
    const line = tools.drawTurn({ who: message.role === "user" ? "person" : "partner", text: message.text }, { ...texts, person: texts.you });
    log.append(line);
    if (message.role === "assistant") rate(line, position);
    return line;
  }

  function rate(line, position) {
    const place = line.querySelector(".qs");
    const added = own.map((question) => list.add(position, question, place));
    // questions about turns come before those about the whole
    list.items = [...list.items.filter((item) => !wholeItems.includes(item)), ...wholeItems];
    return added;
  }

  messages.forEach(draw);
  page.ready = () => !busy && messages.length >= me.talk.min_turns && !whole.hidden;
  page.onTurnRated = update;
  update();

  function turnsRated() {
    return list.items.every((item) => wholeItems.includes(item) || list.isDone(item));
  }

  function update() {
    const left = me.talk.min_turns - messages.length;
    const over = messages.length + 2 > me.talk.max_turns + 1;
    const rated = turnsRated();
    whole.hidden = left > 0 || !rated;
    if (!whole.hidden && whole.firstChild) whole.firstChild.hidden = false;
    field.disabled = busy || over || !rated;
    send.disabled = field.disabled;
    hint.textContent = busy ? texts.thinking : !rated ? texts.rate_first : over ? texts.turns_over : left > 0 ? fill(texts.turns_left, { n: left }) : texts.talk_ready;
    form.hidden = over;
    tools.showShare(Math.min(100, (100 * messages.length) / me.talk.min_turns), me.talk.min_turns);
    byId("count").textContent = fill(texts.talk_count, { n: messages.length, low: me.talk.min_turns, high: me.talk.max_turns });
  }

  async function say() {
    const text = field.value.trim();
    if (!text || busy || field.disabled) return;
    busy = true;
    const position = messages.length;
    const mine = tools.drawTurn({ who: "person", text }, { ...texts, person: texts.you });
    const reply = tools.drawTurn({ who: "partner", text: "" }, texts);
    const said = reply.querySelector(".said");
    log.append(mine, reply);
    field.value = "";
    update();
    hint.scrollIntoView({ block: "nearest" });
    try {
      await receive(text, position, said);
      messages.push({ role: "user", text }, { role: "assistant", text: said.textContent });
      banner("");
      const [first] = rate(reply, position + 1);
      busy = false;
      update();
      tools.showState();
      if (first) list.activate(first, true);
      else field.focus();
    } catch (error) {
      if (!(error instanceof Offline || error instanceof Refused)) throw error;
      if (error instanceof Refused && error.status === 409) {
        await tools.reopen(); // another window has spoken, or ended the talk
        banner(texts.talk_elsewhere, "warn");
        if (byId("say")) byId("say").value = text;
        return;
      }
      mine.remove();
      reply.remove();
      field.value = text;
      busy = false;
      banner(texts.no_reply, "warn");
      update();
      field.focus();
    }
  }

  async function receive(text, position, said) {
    let complete = false;
    for await (const line of lines("say", { unit: unit.unit, position, text })) {
      if (line.piece) said.textContent += line.piece;
      hint.scrollIntoView({ block: "nearest" });
      if (line.problem) break;
      complete ||= Boolean(line.done);
    }
    if (!complete) throw new Offline();
  }

  if (!messages.length) field.focus();
}

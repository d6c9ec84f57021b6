// The owner's page: how far the study is, how well raters agree, and what can be done about it.

import { Offline, call, hasToken, request } from "./api.js";
import { banner, byId, el, showMessage } from "./dom.js";

const REFRESH = 10_000;
const NAMES = {
  krippendorff_alpha_ordinal: "Krippendorff’s α (ordinal)",
  cohen_kappa_quadratic: "weighted κ (quadratic)",
  icc_2_1: "ICC(2,1)",
};
let busy = false;

const minus = (text) => text.replace("-", "−");
const coefficient = (x) => (x === null ? "–" : minus(x.toFixed(2)).replace(/^(−?)0\./, "$1."));
const interval = (r) => (r.low === null ? "(no CI)" : `[${coefficient(r.low)}, ${coefficient(r.high)}]`);
const seconds = (s) => (s === null ? "–" : s < 120 ? `${s} s` : `${Math.round(s / 60)} min`);
const ago = (now, then) => (then === null ? "never" : seconds(Math.max(0, Math.round(now - then))).concat(" ago"));

function table(caption, heads, rows) {
  const cells = (row, tag) => row.map((cell, n) => el(tag, { class: n && typeof cell !== "object" ? "num" : "", scope: tag === "th" ? "col" : null }, cell));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {}, el("thead", {}, el("tr", {}, cells(heads, "th"))), el("tbody", {}, rows.map(({ row, out }) => el("tr", { class: out ? "out" : "" }, cells(row, "td"))))));
}

function agreement(facts) {
  if (!facts.agreement.length) return el("p", { class: "mut" }, "No dialog is rated whole yet.");
  const names = Object.keys(NAMES);
  const rows = facts.agreement.map((row) => ({
    row: [el("span", {}, `${row.quality} `, el("span", { class: "mut" }, `of ${row.level}s`)), String(row.ratings),
      ...names.map((name) => {
        const r = row.statistics[name];
        return !r || r.value === null ? `– (${r ? r.status.replace("_", " ") : "none"})` : `${coefficient(r.value)} ${interval(r)}, n = ${r.n}`;
      })],
  }));
  return table("Inter-rater agreement", ["quality", "ratings", ...names.map((name) => `${NAMES[name]} [95% CI]`)], rows);
}

function raters(facts) {
  const rows = facts.raters.map((r) => {
    const button = el("button", { type: "button", class: "small", onclick: () => act("owner/exclude", { rater: r.rater, why: r.excluded ? null : "excluded by the owner" }) }, r.excluded ? `Include ${r.rater}` : `Exclude ${r.rater}`);
    const severity = r.severity.value === null ? "–" : `${coefficient(r.severity.value)} ${interval(r.severity)}`;
    return { out: Boolean(r.why_excluded), row: [el("span", {}, r.rater, " ", el("span", { class: "mut" }, r.person ? `${r.role} ${r.person}` : r.role)), String(r.finished), String(r.skipped), String(r.cannot_tell), seconds(r.median_seconds), r.checks ? `${r.failed} of ${r.checks}` : "–", severity, ago(facts.now, r.last_seen), el("span", {}, r.why_excluded ? `${r.why_excluded} ` : "", button)] };
  });
  return table("Raters", ["rater", "finished", "skipped", "can’t tell", "median time", "failed checks", "severity [95% CI]", "last answer", "excluded"], rows);
}

function holding(facts) {
  if (!facts.holding.length) return el("p", { class: "mut" }, "Nobody has an open dialog.");
  return table("Open dialogs", ["rater", "dialog", "since", "returned in"], facts.holding.map((h) => ({ row: [el("span", {}, h.rater), h.unit, ago(facts.now, h.since), seconds(Math.round(h.until - facts.now))] })));
}

function headline(facts) {
  const parts = [];
  if (facts.units) parts.push(`${facts.complete} of ${facts.units} units have ${facts.raters_per_unit} ratings`);
  const talks = facts.talks.reduce((sum, t) => [sum[0] + t.ended, sum[1] + t.wanted], [0, 0]);
  if (talks[1]) parts.push(`${talks[0]} of ${talks[1]} talks have ended`);
  return `${parts.join(", ")}${facts.paused ? "; the study is paused" : ""}`;
}

function meter(facts) {
  const share = facts.ratings_wanted ? (100 * facts.ratings) / facts.ratings_wanted : 0;
  const inner = el("span", {});
  inner.style.setProperty("width", `${Math.min(100, share)}%`);
  return el("div", { class: "meter", role: "progressbar", "aria-label": "ratings", "aria-valuenow": Math.round(share), "aria-valuemin": 0, "aria-valuemax": 100 }, inner);
}

function addRaters() {
  const role = el("select", { id: "role", "aria-label": "role" }, el("option", { value: "outsider" }, "who rate"), el("option", { value: "interlocutor" }, "who talk"));
  const number = el("input", { type: "number", min: 1, max: 1000, value: 3, "aria-label": "number of people" });
  const links = el("textarea", { class: "links", readonly: true, hidden: true, "aria-label": "personal links" });
  const add = async () => {
    const { raters: people } = await call("owner/raters", { role: role.value, number: Number(number.value) });
    links.hidden = false;
    links.value = people.map((p) => `${p.rater},${location.origin}/#${p.token}`).join("\n");
    links.focus();
    links.select();
    refresh();
  };
  return el("div", {}, el("div", { class: "bar" }, "Add", number, "people", role, el("button", { type: "button", onclick: add }, "Make personal links")), links);
}

async function download() {
  const response = await request("owner/export");
  const link = el("a", { href: URL.createObjectURL(await response.blob()), download: "study.zip" });
  link.click();
  URL.revokeObjectURL(link.href);
}

async function act(path, body) {
  await call(path, body);
  await refresh();
}

// Parts are drawn once and filled anew, so that the focus stays where it is.
function draw(facts) {
  document.title = `${facts.title}: owner`;
  byId("top").replaceChildren(el("div", { class: "in" }, el("b", {}, "simpatico"), el("span", {}, facts.title), el("span", { class: "mut" }, "owner’s page")));
  byId("main").replaceChildren(
    el("h1", { class: "big", id: "headline" }), el("div", { id: "meter" }),
    el("div", { class: "bar" }, el("button", { type: "button", id: "pause" }), el("button", { type: "button", onclick: download }, "Export (ZIP)")),
    el("h2", {}, "Inter-rater agreement"), el("div", { id: "agreement" }),
    el("h2", {}, "Raters"), el("div", { id: "raters" }), addRaters(),
    el("h2", {}, "Who has what"), el("div", { id: "holding" }),
    el("div", { id: "talks" }));
}

function update(facts) {
  byId("headline").textContent = headline(facts);
  byId("meter").replaceChildren(meter(facts));
  const pause = byId("pause");
  pause.textContent = facts.paused ? "Go on" : "Pause the study";
  pause.onclick = () => act("owner/pause", { paused: !facts.paused });
  const label = document.activeElement?.textContent;
  byId("agreement").replaceChildren(agreement(facts));
  byId("raters").replaceChildren(raters(facts));
  byId("holding").replaceChildren(holding(facts));
  if (facts.talks.length) byId("talks").replaceChildren(el("h2", {}, "Talks"), table("Talks", ["bot", "ended", "open", "wanted"], facts.talks.map((t) => ({ row: [el("span", {}, t.bot), String(t.ended), String(t.open), String(t.wanted)] }))));
  const again = [...document.querySelectorAll("#raters button")].find((b) => b.textContent.slice(8) === label?.slice(8));
  if (label && document.activeElement === document.body) again?.focus();
}

async function refresh() {
  if (busy) return;
  busy = true;
  try {
    const facts = await call("owner/overview");
    if (!byId("headline")) draw(facts);
    update(facts);
    banner("");
  } catch (error) {
    if (error instanceof Offline) banner("No connection; trying again.", "bad");
    else showMessage("simpatico", "This link is not valid. Please check that it is complete.");
  } finally {
    busy = false;
  }
}

if (!hasToken()) showMessage("simpatico", "Please open the owner’s link, which `simpatico study serve` printed.");
else {
  refresh();
  setInterval(refresh, REFRESH);
}

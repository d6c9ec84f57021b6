// The owner's page: how far the study is, how well raters agree, and what can be done about it.

import { Offline, Refused, call, hasToken, request } from "./api.js";
import { banner, byId, el, showMessage } from "./dom.js";

const REFRESH = 10_000;
const NAMES = {
  krippendorff_alpha_ordinal: "Krippendorff’s α (ordinal)",
  cohen_kappa_quadratic: "weighted κ (quadratic)",
  icc_2_1: "ICC(2,1)",
  pairwise_agreement: "pairs who agree",
};
let busy = false;

// What was to be done, with a sentence where it could not be.
const attempt = (work) => async () => {
  try {
    await work();
  } catch (error) {
    if (error instanceof Offline) banner("No connection; trying again.", "bad");
    else if (error instanceof Refused && error.status !== 401) banner(`Not done: ${error.message}.`, "warn");
    else if (error instanceof Refused) showMessage("simpatico", "This link is not valid. Please check that it is complete.");
    else throw error;
  }
};

const minus = (text) => text.replace("-", "−");
const decimals = (x) => minus((Math.round(100 * x) / 100 || 0).toFixed(2));
const coefficient = (x) => (x === null ? "–" : decimals(x).replace(/^(−?)0\./, "$1."));
const interval = (r) => (r.low === null ? "(no CI)" : `[${coefficient(r.low)}, ${coefficient(r.high)}]`);
// a difference is no correlation: it has its sign, and the zero before the point
const difference = (r) => `${r.value >= 0.005 ? "+" : ""}${decimals(r.value)} ${r.low === null ? "(no CI)" : `[${decimals(r.low)}, ${decimals(r.high)}]`}, n = ${r.n}`;
const seconds = (s) => (s === null ? "–" : s < 120 ? `${s} s` : `${Math.round(s / 60)} min`);
const ago = (now, then) => (then === null ? "never" : seconds(Math.max(0, Math.round(now - then))).concat(" ago"));

// Numbers stand to the right; the first column has words, and so has the one that is named.
function table(caption, heads, rows, words = 0) {
  const cells = (row, tag) => row.map((cell, n) => el(tag, { class: n && n !== words && typeof cell !== "object" ? "num" : "", scope: tag === "th" ? "col" : null }, cell));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {}, el("thead", {}, el("tr", {}, cells(heads, "th"))), el("tbody", {}, rows.map(({ row, out }) => el("tr", { class: out ? "out" : "" }, cells(row, "td"))))));
}

const noted = (note, ...parts) => el("div", {}, table(...parts), el("p", { class: "note" }, note));

function agreement(facts) {
  if (!facts.agreement.length) return el("p", { class: "mut" }, "No dialog is rated whole yet.");
  const names = Object.keys(NAMES).filter((name) => facts.agreement.some((row) => row.statistics[name]));
  const rows = facts.agreement.map((row) => ({
    row: [el("span", {}, `${row.quality} `, el("span", { class: "mut" }, `of ${row.level}s`)), String(row.ratings),
      ...names.map((name) => {
        const r = row.statistics[name];
        if (!r) return "–";
        return r.value === null ? `– (${r.status.replace("_", " ")})` : `${coefficient(r.value)} ${interval(r)}, n = ${r.n}`;
      })],
  }));
  return noted("Of finished dialogs by people who are not excluded; 95% CIs by bootstrap over dialogs, as validate has them.", "Inter-rater agreement", ["quality", "ratings", ...names.map((name) => `${NAMES[name]} [95% CI]`)], rows);
}

function raters(facts) {
  if (!facts.raters.length) return el("p", { class: "mut" }, "Nobody has a link yet.");
  const rows = facts.raters.map((r) => {
    const button = el("button", { type: "button", class: "small", onclick: () => act("owner/exclude", { rater: r.rater, why: r.excluded ? null : "excluded by the owner" }) }, r.excluded ? `Include ${r.rater}` : `Exclude ${r.rater}`);
    const severity = r.severity.value === null ? "–" : difference(r.severity);
    return { out: Boolean(r.why_excluded), row: [el("span", {}, r.rater, " ", el("span", { class: "mut" }, r.person ? `${r.role} ${r.person}` : r.role)), String(r.finished), String(r.skipped), String(r.cannot_tell), seconds(r.median_seconds), r.checks ? `${r.failed} of ${r.checks}` : "–", severity, ago(facts.now, r.last_seen), el("span", {}, r.why_excluded ? `${r.why_excluded} ` : "", button)] };
  });
  return noted("Severity: mean difference from the other raters, in shares of the scale; below zero is stricter. n: dialogs.", "Raters", ["rater", "finished", "skipped", "can’t tell", "median time", "failed checks", "severity [95% CI]", "last answer", "excluded"], rows, 8);
}

function holding(facts) {
  if (!facts.holding.length) return el("p", { class: "mut" }, "Nobody has an open dialog.");
  return table("Open dialogs", ["rater", "dialog", "since", "returned in"], facts.holding.map((h) => ({ row: [el("span", {}, h.rater), h.dialog, ago(facts.now, h.since), seconds(Math.round(h.until - facts.now))] })), 1);
}

function headline(facts) {
  const parts = [];
  if (facts.units) parts.push(`${facts.complete} of ${facts.units} units have ${facts.raters_per_unit} ratings`);
  const talks = facts.talks.reduce((sum, t) => [sum[0] + t.ended, sum[1] + t.wanted], [0, 0]);
  if (talks[1]) parts.push(`${talks[0]} of ${talks[1]} talks have ended`);
  return `${parts.join(", ")}${facts.paused ? "; the study is paused" : ""}`;
}

// What the headline leaves out, in one line.
function details(facts) {
  const sum = (name) => facts.raters.reduce((total, r) => total + r[name], 0);
  const begun = facts.raters.filter((r) => r.last_seen !== null).length;
  const parts = [
    facts.ratings_wanted && `${facts.ratings} of ${facts.ratings_wanted} ratings`,
    facts.raters.length && `${begun} of ${facts.raters.length} people have begun`,
    facts.holding.length && `${facts.holding.length} open now`,
    sum("checks") && `${sum("failed")} of ${sum("checks")} checks failed`,
  ];
  return parts.filter(Boolean).join(" · ");
}

function meter(facts) {
  const share = facts.ratings_wanted ? (100 * facts.ratings) / facts.ratings_wanted : 0;
  const inner = el("span", {});
  inner.style.setProperty("width", `${Math.min(100, share)}%`);
  return el("div", { class: "meter", role: "progressbar", "aria-label": "ratings", "aria-valuenow": Math.round(share), "aria-valuemin": 0, "aria-valuemax": 100 }, inner);
}

function addRaters(facts) {
  const labels = { outsider: "who rate", interlocutor: "who talk" };
  const role = el("select", { id: "role", "aria-label": "role" }, facts.roles.map((value) => el("option", { value }, labels[value])));
  const number = el("input", { type: "number", min: 1, max: 1000, required: true, value: 3, "aria-label": "number of people" });
  const links = el("textarea", { class: "links", readonly: true, hidden: true, "aria-label": "personal links" });
  const add = attempt(async () => {
    if (!number.reportValidity()) return;
    const { raters: people } = await call("owner/raters", { role: role.value, number: Number(number.value) });
    links.hidden = false;
    links.value = people.map((p) => `${p.rater},${location.origin}/#${p.token}`).join("\n");
    links.focus();
    links.select();
    refresh();
  });
  return el("div", {}, el("div", { class: "bar" }, "Add", number, "people", role, el("button", { type: "button", onclick: add }, "Make personal links")), links);
}

const download = attempt(async () => {
  const response = await request("owner/export");
  const link = el("a", { href: URL.createObjectURL(await response.blob()), download: "study.zip" });
  link.click();
  URL.revokeObjectURL(link.href);
});

const act = (path, body) => attempt(async () => {
  await call(path, body);
  await refresh();
})();

// Parts are drawn once and filled anew, so that the focus stays where it is.
function draw(facts) {
  document.title = `${facts.title}: owner`;
  byId("top").replaceChildren(el("div", { class: "in" }, el("b", {}, "simpatico"), el("span", {}, facts.title), el("span", { class: "mut" }, "owner’s page"), el("span", { class: "fl" }), el("span", { class: "mut", id: "updated" })));
  byId("main").replaceChildren(
    el("h1", { class: "big", id: "headline" }), el("div", { id: "meter" }), el("p", { class: "note", id: "details" }),
    el("div", { class: "bar" }, el("button", { type: "button", id: "pause" }), el("button", { type: "button", onclick: download }, "Export (ZIP)")),
    el("h2", {}, "Inter-rater agreement"), el("div", { id: "agreement" }),
    el("h2", {}, "Raters"), el("div", { id: "raters" }), addRaters(facts),
    el("h2", {}, "Who has what"), el("div", { id: "holding" }),
    el("div", { id: "talks" }));
}

function update(facts) {
  byId("headline").textContent = headline(facts);
  byId("meter").replaceChildren(meter(facts));
  byId("details").textContent = details(facts);
  byId("updated").textContent = `As of ${new Date(1000 * facts.now).toLocaleTimeString("en-GB")}`;
  const pause = byId("pause");
  pause.textContent = facts.paused ? "Resume the study" : "Pause the study";
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
  await attempt(async () => {
    const facts = await call("owner/overview");
    if (!byId("headline")) draw(facts);
    update(facts);
    banner("");
  })().finally(() => (busy = false));
}

if (!hasToken()) showMessage("simpatico", "Please open the owner’s link, which `simpatico study serve` printed.");
else {
  refresh();
  setInterval(refresh, REFRESH);
}

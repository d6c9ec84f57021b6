// Elements from values. Text is only ever set as text, so that nothing a dialog holds is markup.

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

export function banner(text, kind = "") {
  const place = byId("banner");
  place.className = text ? `banner ${kind}` : "";
  place.replaceChildren(text ? el("p", {}, text) : "");
}

export function showMessage(title, ...paragraphs) {
  byId("foot")?.setAttribute("hidden", "");
  const lines = paragraphs.filter(Boolean).map((p) => (p instanceof Node ? p : el("p", {}, p)));
  byId("main").replaceChildren(el("div", { class: "message" }, el("h1", {}, title), lines));
  byId("main").focus();
}

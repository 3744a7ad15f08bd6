// The table of what rules find: pages by fields, doubtful ones first; every cell can be accepted, corrected or denied.
import { el } from "./scythe.js";

const STEP = 12; // rows that are shown at first, and added at a time

export class Found {
  // `acts` has look(page, element), accept(page, name), acceptAll(page, names), correct(page, name), none(page, name), forget(page, name).
  constructor(doubtful, acts) {
    this.doubtful = doubtful;
    this.acts = acts;
    this.most = STEP;
    this.isOnly = false;
    this.section = document.getElementById("found");
    const only = document.getElementById("only");
    only.addEventListener("click", () => {
      this.isOnly = !this.isOnly;
      only.setAttribute("aria-pressed", String(this.isOnly));
      this.draw();
    });
    document.getElementById("more").addEventListener("click", () => {
      this.most += 4 * STEP;
      this.draw();
    });
  }

  show(seen) {
    this.seen = seen;
    this.draw();
  }

  draw() {
    const { rows, fields, others, is_tried } = this.seen;
    this.section.hidden = rows.length === 0;
    this.section.setAttribute("aria-busy", String(!is_tried));
    const names = fields.map((field) => field.name).filter((name) => rows[0]?.cells.some((cell) => cell.name === name));
    const doubtful = rows.filter((row) => row.doubt >= this.doubtful);
    const chosen = this.isOnly ? doubtful : rows;
    const count = `${rows.length} pages, ${doubtful.length ? `${doubtful.length} worth a look` : "none doubtful"}`;
    document.getElementById("found-count").textContent = is_tried ? count : "Learning…";
    document.getElementById("more").hidden = chosen.length <= this.most;
    const kinds = others === 1 ? "1 page is" : `${others} pages are`;
    document.getElementById("others").textContent = others
      ? `${kinds} of other kinds and not listed. If they have these fields too, pick one there.` : "";
    const held = document.activeElement?.dataset?.act;
    document.getElementById("table").replaceChildren(this.table(chosen.slice(0, this.most), names));
    if (held) this.section.querySelector(`[data-act="${CSS.escape(held)}"]`)?.focus();
  }

  table(rows, names) {
    const head = el("tr", {}, el("th", { scope: "col" }, "Page"), names.map((name) => el("th", { scope: "col" }, name)));
    const body = rows.map((row) => el("tr", {}, this.head(row), names.map((name) => this.cell(row, name))));
    if (!rows.length) return el("p", { class: "card soft" }, "Nothing is doubtful. Save the fields, or show more.");
    return el("div", { class: "wide", tabindex: "0", role: "region", "aria-labelledby": "found-title" },
      el("table", { class: "finds" }, el("thead", {}, head), el("tbody", {}, body)));
  }

  head(row) {
    const first = row.cells.flatMap((cell) => cell.elements)[0] ?? null;
    const go = el("button", { type: "button", class: "link", onclick: () => this.acts.look(row.page, first) }, row.title || row.name);
    const open = row.cells.filter((cell) => cell.values.length && cell.state === "found").map((cell) => cell.name);
    const all = open.length > 1 && row.doubt >= this.doubtful ? el("button", {
      type: "button", class: "small", "data-act": `all ${row.page}`, "aria-label": `All right: ${row.title || row.name}`,
      onclick: () => this.acts.acceptAll(row.page, open),
    }, "All right") : null;
    return el("th", { scope: "row", class: "page" }, go, el("span", { class: "soft small path" }, shortAddress(row.name)), all);
  }

  cell(row, name) {
    const cell = row.cells.find((each) => each.name === name);
    if (!cell) return el("td", {});
    const isDoubtful = cell.doubt >= this.doubtful;
    return el("td", { class: isDoubtful ? "doubtful" : "", "data-name": name },
      this.value(row, cell), this.said(cell), isDoubtful ? this.reasons(cell) : null, this.buttons(row, cell));
  }

  value(row, cell) {
    if (!cell.values.length) return el("span", { class: "soft nothing" }, cell.state === "none" ? "none here, you said" : "nothing found");
    const lines = cell.values.map((value) => el("span", { class: "value" }, value));
    if (cell.more) lines.push(el("span", { class: "soft small" }, `and ${cell.more} more`));
    if (!cell.elements.length) return el("div", {}, lines);
    const says = `Show ${cell.name} on the page`;
    return el("button", { type: "button", class: "link finding", title: says, onclick: () => this.acts.look(row.page, cell.elements[0]) }, lines);
  }

  said(cell) {
    if (!cell.values.length || (!cell.before && !cell.after)) return null;
    return el("span", { class: "soft small around", "aria-hidden": "true" }, `${cell.before}`, el("mark", {}, short(cell.values[0])), `${cell.after}`);
  }

  reasons(cell) {
    return el("ul", { class: "reasons warn small" }, cell.reasons.map((reason) => el("li", {}, reason)));
  }

  buttons(row, cell) {
    const { page } = row;
    const act = (says, what, run) => el("button", {
      type: "button", class: "small", "data-act": `${what} ${page} ${cell.name}`,
      "aria-label": `${says}: ${cell.name} on ${row.title || row.name}`, onclick: run,
    }, says);
    const isShown = cell.state === "shown" || cell.state === "none";
    const made = [];
    if (cell.state === "shown") made.push(el("span", { class: "tag good" }, "shown"));
    if (!isShown && cell.values.length) made.push(act("Right", "accept", () => this.acts.accept(page, cell.name)));
    made.push(act(cell.values.length ? "Correct" : "Pick it", "correct", () => this.acts.correct(page, cell.name)));
    if (!isShown) made.push(act("None here", "none", () => this.acts.none(page, cell.name)));
    else made.push(act("Forget", "forget", () => this.acts.forget(page, cell.name)));
    return el("div", { class: "acts" }, made);
  }
}

const short = (text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

function shortAddress(name) {
  try {
    const url = new URL(name);
    return `${url.pathname}${url.search}`;
  } catch {
    return name;
  }
}

// The end of annotating: what was said, how well it will do, and, once saved, what to do with it.
import { counted, el } from "./scythe.js";

const figure = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));

function figures(quality) {
  if (!quality) return [];
  return [figure("found of 100 relevant", String(Math.round(100 * quality.recall))), figure("right of 100 picked", String(Math.round(100 * quality.precision)))];
}

// Show what is confirmed and what is not, with the button that saves it.
export function showReview(place, { session, quality, go, save }) {
  const isReady = session.confirmed > 0;
  const isSaved = isReady && !session.is_unsaved;
  const left = session.pages.length - session.confirmed;
  const done = el("button", { type: "button", class: "primary", id: "done", disabled: !isReady, onclick: (event) => {
    event.target.disabled = true;
    save();
  } }, "Done: learn from it");
  place.replaceChildren(
    el("h2", { id: "review-title" }, left ? `${counted(session.confirmed, "page")} confirmed, ${left} left` : `All ${counted(session.pages.length, "page")} confirmed`),
    el("p", { class: "soft" }, isReady ? (quality ? quality.words : "How well it will do can be said once two pages with relevant images are confirmed.") : "Confirm a page, and there is something to learn from."),
    el("dl", { class: "figures" }, figures(quality)),
    el("ul", { class: "list" }, session.pages.map((page, at) => line(page, at, go))),
    el("div", { class: "row" }, done, el("button", { type: "button", onclick: () => go(left ? session.pages.findIndex((page) => !page.is_confirmed) : 0) }, left ? "Go on with the rest" : "Look again")),
    el("div", { "data-wait": true, "aria-live": "polite" }, isSaved ? el("p", { class: "soft" }, "All of it is saved already.") : null),
  );
}

function line(page, at, go) {
  const says = page.is_confirmed ? `${page.relevant} of ${counted(page.images, "image")}` : "not confirmed";
  return el("li", {}, el("button", { type: "button", onclick: () => go(at) }, el("span", { class: "called" }, `${at + 1}. ${page.title}`), el("span", { class: page.is_confirmed ? "tag good" : "tag" }, says)));
}

// Show what came of saving, and where to go from here.
export function showSaved(place, { saved, site, file, more }) {
  const where = `?site=${encodeURIComponent(site)}`;
  const commands = file ? [`scythe cut ${quoted(file)} PAGES -o out.jsonl`] : [];
  place.replaceChildren(
    el("p", {}, el("span", { class: "tag good" }, "✓ saved")),
    el("h2", { id: "review-title" }, "scythe knows which images you want"),
    el("p", { class: "soft" }, `Labels and model are in ${saved.where}. ${saved.quality ? saved.quality.words : "Two pages with relevant images would tell how well it does."}`),
    el("dl", { class: "figures" }, figure("pages labelled", String(saved.labelled)), figure("images looked at", String(saved.images)), figure("relevant", String(saved.relevant)), figures(saved.quality)),
    ...notes(saved).map((note) => el("p", { class: "small warn" }, note)),
    commands.length ? el("h3", {}, "Use it") : "",
    commands.length ? el("p", { class: "soft" }, "Extract pages of the site, saved ones or addresses, with their relevant images:") : "",
    commands.length ? el("pre", {}, commands[0]) : "",
    el("div", { class: "row" }, el("button", { type: "button", class: "primary", id: "more", onclick: more }, "Annotate more pages"), el("a", { class: "button", href: `/rules${where}` }, "See what was learned"), el("a", { class: "button", href: `/fields${where}` }, "Pick fields")),
  );
  place.focus({ preventScroll: true });
}

function notes(saved) {
  const said = [];
  if (saved.note) said.push(`No model by this method: ${saved.note}.`);
  if (saved.conflicts) said.push(`People do not agree on ${counted(saved.conflicts, "image")}; the majority counts, and a tie says nothing.`);
  return said;
}

function quoted(text) {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

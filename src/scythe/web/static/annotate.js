// Annotate: page after page, what is marked goes to the server at once, and the server knows what can be undone.
import { ask, attempt, counted, el, follow, say } from "./scythe.js";
import { Marks } from "./annotate_marks.js";
import { showReview, showSaved } from "./annotate_review.js";

const by = (id) => document.getElementById(id);
const panel = by("session");
const site = panel?.dataset.site;
const query = (page) => `?site=${encodeURIComponent(site)}${page === undefined ? "" : `&page=${page}`}`;

let session; // as the server sees it
let opened; // the page that is shown, with its images
let at = 0; // its place; as many as there are pages: the end
let sent = Promise.resolve(); // what is on its way, in order
let waiting = 0; // how many of these
let turn = 0; // of pages: an answer that comes too late is dropped
let marks;

// -- what the server is told ------------------------------------------------------------------------------------------

function tell(path, body) {
  waiting += 1;
  const answer = sent.then(() => ask(path, { site, ...body }));
  sent = answer.then(
    (seen) => {
      waiting -= 1;
      take(seen.session ?? seen);
    },
    () => {}, // it stays waiting, so that leaving warns; whoever asked says what went wrong
  );
  return answer;
}

function mark(isConfirmed = opened.summary.is_confirmed) {
  const relevant = opened.images.filter((image) => image.is_relevant).map((image) => image.row);
  opened.summary.is_confirmed = isConfirmed;
  opened.summary.is_touched = true;
  tellCount();
  return attempt(() => tell("/api/annotate/page", { page: opened.summary.page, relevant, is_confirmed: isConfirmed, by: by("by").value }));
}

// -- what is shown ----------------------------------------------------------------------------------------------------

function take(seen) {
  if (!seen.pages) return;
  if (seen.note && seen.note !== session?.note) say(seen.note, { isError: true });
  session = seen;
  by("undo").disabled = !seen.can_undo;
  by("redo").disabled = !seen.can_redo;
  by("save").hidden = !(seen.is_unsaved && seen.confirmed && at < seen.pages.length);
  by("far").max = seen.pages.length;
  by("far").value = seen.confirmed;
  by("far-says").textContent = `${seen.confirmed} of ${counted(seen.pages.length, "page")} confirmed`;
  by("steps").replaceChildren(...seen.pages.map(step), step({ title: "The end: look it over, and save" }, seen.pages.length));
}

function step(page, place) {
  const isEnd = place === session.pages.length;
  const says = isEnd ? "Done" : String(place + 1);
  const label = isEnd ? page.title : `Page ${place + 1}: ${page.title}${page.is_confirmed ? ", confirmed" : ""}`;
  return el("li", {}, el("button", { type: "button", class: page.is_confirmed ? "done" : null, "aria-current": place === at ? "step" : null, "aria-label": label, title: label, onclick: () => go(place) }, says));
}

function tellCount() {
  const relevant = opened.images.filter((image) => image.is_relevant).length;
  const suggested = opened.images.filter((image) => image.is_suggested).length;
  by("told").textContent = `${relevant} of ${opened.images.length} relevant`;
  by("told").classList.toggle("good", relevant > 0);
  const differs = opened.images.some((image) => image.is_relevant !== image.is_suggested);
  by("accept").replaceChildren(`Take ${suggested || ""} `, el("span", { class: "rest" }, suggested === 1 ? "suggestion" : "suggestions"));
  by("accept").disabled = !differs || !suggested;
  by("none").disabled = relevant === 0;
  // on the first page nothing is marked yet: nobody should confirm that by haste
  const isBare = !relevant && suggested > 0 && !opened.is_taught && !opened.summary.is_confirmed;
  by("accept").classList.toggle("foremost", isBare);
  by("confirm").classList.toggle("calm", isBare);
  by("confirm").textContent = `${relevant ? `Confirm ${counted(relevant, "relevant image")}` : "Confirm: none is relevant"} →`;
}

function hint() {
  if (opened.summary.is_confirmed) return "You are done with this page. What you change counts at once.";
  if (!opened.images.length) return "";
  if (opened.is_taught) return "Marked as scythe expects by what you showed it. Correct what is wrong.";
  return "Dashed: what scythe would guess on any site. Click what you want, or take its guesses.";
}

function tellWho() {
  const name = by("by").value.trim();
  by("who-says").textContent = name ? `${name}; ${counted(Number(by("count").value), "page")}` : "Your name, number of pages";
}

function draw() {
  const page = opened.summary;
  by("place").textContent = `Page ${at + 1} of ${session.pages.length}`;
  by("why").textContent = page.why ? `· ${page.why}` : "";
  by("page-title").textContent = page.title;
  by("page-url").textContent = page.url ?? page.name;
  by("hint").textContent = hint();
  by("back").disabled = at === 0;
  tellCount();
}

// Go to a page by its place, or to the end.
async function go(place, { focuses = false } = {}) {
  const mine = (turn += 1);
  await sent;
  at = Math.max(0, Math.min(place, session.pages.length));
  history.replaceState(null, "", `#${at === session.pages.length ? "end" : at + 1}`);
  if (at === session.pages.length) return end();
  const found = await attempt(() => ask(`/api/annotate/page${query(session.pages[at].page)}`));
  if (!found || mine !== turn) return;
  opened = found;
  swap(false);
  take(session);
  marks.show(opened, session.has_consent);
  draw();
  if (panel.getBoundingClientRect().top < 0) panel.scrollIntoView();
  if (focuses && opened.images.length) marks.point(marks.current, { focuses: true });
  if (session.is_taught) expect();
}

function swap(isEnd) {
  for (const id of ["work", "acts"]) by(id).hidden = isEnd;
  by("review").hidden = !isEnd;
}

// Say how well the model would do by now; it is asked for apart, since trying takes longer than fitting.
async function expect() {
  const quality = (await attempt(() => ask(`/api/annotate/quality${query()}`))) ?? null;
  const [found, right] = quality ? [quality.recall, quality.precision].map((share) => Math.round(100 * share)) : [];
  by("quality").textContent = quality ? `Expected: finds ${found} of 100, ${right} of 100 right` : "";
  by("quality").title = quality?.words ?? "";
  return quality;
}

async function end() {
  swap(true);
  take(session);
  const quality = await expect();
  if (at < session.pages.length) return; // somebody was faster
  showReview(by("review"), { session, quality, go, save });
  by("review").focus({ preventScroll: true });
  scrollTo(0, 0);
}

// -- what people do ---------------------------------------------------------------------------------------------------

function set(want) {
  const changed = opened.images.filter((image) => image.is_relevant !== want(image));
  if (!changed.length) return;
  for (const image of changed) {
    image.is_relevant = want(image);
    marks.draw(image.row);
  }
  mark();
}

const toggle = (row) => {
  const before = opened.images[row].is_relevant;
  marks.point(row, { scrolls: false });
  set((image) => (image.row === row ? !before : image.is_relevant));
};
const none = () => set(() => false);
const accept = () => by("accept").disabled || set((image) => image.is_suggested);

async function confirm() {
  const done = mark(true);
  const next = at + 1;
  if ((await done) === undefined) return;
  await go(next, { focuses: true });
}

async function back(which) {
  const stepped = await attempt(() => tell(`/api/annotate/${which}`, {}));
  if (!stepped) return;
  if (stepped.page === null) return say(which === "undo" ? "There is nothing to undo" : "There is nothing to do again");
  const place = session.pages.findIndex((page) => page.page === stepped.page);
  say(which === "undo" ? `Undone, on page ${place + 1}` : `Done again, on page ${place + 1}`);
  await (place === at && by("review").hidden ? again() : go(place));
}

// Show the same page as it stands now, without loading its frame again.
async function again() {
  const found = await attempt(() => ask(`/api/annotate/page${query(opened.summary.page)}`));
  if (!found || found.summary.page !== opened.summary.page) return;
  opened = found;
  marks.images = found.images;
  found.images.forEach((image) => marks.draw(image.row));
  draw();
}

async function save() {
  const isEnd = !by("review").hidden;
  await sent;
  const ended = await attempt(async () => {
    const job = await ask("/api/annotate/save", { site, by: by("by").value });
    return watch(job, isEnd);
  });
  take(await ask(`/api/annotate${query()}`));
  if (!ended) return isEnd ? end() : undefined;
  if (!isEnd) say(`Saved to ${ended.result.where}`);
  else showSaved(by("review"), { saved: ended.result, site, file: panel.dataset.file, more: () => begin({ pages: Number(by("count").value) || 6 }) });
}

function watch(job, isEnd) {
  return follow(job, (seen) => {
    if (isEnd) by("review").querySelector("[data-wait]")?.replaceChildren(el("div", { class: "progress" }, el("progress", { max: seen.total || 3, value: seen.done, "aria-label": "Saving" }), el("span", { class: "soft" }, seen.note)));
    else if (seen.state === "running") say(`Saving: ${seen.note}`);
  });
}

async function begin(wanted) {
  const seen = await attempt(() => ask("/api/annotate/begin", { site, ...wanted }));
  if (!seen) return;
  if (!seen.pages.length) return leave(); // the page says what to do then
  session = seen;
  by("count").value = seen.pages.length;
  tellWho();
  const first = seen.pages.findIndex((page) => !page.is_confirmed);
  await go(Math.max(first, 0));
}

function leave() {
  location.hash = "";
  location.reload();
}

async function consent(isGiven) {
  const given = await attempt(() => ask("/api/consent", { site, is_given: isGiven }));
  if (!given) return;
  session = { ...session, has_consent: given.is_given };
  if (at < session.pages.length) marks.show(opened, session.has_consent);
}

// -- keys -------------------------------------------------------------------------------------------------------------

const KEYS = {
  ArrowRight: () => marks.step(1), j: () => marks.step(1),
  ArrowLeft: () => marks.step(-1), k: () => marks.step(-1),
  x: () => opened.images.length && toggle(marks.current), " ": () => opened.images.length && toggle(marks.current),
  a: accept, 0: none, n: confirm, p: () => go(at - 1, { focuses: true }), s: () => go(at + 1, { focuses: true }),
  z: () => back("undo"), y: () => back("redo"), "?": () => by("keys").showModal(),
};
const ANYWHERE = ["z", "y", "p", "?"]; // also at the end
const kept = "scythe-annotate-keys";

function press(event) {
  if (event.target.closest("input:not([type=checkbox]), select, textarea, dialog") || event.altKey) return;
  const isCombined = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const name = isCombined && event.shiftKey && key === "z" ? "y" : key;
  if (isCombined && !["z", "y"].includes(name)) return;
  if (!isCombined && /^[a-z0]$/.test(name) && !by("single").checked) return;
  if (name === " " && event.target.closest("button, a, input")) return; // its own click does it
  const act = KEYS[name];
  if (!act || !opened || (!by("review").hidden && !ANYWHERE.includes(name))) return;
  event.preventDefault();
  act();
}

// -- beginning --------------------------------------------------------------------------------------------------------

function listen() {
  const acts = { back: () => go(at - 1), undo: () => back("undo"), redo: () => back("redo"), none, accept, skip: () => go(at + 1), save, confirm, help: () => by("keys").showModal(), "keys-close": () => by("keys").close() };
  for (const [id, act] of Object.entries(acts)) by(id).addEventListener("click", act);
  by("consent").addEventListener("change", (event) => consent(event.target.checked));
  by("count").addEventListener("change", (event) => event.target.reportValidity() && begin({ pages: Number(event.target.value) }));
  by("who").addEventListener("submit", (event) => event.preventDefault());
  by("by").addEventListener("change", () => {
    localStorage.setItem("scythe-by", by("by").value);
    tellWho();
  });
  by("by").value ||= localStorage.getItem("scythe-by") ?? "";
  tellWho();
  by("single").checked = localStorage.getItem(kept) !== "off";
  by("single").addEventListener("change", (event) => localStorage.setItem(kept, event.target.checked ? "on" : "off"));
  document.addEventListener("keydown", press);
  addEventListener("beforeunload", (event) => {
    if (session?.is_unsaved || waiting) event.preventDefault();
  });
}

async function start() {
  marks = new Marks({ stage: by("stage"), strip: by("strip"), ontoggle: toggle, onpoint: () => {} });
  listen();
  session = await attempt(() => ask(`/api/annotate${query()}`));
  if (!session) return;
  const wanted = location.hash.slice(1);
  const open = session.pages.findIndex((page) => !page.is_confirmed);
  await go(wanted === "end" || open < 0 ? session.pages.length : Number(wanted) >= 1 ? Number(wanted) - 1 : open);
}

if (panel) start();
by("again")?.addEventListener("click", async () => {
  const where = new URLSearchParams(location.search).get("site") ?? "";
  if (await attempt(() => ask("/api/annotate/begin", { site: where, pages: 50, again: true }))) location.reload();
});

// Crawls and watches: forms that start them, and a card for each run that is kept up to date while it goes on.
import { ask, attempt, counted, el, say } from "./scythe.js";

const list = document.getElementById("runs");
const cards = new Map(); // number of a run -> what shows it
const time = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const STATES = { running: "good", pausing: "warn", paused: "warn", done: "note", failed: "bad" };
const SAYS = { running: "running", pausing: "ending what is under way", paused: "paused", done: "done", failed: "failed" };
const HOW = { cut: "cut out of bytes", mixed: "cut in part", tree: "by the tree", cold: "first pages, by the tree" };
const WHY = {
  complete: "Every address that was found has been visited.",
  paused: "Everything so far is in the archive.",
  "nothing more is due": "Everything that was due has been visited.",
};
const LOOK_MS = 1000;

const number = (value) => value.toLocaleString("en").replaceAll(",", "\u202f");
const size = (bytes) => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)}\u202fKB` : `${(bytes / 1e6).toFixed(1)}\u202fMB`);

function figures(run) {
  if (run.watch) {
    const { pages, visits, records, troubles } = run.watch;
    return [["watched", number(pages)], ["visits", number(visits)], ["new records", number(records)], ["troubles", number(troubles)]];
  }
  const crawl = run.crawl;
  if (!crawl) return [];
  return [
    ["pages", number(crawl.pages)],
    ["records", number(crawl.records)],
    ["waiting", number(crawl.waiting)],
    ["requests", number(crawl.requests)],
    ["received", size(crawl.received)],
    ["pages a second", crawl.per_s.toFixed(1)],
    ["seconds between", String(Number(crawl.delay_s.toFixed(2)))],
    ["errors", number(crawl.errors)],
  ];
}

// Change what is there rather than make it anew: what has the focus, or is selected, stays.
function fill(holder, rows, make, change) {
  while (holder.children.length > rows.length) holder.lastElementChild.remove();
  rows.forEach((row, at) => {
    if (at >= holder.children.length) holder.append(make());
    change(holder.children[at], row);
  });
}

function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function showFigures(card, run) {
  fill(card.querySelector("[data-figures]"), figures(run), () => el("div", {}, el("dt"), el("dd")), (row, [name, value]) => {
    put(row.children[0], name);
    put(row.children[1], value);
  });
}

function showPace(card, run) {
  const svg = card.querySelector(".pace svg");
  const most = Math.max(...run.pace, 1);
  const steps = run.pace.map((count, at) => `M${at * 2 + (60 - run.pace.length) * 2} 32v${(-30 * count) / most}h1.5v${(30 * count) / most}z`);
  let path = svg.firstElementChild;
  if (!path) {
    path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    svg.append(path);
  }
  path.setAttribute("d", steps.join(""));
  const what = run.kind === "watch" ? "record" : "page";
  put(card.querySelector(".pace figcaption"), `last minute, ${counted(most, what)} a second at most`);
}

function showHow(card, run) {
  const share = card.querySelector(".share");
  const how = Object.entries(run.crawl?.how ?? {});
  share.hidden = !run.crawl;
  if (!run.crawl) return;
  fill(card.querySelector("[data-bar]"), how, () => el("span"), (part, [name, count]) => {
    part.className = name;
    part.title = `${HOW[name]}: ${count}`;
    part.style.flexGrow = count;
  });
  const { is_learned: isLearned, cut_share: cut, drift } = run.crawl;
  const said = [
    isLearned ? "The site is learned" : "Reading the first pages to learn the site",
    cut === null ? "" : `${Math.round(100 * cut)}\u202f% of the fields are cut out of bytes`,
    drift ? `${counted(drift, "thing")} stopped matching on the way` : "",
  ];
  put(card.querySelector("[data-how]"), said.filter(Boolean).join(", ") + ".");
}

function showReasons(card, run) {
  const reasons = [
    ...Object.entries(run.crawl?.why ?? {}).map(([why, count]) => `${count} not taken: ${why}`),
    ...Object.entries(run.crawl?.skipped ?? {}).map(([why, count]) => `${count} not followed: ${why}`),
    ...(run.watch?.soon ?? []).map((due) => `${new Date(due.at) <= new Date() ? "due now" : `next ${moment.format(new Date(due.at))}`}: ${due.page}`),
    ...run.notes,
  ];
  const holder = card.querySelector("[data-reasons]");
  holder.hidden = reasons.length === 0;
  put(holder.querySelector("summary"), run.watch ? "Next visits and notes" : "What was not taken, and why");
  fill(holder.querySelector("ul"), reasons, () => el("li"), put);
}

function showLatest(card, run) {
  const rows = run.last.slice(0, 10);
  const make = () => el("li", {}, el("time"), el("span", { class: "tag" }), el("span", { class: "what" }, el("strong"), el("span", { class: "soft" })));
  fill(card.querySelector(".latest"), rows, make, (row, one) => {
    const [at, tag, what] = row.children;
    at.dateTime = one.at;
    put(at, time.format(new Date(one.at)));
    put(tag, one.what);
    tag.className = `tag ${{ trouble: "bad", lost: "bad", new: "good", record: "good", changed: "note" }[one.what] ?? ""}`;
    put(what.children[0], one.title || one.url);
    put(what.children[1], [one.title ? one.url : "", one.said].filter(Boolean).join(" · "));
  });
  card.querySelector("h3").hidden = rows.length === 0;
}

function show(run) {
  let card = cards.get(run.number);
  if (!card) {
    card = document.getElementById("run-card").content.firstElementChild.cloneNode(true);
    card.dataset.run = run.number;
    card.querySelector("[data-pause]").addEventListener("click", () => press(run.number, "pause"));
    card.querySelector("[data-continue]").addEventListener("click", () => press(run.number, "continue"));
    cards.set(run.number, card);
    list.prepend(card);
    list.hidden = false;
  }
  const was = card.dataset.state;
  card.dataset.state = run.state;
  put(card.querySelector("h2"), run.title);
  card.setAttribute("aria-label", `${run.kind}: ${run.title}`);
  const tag = card.querySelector("[data-state]");
  tag.className = `tag ${STATES[run.state]}`;
  put(tag, SAYS[run.state]);
  put(card.querySelector("[data-why]"), WHY[run.state === "paused" ? "paused" : run.why] ?? run.why);
  showMeter(card, run);
  showFigures(card, run);
  showPace(card, run);
  showHow(card, run);
  showReasons(card, run);
  showLatest(card, run);
  showActions(card, run);
  // Figures change every second and say nothing; only a change of state is spoken.
  if (was && was !== run.state) say(`${run.title}: ${SAYS[run.state]}${run.why && run.state !== "paused" ? `, ${WHY[run.why] ?? run.why}` : ""}`, { isError: run.state === "failed" });
}

function showMeter(card, run) {
  const meter = card.querySelector(".meter");
  const limit = run.crawl?.limit;
  const whole = limit || (run.crawl ? run.crawl.pages + run.crawl.waiting : 0);
  meter.hidden = !run.crawl;
  meter.firstElementChild.max = whole || 1;
  meter.firstElementChild.value = run.state === "done" ? whole : Math.min(run.crawl?.pages ?? 0, whole);
}

function showActions(card, run) {
  const [pause, go] = [card.querySelector("[data-pause]"), card.querySelector("[data-continue]")];
  const isOver = !["running", "pausing"].includes(run.state);
  const had = document.activeElement === pause || document.activeElement === go;
  pause.hidden = isOver;
  pause.disabled = run.state === "pausing";
  go.hidden = !isOver;
  put(go, run.state === "paused" ? "Continue" : "Run again");
  go.classList.toggle("primary", run.state === "paused");
  if (had && document.activeElement !== pause && document.activeElement !== go) (isOver ? go : pause).focus();
  const links = run.kind === "watch" ? [["/schedule", "Schedule"]] : [[`/archive?site=${encodeURIComponent(run.site)}`, "What is archived"], [`/rules?site=${encodeURIComponent(run.site)}`, "Rules"]];
  fill(card.querySelector("[data-links]"), links, () => el("a"), (link, [href, text]) => {
    link.setAttribute("href", href);
    put(link, text);
  });
}

async function press(number, what) {
  const run = await attempt(() => ask(`/api/runs/${number}/${what}`, {}));
  if (run) follow(run);
}

const followed = new Set();
async function follow(run) {
  show(run);
  if (followed.has(run.number)) return;
  followed.add(run.number);
  let seen = run;
  while (["running", "pausing"].includes(seen.state)) {
    await new Promise((go) => setTimeout(go, LOOK_MS));
    const now = document.hidden ? seen : await attempt(() => ask(`/api/runs/${run.number}`));
    if (!now) break; // scythe has ended; what is shown stays
    seen = now;
    show(seen);
  }
  followed.delete(run.number);
}

const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
const words = (text) => text.split(/\s+/).filter((word) => word && word !== "auto");
const whole = (text) => (text.trim() === "" ? null : Number(text));

async function start(form, path, wanted) {
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  const run = await attempt(() => ask(path, wanted));
  button.disabled = false;
  if (!run) return;
  follow(run);
  say(`${run.title}: started`);
  cards.get(run.number).scrollIntoView({ block: "nearest" });
}

const crawl = document.getElementById("crawl");
crawl?.addEventListener("submit", (event) => {
  event.preventDefault();
  const said = crawl.elements;
  start(crawl, "/api/runs/crawl", {
    url: said.url.value,
    limit: whole(said.limit.value),
    delay: Number(said.delay.value),
    depth: whole(said.depth.value),
    contact: said.contact.value,
    allow: lines(said.allow.value),
    deny: lines(said.deny.value),
    parts: [...said.parts].filter((box) => box.checked).map((box) => box.value),
    methods: said.methods.value.trim() === "" ? null : words(said.methods.value),
    subdomains: said.subdomains.checked,
    keep_raw: said.keep_raw.checked,
    refresh: said.refresh.checked,
  });
});
for (const button of document.querySelectorAll("[data-left]")) {
  button.addEventListener("click", () => {
    crawl.elements.url.value = button.dataset.left;
    crawl.elements.url.focus();
    crawl.elements.url.scrollIntoView({ block: "center" });
  });
}
const watch = document.getElementById("watch");
watch?.addEventListener("submit", (event) => {
  event.preventDefault();
  start(watch, "/api/runs/watch", { once: watch.elements.once.checked });
});

for (const run of (await attempt(() => ask("/api/runs"))) ?? []) follow(run);

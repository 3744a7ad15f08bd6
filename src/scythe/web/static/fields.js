// Pick fields: an element is chosen, named and shown to scythe, which learns at once and says what it finds elsewhere.
import { ask, attempt, counted, el, follow, say } from "./scythe.js";
import { Picker } from "./fields_stage.js";
import { Found } from "./fields_table.js";

const at = (id) => document.getElementById(id);
const bench = at("fields");
const site = bench.dataset.site;
const doubtful = Number(bench.dataset.doubtful);
let page = Number(bench.dataset.page);
let seen = null; // where things stand
let chosen = null; // the element chosen, as the server sees it; {element: null} for a text of the head
let take = null; // what of it is taken
let isLearning = false;

const picker = new Picker(at("stage"), { onchoose: (element) => choose(element).then(enterName), onkey: step });
const found = new Found(doubtful, {
  look: (number, element) => { show(number, element); at("stage").scrollIntoView({ block: "center" }); },
  accept: (number, name) => change("accept", { page: number, name }, `Right: ${name}`),
  acceptAll,
  none: (number, name) => change("none", { page: number, name }, `No ${name} on this page`),
  forget: (number, name) => change("forget", { site, page: number, name }, `Forgotten: ${name} on this page`),
  correct,
});

// -- the page ----------------------------------------------------------------------------------------------------------

function show(number, element = null) {
  letGo();
  page = number;
  at("page").value = String(number);
  picker.show(number);
  mark();
  if (element !== null) picker.look(element);
  if (at("texts").open) listTexts();
  drawFields();
}

function mark() {
  const row = seen?.rows.find((each) => each.page === page);
  picker.mark((row?.cells ?? []).flatMap((cell) => cell.elements.map((element) => ({
    element, name: cell.name, isDoubtful: cell.doubt >= doubtful,
  }))));
}

function turn(by) {
  const numbers = [...at("page").options].map((option) => Number(option.value));
  show(numbers[(numbers.indexOf(page) + by + numbers.length) % numbers.length]);
}

at("page").addEventListener("change", () => show(Number(at("page").value)));
at("before").addEventListener("click", () => turn(-1));
at("after").addEventListener("click", () => turn(1));
at("consent").addEventListener("click", () => attempt(async () => {
  const isGiven = at("consent").getAttribute("aria-pressed") !== "true";
  await ask("/api/consent", { site, is_given: isGiven });
  at("consent").setAttribute("aria-pressed", String(isGiven));
  show(page);
  say(isGiven ? "Pictures and styles are loaded from the site" : "Nothing is loaded from the site");
}));

// -- choosing ----------------------------------------------------------------------------------------------------------

async function choose(element) {
  const told = await attempt(() => ask(`/api/fields/element?page=${page}&element=${element}`));
  if (!told) return;
  chosen = told;
  picker.choose(element);
  drawTakes(told.takes);
  at("path").replaceChildren(...told.path.slice(-4).map((each, i, all) => el("button", {
    type: "button", class: "small", "aria-current": i === all.length - 1 ? "true" : null, onclick: () => choose(each.element),
  }, each.says)));
  open(told.says);
}

// On narrow windows the form stands below the page.
function enterName() {
  if (!chosen) return;
  at("name").focus({ preventScroll: true });
  if (matchMedia("(max-width: 56rem)").matches) at("chosen").scrollIntoView({ block: "start" });
}

function chooseText(block) {
  if (block.element !== null) return choose(block.element).then(() => at("name").focus());
  chosen = { element: null };
  picker.choose(null);
  drawTakes([{ element: null, attribute: "", says: block.says, value: block.text }]);
  at("path").replaceChildren(el("span", { class: "soft small" }, `in the head of the page: ${block.says}`));
  open(block.says);
  at("name").focus();
  return undefined;
}

function open(says) {
  at("chosen-title").textContent = take ? "Name this value" : "Nothing can be taken here";
  at("invite").hidden = true;
  at("pick").hidden = false;
  at("do-pick").disabled = !take;
  at("pick").setAttribute("aria-label", says);
  drawChips();
}

function letGo() {
  chosen = take = null;
  picker.choose(null);
  at("pick").hidden = true;
  at("invite").hidden = false;
  at("invite").textContent = "Click it, or find it in the list.";
  at("chosen-title").textContent = "Choose a value";
  at("name").value = "";
}

function drawTakes(takes) {
  const lines = takes.map((each, i) => {
    const radio = el("input", { type: "radio", name: "take", onchange: () => setTake(each) });
    radio.checked = i === 0;
    return el("label", {}, radio, el("span", {}, el("b", {}, each.says), " ", el("span", { class: "soft" }, each.value.slice(0, 90))));
  });
  at("takes").replaceChildren(el("legend", {}, "Take"), ...lines);
  at("takes").hidden = takes.length < 2;
  setTake(takes[0] ?? null);
}

function setTake(one) {
  take = one;
  at("value").value = one?.value ?? "";
  at("value").rows = Math.min(6, 1 + Math.ceil((one?.value.length ?? 0) / 34));
}

function step(key) {
  if (key === "Escape") return letGo();
  if (key === "Enter") return chosen ? at("name").focus() : undefined;
  if (!chosen || chosen.element === null) return tell(choose(0));
  const next = { ArrowUp: chosen.parent, ArrowDown: chosen.child, ArrowLeft: chosen.previous, ArrowRight: chosen.next }[key];
  return next === null ? say("There is nothing further that way") : tell(choose(next));
}

// Who walks by keys may not see the box.
async function tell(choosing) {
  await choosing;
  if (chosen) say(`${chosen.says}: ${chosen.text.slice(0, 120) || "no text"}`);
}

at("let-go").addEventListener("click", letGo);
at("part").addEventListener("click", () => {
  const { selectionStart: start, selectionEnd: end, value } = at("value");
  if (start === end) return say("Mark some words of the value first");
  at("value").value = value.slice(start, end).trim();
  return at("value").focus();
});

// -- texts -------------------------------------------------------------------------------------------------------------

let asked = 0;
async function listTexts() {
  const mine = ++asked;
  const told = await attempt(() => ask(`/api/fields/texts?page=${page}&text=${encodeURIComponent(at("sought").value)}`));
  if (!told || mine !== asked) return;
  at("texts-count").textContent = told.total > told.texts.length ? `${told.texts.length} of ${told.total} texts` : counted(told.total, "text");
  at("texts-list").replaceChildren(...told.texts.map((block) => el("li", {}, el("button", {
    type: "button", onclick: () => chooseText(block),
  }, el("span", { class: "tag" }, block.says), " ", block.text.slice(0, 120)))));
}

at("texts").addEventListener("toggle", () => at("texts").open && listTexts());
let waiting;
at("sought").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(listTexts, 120);
});

// -- fields ------------------------------------------------------------------------------------------------------------

function drawChips() {
  const names = seen?.fields.map((field) => field.name) ?? [];
  at("chips").replaceChildren(...names.map((name) => el("button", {
    type: "button", class: "small", onclick: () => { at("name").value = name; drawAlso(); at("name").focus(); },
  }, name)));
  drawAlso();
}

function drawAlso() {
  const field = seen?.fields.find((each) => each.name === at("name").value.trim());
  const has = field?.shown.find((each) => each.page === page)?.values.length;
  at("also").hidden = !has;
  at("do-pick").textContent = has ? "This one instead" : "Pick it";
}

at("name").addEventListener("input", drawAlso);
at("pick").addEventListener("submit", (event) => {
  event.preventDefault();
  pick(false);
});
at("also").addEventListener("click", () => pick(true));

async function pick(also) {
  if (!take) return;
  const name = at("name").value;
  const value = at("value").value === take.value ? "" : at("value").value;
  const body = { page, name, attribute: take.attribute, also, value: take.element === null ? at("value").value : value };
  if (take.element !== null) body.element = take.element;
  if (await change("pick", body, `Picked: ${name.trim()}`)) letGo();
}

async function change(what, body, says) {
  const told = await attempt(() => ask(`/api/fields/${what}`, body));
  if (!told) return false;
  say(says);
  draw(told);
  learn();
  return true;
}

async function acceptAll(number, names) {
  const told = await attempt(async () => {
    let last;
    for (const name of names) last = await ask("/api/fields/accept", { page: number, name });
    return last;
  });
  if (!told) return;
  say(`Right: ${names.join(", ")}`);
  draw(told);
  learn();
}

function correct(number, name) {
  show(number);
  at("name").value = name;
  at("invite").textContent = `Click the right place of “${name}” on this page.`;
  at("chosen-title").textContent = `Correct “${name}”`;
  at("stage").scrollIntoView({ block: "center" });
  picker.stage.over.focus({ preventScroll: true });
}

function drawFields() {
  const fields = seen?.fields ?? [];
  at("no-fields").hidden = fields.length > 0;
  at("named").replaceChildren(...fields.map(drawField));
  at("undo").disabled = !seen?.can_undo;
}

function drawField(field) {
  const here = field.shown.find((each) => each.page === page);
  const tags = [el("span", {}, `shown on ${counted(field.shown.length, "page")}`)];
  if (seen.is_tried && seen.rows.length) {
    tags.push(el("span", { class: field.found * 2 < seen.rows.length ? "warn" : "good" }, `found on ${field.found} of ${seen.rows.length}`));
    if (field.doubtful) tags.push(el("span", { class: "warn" }, `${field.doubtful} doubtful`));
    if (field.changed) tags.push(el("span", {}, `${field.changed} changed`));
  }
  const values = field.shown.flatMap(({ page: number, values: given }) => (given.length ? given.map((each) => each.value) : ["none"]).map((value) => el("li", {}, el("button", {
    type: "button", class: "link", onclick: () => show(number, given[0]?.element ?? null),
  }, value.slice(0, 60)))));
  return el("li", {},
    el("div", { class: "row" }, el("h3", {}, field.name),
      el("button", { type: "button", class: "quiet small", "aria-label": `Forget the field ${field.name}`, onclick: () => change("forget", { site, name: field.name }, `Forgotten: ${field.name}`) }, "Forget")),
    el("p", { class: "tags soft small" }, tags),
    el("ul", { class: "examples small" }, values.slice(0, 6)),
    field.shown.some((each) => each.values.length === 2) && field.shown.length === 1
      ? el("p", { class: "soft small" }, "For a field that repeats, show three or more of its values; two are taken for places of one value.") : null,
    field.why ? el("p", { class: "warn small" }, `Not learned as shown: ${field.why}. ${field.advice}`) : null,
    here ? null : el("button", { type: "button", class: "small", onclick: () => change("none", { page, name: field.name }, `No ${field.name} on this page`) }, "This page has none"));
}

at("undo").addEventListener("click", () => change("undo", { site }, "Taken back"));

// -- learning and saving -----------------------------------------------------------------------------------------------

async function learn() {
  if (isLearning) return;
  isLearning = true;
  await attempt(async () => {
    while (seen.fields.length && !seen.is_tried) {
      await follow(await ask("/api/fields/learn", { site }));
      draw(await ask(`/api/fields?site=${encodeURIComponent(site)}`));
    }
  });
  isLearning = false;
}

function draw(told) {
  seen = told;
  drawFields();
  drawChips();
  found.show(told);
  mark();
  at("saving").hidden = !told.fields.length && !told.can_restore;
  at("plan").replaceChildren(...told.plan.map((line) => el("li", {}, line)));
  at("usual-line").hidden = told.has_profile || !told.can_save;
  at("save").disabled = !told.can_save || !told.fields.length || told.saved !== "";
  at("save").textContent = told.saved ? "Saved" : "Save fields";
  at("next").hidden = !told.saved;
  at("restore").hidden = !told.can_restore;
  at("command").textContent = told.command;
}

at("save").addEventListener("click", async () => {
  at("save").disabled = true;
  at("saved").textContent = "Saving…";
  const ended = await attempt(async () => follow(await ask("/api/fields/save", { site, with_usual: at("usual").checked })));
  at("saved").textContent = "";
  if (ended) say("Saved");
  await refresh();
});
at("restore").addEventListener("click", async () => {
  const told = await attempt(() => ask("/api/fields/restore", { site }));
  if (told) at("saved").textContent = "The profile is again as it was before.";
  await refresh();
});

async function refresh() {
  const told = await attempt(() => ask(`/api/fields?site=${encodeURIComponent(site)}`));
  if (told) draw(told);
  learn();
}

show(page, bench.dataset.element === "" ? null : Number(bench.dataset.element));
refresh();

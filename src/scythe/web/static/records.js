// Records: rows of a grid and their places on the page lead to each other; lists are chosen to be watched.
import { ask, attempt, el, say } from "./scythe.js";
import { Stage } from "./stage.js";

const within = document.querySelector(".records");
const rows = [...document.querySelectorAll("tr[data-elements]")];
const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
const smoothly = { behavior: isStill ? "auto" : "smooth" };
const AIR = 2; // pixels above and below a record, within its outline; twice as much beside it
const outlines = new Map(); // row -> its button over the page

document.querySelector("form[data-pick] select")?.addEventListener("change", (event) => event.target.form.requestSubmit());

// The box around all elements of a record, in pixels of the sheet; null where none of them is shown.
function boxOf(stage, row) {
  const boxes = row.dataset.elements.split(" ").filter(Boolean)
    .map((number) => stage.document.querySelector(`[data-sc="${number}"]`))
    .filter(Boolean)
    .map((element) => stage.place(element))
    .filter((box) => box.width > 0 && box.height > 0);
  if (!boxes.length) return null;
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const right = Math.max(...boxes.map((box) => box.left + box.width));
  const bottom = Math.max(...boxes.map((box) => box.top + box.height));
  return { left: Math.max(left - 2 * AIR, 0), top: Math.max(top - AIR, 0), width: right - left + 4 * AIR, height: bottom - top + 2 * AIR };
}

function outline(stage) {
  outlines.clear();
  const made = rows.map((row) => {
    const box = boxOf(stage, row);
    if (!box) return null;
    const number = row.id.slice(1);
    const button = el("button", { type: "button", class: "outline", "aria-label": `Record ${number}`, onclick: () => light(row, "row") }, el("span", {}, number));
    for (const [side, size] of Object.entries(box)) button.style[side] = `${size}px`;
    button.classList.toggle("beside", box.left > 30); // where there is room, the number covers no text
    outlines.set(row, button);
    return button;
  });
  stage.over.replaceChildren(...made.filter(Boolean));
  const first = rows.find((row) => outlines.has(row));
  if (stage.isNew && first) {
    stage.isNew = false;
    stage.stage.scrollTop = Math.max(parseFloat(outlines.get(first).style.top) - 24, 0);
  }
}

// Show which row and which place belong together, and go to the one that was not clicked.
function light(row, to) {
  for (const lit of document.querySelectorAll(".lit")) lit.classList.remove("lit");
  row.classList.add("lit");
  const place = outlines.get(row);
  place?.classList.add("lit");
  if (to === "row") {
    row.scrollIntoView({ block: "center", ...smoothly });
    row.querySelector(".go")?.focus({ preventScroll: true });
  } else if (place) {
    const stage = place.closest(".stage");
    stage.scrollTo({ top: parseFloat(place.style.top) - 40, ...smoothly });
    stage.scrollIntoView({ block: "nearest", ...smoothly });
    place.focus({ preventScroll: true });
  } else {
    say("The page shows this record nowhere: a script or a style would have to.");
  }
}

for (const row of rows) row.querySelector(".go")?.addEventListener("click", () => light(row, "place"));

if (within) {
  const stage = new Stage(document.getElementById("stage"), { onready: outline });
  stage.isNew = true;
  stage.show(within.dataset.page);
  const consent = document.getElementById("consent");
  consent.addEventListener("click", () => attempt(async () => {
    const isGiven = consent.getAttribute("aria-pressed") !== "true";
    await ask("/api/consent", { site: within.dataset.site, is_given: isGiven });
    consent.setAttribute("aria-pressed", String(isGiven));
    stage.isNew = true;
    stage.show(within.dataset.page);
  }));
}

document.getElementById("watch")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  const lists = [...form.querySelectorAll("[name=list]:checked")].map((box) => Number(box.value));
  if (!lists.length) {
    say("Choose one list at least.", { isError: true });
    return;
  }
  const delay = form.elements.delay.value;
  attempt(async () => {
    const wanted = { page: Number(within.dataset.page), lists, miss: Number(form.elements.miss.value), follow: form.elements.follow.checked };
    if (delay) wanted.max_delay_s = Number(delay);
    await ask("/api/watch", wanted);
    reload("Watched from now on");
  });
});

document.querySelector("[data-end]")?.addEventListener("click", (event) => attempt(async () => {
  await ask("/api/watch/end", { url: event.target.dataset.end });
  reload("Watched no longer; what was archived stays");
}));

// Show the page anew, and say on it what was done.
function reload(said) {
  sessionStorage.setItem("scythe-said", said);
  location.reload();
}
const said = sessionStorage.getItem("scythe-said");
if (said) {
  sessionStorage.removeItem("scythe-said");
  say(said);
}

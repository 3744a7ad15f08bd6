// The page of rules: jump between legend, source and frame; show what was left out; learn; go on following pages.
import { Stage } from "./stage.js";
import { ask, attempt, counted, el, follow, say } from "./scythe.js";

const learn = document.querySelector("[data-learn]");
learn?.addEventListener("click", async () => {
  learn.disabled = true;
  const note = document.querySelector("[data-note]");
  note.textContent = "Learning …";
  const ended = await attempt(async () => follow(await ask("/api/learn", { site: learn.dataset.learn })));
  if (ended) location.assign(`/rules?site=${encodeURIComponent(learn.dataset.learn)}`);
  else [learn.disabled, note.textContent] = [false, ""];
});

// Pages are followed some at a time; the figures are shown once all are.
const left = document.querySelector("[data-left]");
if (left) {
  const [bar, note] = [left.querySelector("progress"), left.querySelector("span")];
  const ended = await attempt(async () => {
    let seen;
    do {
      seen = await ask(`/api/rules?site=${encodeURIComponent(left.dataset.site)}`);
      bar.value = seen.pages - seen.left;
      note.textContent = `${seen.pages - seen.left} of ${seen.pages}`;
    } while (seen.left);
    return seen;
  });
  if (ended) location.reload();
}

const onPage = document.querySelector(".on-page");
if (onPage) {
  const buttons = [...onPage.querySelectorAll(".legend button")];
  const source = onPage.querySelector(".source");
  const marks = (place) => [...source.querySelectorAll("mark")].filter((mark) => mark.dataset.places.split(" ").includes(place));
  let chosen = null;

  const outlines = new Map(); // place -> boxes in the frame
  const stage = new Stage(onPage.querySelector("[data-stage]"), { onready: draw });

  function draw() {
    outlines.clear();
    const made = [];
    for (const { dataset } of buttons) {
      const boxes = [];
      for (const number of dataset.elements.split(" ").filter(Boolean)) {
        const element = stage.document.querySelector(`[data-sc="${number}"]`);
        if (!element) continue;
        const place = stage.place(element);
        if (!place.width || !place.height) continue;
        const box = el("div", { class: `outline c${dataset.colour}`, "data-place": dataset.place });
        for (const side of ["left", "top", "width", "height"]) box.style[side] = `${place[side]}px`;
        boxes.push(box);
      }
      outlines.set(dataset.place, boxes);
      made.push(...boxes);
    }
    stage.over.replaceChildren(...made);
    show(chosen);
  }

  function show(place) {
    chosen = place;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.place === place));
    for (const mark of source.querySelectorAll("mark.chosen")) mark.classList.remove("chosen");
    for (const [number, boxes] of outlines) for (const box of boxes) box.classList.toggle("chosen", number === place);
    if (place !== null) for (const mark of marks(place)) mark.classList.add("chosen");
  }

  function scrollTo(within, element) {
    const [outer, inner] = [within.getBoundingClientRect(), element.getBoundingClientRect()];
    within.scrollTop += inner.top - outer.top - 48;
  }

  function choose(place) {
    show(place === chosen ? null : place);
    if (chosen === null) return;
    const [mark] = marks(place);
    const [box] = outlines.get(place) ?? [];
    if (mark) scrollTo(source, mark);
    if (box) scrollTo(stage.stage, box);
    if (!box) say("It is not shown in the frame: it stands in the page's head, or the tree was repaired there.");
  }

  for (const button of buttons) button.addEventListener("click", () => choose(button.dataset.place));
  source.addEventListener("click", (event) => {
    const mark = event.target.closest("mark");
    if (mark) choose(mark.dataset.places.split(" ").at(-1));
  });

  const lineOf = ({ number, pieces }) => el("li", { class: "line", "data-line": String(number) }, el("code", {}, pieces.map((piece) => (
    piece.places.length
      ? el("mark", { class: `c${piece.places.at(-1) % 8}`, "data-places": piece.places.join(" ") }, piece.text)
      : piece.text))));
  const gapOf = ({ start, end }) => el("li", { class: "gap" }, el("button", {
    type: "button", class: "quiet", "data-start": String(start), "data-end": String(end),
  }, `Show more of ${counted(end - start, "byte")} left out`));

  source.addEventListener("click", async (event) => {
    const button = event.target.closest(".gap button");
    if (!button) return;
    button.disabled = true;
    const query = new URLSearchParams({ page: onPage.dataset.page, start: button.dataset.start, end: button.dataset.end });
    const found = await attempt(() => ask(`/api/rules/source?${query}`));
    if (!found) {
      button.disabled = false;
      return;
    }
    const made = found.flatMap((part) => (part.lines.length ? part.lines.map(lineOf) : [gapOf(part)]));
    button.closest("li").replaceWith(...made);
    show(chosen);
    source.focus({ preventScroll: true });
  });

  stage.show(onPage.dataset.page);
}

// What lies over a page while fields are picked: a box under the pointer, one around the chosen element, and one around
// each value that was found. Nothing in it takes clicks but the sheet itself.
import { el } from "./scythe.js";
import { Stage } from "./stage.js";

const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export class Picker {
  // `onchoose(number)` is told the number of the element that was clicked, `onkey(key)` the key that was pressed.
  constructor(holder, { onchoose, onkey }) {
    this.hover = this.box("hover");
    this.chosen = this.box("chosen");
    this.marks = [];
    this.number = null;
    this.pending = null; // an element to look at once the page is there
    this.stage = new Stage(holder, { onready: () => this.draw() });
    const over = this.stage.over;
    over.tabIndex = 0;
    over.setAttribute("role", "application");
    over.setAttribute("aria-label", "The page. Arrow keys move among its elements, Enter names the chosen one.");
    over.setAttribute("aria-describedby", "keys");
    over.addEventListener("pointermove", (event) => this.point(this.stage.under(event)));
    over.addEventListener("pointerleave", () => this.point(null));
    over.addEventListener("click", (event) => {
      const found = this.stage.under(event);
      if (found) onchoose(Number(found.dataset.sc));
    });
    over.addEventListener("keydown", (event) => {
      if (["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter", "Escape"].includes(event.key)) {
        event.preventDefault();
        onkey(event.key);
      }
    });
  }

  box(kind) {
    return el("div", { class: `box ${kind}`, hidden: true }, el("span", { class: "tip" }));
  }

  show(page) {
    this.marks = [];
    this.number = null;
    this.stage.show(page);
  }

  element(number) {
    return this.stage.document?.querySelector(`[data-sc="${number}"]`);
  }

  point(element) {
    if (element === this.pointed && !this.hover.hidden) return;
    this.pointed = element;
    const text = element ? element.textContent.split(/\s+/).filter(Boolean).join(" ") : "";
    this.put(this.hover, element, element ? `${element.localName} · ${shorten(text || element.alt || "", 60)}` : "");
  }

  // Choose an element by its number; null lets go. Says whether the page shows it.
  choose(number) {
    this.number = number;
    const element = number === null ? null : this.element(number);
    this.hover.hidden = true;
    this.put(this.chosen, element, "");
    if (element) this.reveal(element);
    return Boolean(element);
  }

  // Mark values: [{element, name, isDoubtful}].
  mark(marks) {
    this.marks = marks;
    this.draw();
  }

  look(number) {
    this.pending = number;
    this.draw();
  }

  reveal(element) {
    const place = this.stage.place(element);
    const view = this.stage.stage;
    if (place.top < view.scrollTop + 20 || place.top + Math.min(place.height, 200) > view.scrollTop + view.clientHeight - 20) {
      view.scrollTop = Math.max(0, place.top - view.clientHeight / 3);
    }
  }

  draw() {
    if (!this.stage.document?.body) return;
    const made = this.marks.map(({ element, name, isDoubtful }) => {
      const box = this.box(isDoubtful ? "mark doubtful" : "mark");
      this.put(box, this.element(element), name);
      return box;
    });
    this.stage.over.replaceChildren(...made, this.hover, this.chosen);
    this.put(this.chosen, this.number === null ? null : this.element(this.number), "");
    if (this.pending !== null) {
      const element = this.element(this.pending);
      if (element) {
        this.pending = null;
        this.reveal(element);
      }
    }
  }

  put(box, element, text) {
    box.hidden = !element;
    if (!element) return;
    const place = this.stage.place(element);
    for (const side of ["left", "top", "width", "height"]) box.style[side] = `${place[side]}px`;
    box.firstChild.textContent = text;
    box.firstChild.hidden = !text;
    box.classList.toggle("low", place.top < 28);
  }
}

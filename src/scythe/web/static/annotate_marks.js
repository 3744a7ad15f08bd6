// The images of one page, twice: as buttons over the saved page, and as a strip beside it. Both say and do the same.
import { el } from "./scythe.js";
import { Stage } from "./stage.js";

const ROOM = [88, 40]; // pixels: an image that is smaller has no room for words
const LEAST = 24; // pixels that a button has at least, so that it can be hit

export const percent = (share) => `${Math.round(100 * share)}\u202f%`;

function size(image) {
  return image.width && image.height ? `${image.width}\u202f×\u202f${image.height}` : "";
}

function file(image) {
  if (image.address.startsWith("data:")) return "inside the page";
  return decode(image.address.split(/[?#]/)[0].replace(/\/+$/, "").split("/").pop());
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export class Marks {
  // `ontoggle(row)` is called when an image was clicked, `onpoint(row)` when one became the current one.
  constructor({ stage, strip, ontoggle, onpoint }) {
    this.strip = strip;
    this.ontoggle = ontoggle;
    this.onpoint = onpoint;
    this.images = [];
    this.over = new Map();
    this.thumbs = new Map();
    this.current = 0;
    this.isTaught = false;
    this.stage = new Stage(stage, { onready: () => this.place() });
  }

  // Show the images of a page; `hasPictures` says whether they may be loaded.
  show(opened, hasPictures) {
    this.page = opened.summary.page;
    this.images = opened.images;
    this.isTaught = opened.is_taught;
    this.hasPictures = hasPictures;
    this.isPlaced = false;
    this.current = Math.max(this.images.findIndex((image) => image.is_relevant || image.is_suggested), 0);
    this.over.clear();
    this.thumbs.clear();
    this.strip.replaceChildren(...this.images.map((image) => this.thumb(image, hasPictures)));
    if (!this.images.length) this.strip.append(el("li", { class: "nothing" }, "This page has no images. Confirm it, and scythe knows."));
    this.stage.stage.scrollTo(0, 0);
    this.stage.show(this.page);
    this.images.forEach((image) => this.draw(image.row));
    this.strip.scrollTo(0, 0);
    if (this.images.length) this.bring(this.thumbs.get(this.current), this.strip);
  }

  thumb(image, hasPictures) {
    const picture = hasPictures
      ? el("img", { src: `/picture/${this.page}/${image.row}`, alt: "", loading: "lazy", decoding: "async", onerror: (event) => event.target.replaceWith(size(image) || "image") })
      : size(image) || "image";
    const button = el(
      "button",
      { type: "button", class: "thumb", "data-row": String(image.row), tabindex: "-1", onclick: () => this.ontoggle(image.row), onfocus: () => this.point(image.row) },
      el("span", { class: "pic", "aria-hidden": "true" }, picture),
      el("span", { class: "says" }, el("span", { class: "called" }, image.name), el("span", { class: "facts" }, file(image))),
      el("span", { class: "odds" }, percent(image.score), el("span", { class: "bar" }, el("span", {}))),
    );
    button.querySelector(".bar span").style.width = `${Math.max(100 * image.score, 3)}%`;
    button.title = image.caption || image.name;
    this.thumbs.set(image.row, button);
    return el("li", {}, button);
  }

  // Put a button over each image of the frame that can be seen; the others are in the strip.
  place() {
    if (this.stage.document?.location.pathname !== `/frame/${this.page}`) return; // the page before
    const seen = new Set();
    for (const node of this.stage.images()) {
      const image = this.images[Number(node.dataset.scImage)];
      if (!image || seen.has(image.row)) continue;
      const box = this.stage.place(node);
      if (box.width < 2 || box.height < 2 || box.left + box.width <= 0 || box.top + box.height <= 0) continue;
      seen.add(image.row);
      if (!this.over.has(image.row)) this.over.set(image.row, this.cover(image));
      const button = this.over.get(image.row);
      const [width, height] = [Math.max(box.width, LEAST), Math.max(box.height, LEAST)];
      button.style.left = `${box.left - (width - box.width) / 2}px`;
      button.style.top = `${box.top - (height - box.height) / 2}px`;
      button.style.width = `${width}px`;
      button.style.height = `${height}px`;
      button.classList.toggle("tiny", box.width < ROOM[0] || box.height < ROOM[1]);
      this.draw(image.row);
    }
    for (const [row, button] of this.over) {
      if (!seen.has(row)) {
        button.remove();
        this.over.delete(row);
      }
    }
    for (const image of this.images) this.tellUnseen(image, !seen.has(image.row));
    if (!this.isPlaced && this.images.length) {
      this.isPlaced = true;
      if (this.over.has(this.current)) this.bring(this.over.get(this.current), this.stage.stage);
    }
  }

  tellUnseen(image, isUnseen) {
    const facts = this.thumbs.get(image.row).querySelector(".facts");
    facts.textContent = [isUnseen ? "cannot be seen" : "", this.hasPictures ? size(image) : "", file(image) === image.name ? "" : file(image)].filter(Boolean).join(" · ");
  }

  cover(image) {
    const button = el("button", { type: "button", class: "mark", "data-row": String(image.row), tabindex: "-1", onclick: () => this.ontoggle(image.row), onfocus: () => this.point(image.row) }, el("span", { class: "badge", "aria-hidden": "true" }));
    this.stage.over.append(button);
    return button;
  }

  // Write what is said of an image onto its buttons.
  draw(row) {
    const image = this.images[row];
    const isOpen = image.is_suggested && !image.is_relevant && !this.isTaught;
    for (const button of [this.over.get(row), this.thumbs.get(row)]) {
      if (!button) continue;
      button.setAttribute("aria-pressed", String(image.is_relevant));
      button.setAttribute("aria-label", `${image.name}: ${percent(image.score)} likely relevant`);
      button.classList.toggle("suggested", isOpen);
      button.classList.toggle("current", row === this.current);
      button.tabIndex = row === this.current && button === this.thumbs.get(row) ? 0 : -1;
    }
    const over = this.over.get(row);
    if (over) over.firstChild.textContent = `${image.is_relevant ? "✓" : ""} ${over.classList.contains("tiny") ? "" : percent(image.score)}`.trim();
  }

  // Make an image the current one: both its buttons are ringed and brought into view.
  point(row, { scrolls = true, focuses = false } = {}) {
    const before = this.current;
    this.current = row;
    if (this.images[before]) this.draw(before);
    this.draw(row);
    if (focuses) this.thumbs.get(row).focus({ preventScroll: true });
    if (scrolls) {
      this.bring(this.thumbs.get(row), this.strip);
      if (this.over.has(row)) this.bring(this.over.get(row), this.stage.stage);
    }
    if (before !== row) this.onpoint(row);
  }

  step(by) {
    if (this.images.length) this.point((this.current + by + this.images.length) % this.images.length, { focuses: true });
  }

  // Scroll one box, and nothing around it, until an element can be seen.
  bring(element, within) {
    const [inner, outer] = [element.getBoundingClientRect(), within.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) within.scrollTop += inner.top - outer.top - Math.max((outer.height - inner.height) / 2, 8);
    if (inner.left < outer.left || inner.right > outer.right) within.scrollLeft += inner.left - outer.left - 8;
  }
}

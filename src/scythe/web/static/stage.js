// A saved page in its frame, and what lies over it: the frame takes no clicks, everything that acts is ours and above it.
// The frame runs no scripts; being of our origin it can be measured, so that buttons stand where its elements are.
import { el } from "./scythe.js";

const LAYS = 200; // of one page: some have rules that depend on their height, and would never come to rest

export class Stage {
  // `stage` is the element of class "stage"; `onready(stage)` is called whenever a page has been laid out.
  constructor(stage, { onready = () => {} } = {}) {
    this.stage = stage;
    this.onready = onready;
    this.frame = el("iframe", { sandbox: "allow-same-origin", tabindex: "-1", title: "The saved page, which can do nothing" });
    this.over = el("div", { class: "over" });
    this.sheet = el("div", { class: "sheet" }, this.frame, this.over);
    stage.replaceChildren(this.sheet);
    this.frame.addEventListener("load", () => this.lay());
    new ResizeObserver(() => {
      this.sheet.style.width = "";
      this.lays = 0;
      this.lay();
    }).observe(stage);
  }

  get document() {
    return this.frame.contentDocument;
  }

  // Show a page at hand by its number.
  show(page) {
    this.over.replaceChildren();
    this.sheet.style.width = "";
    this.frame.style.height = "60vh";
    this.lays = 0;
    this.frame.src = `/frame/${page}?v=${Date.now()}`;
  }

  // Make the frame as large as its page, so that only the stage scrolls; pictures that come later change it again.
  lay() {
    const body = this.document?.body;
    if (!body || this.frame.src === "") return;
    this.lays += 1;
    if (this.lays > LAYS) return;
    const { scrollWidth, scrollHeight } = this.document.documentElement;
    if (scrollWidth > this.frame.clientWidth + 1) this.sheet.style.width = `${Math.min(scrollWidth, 3000)}px`;
    this.frame.style.height = `${Math.min(Math.max(scrollHeight, 200), 60000)}px`;
    if (!this.watched || this.watched !== body) {
      this.watched = body;
      this.sizes?.disconnect();
      this.sizes = new ResizeObserver(() => this.lay());
      this.sizes.observe(body);
    }
    this.onready(this);
  }

  // Where an element of the page stands, in pixels of the sheet.
  place(element) {
    const box = element.getBoundingClientRect();
    const view = this.frame.contentWindow;
    return { left: box.left + view.scrollX, top: box.top + view.scrollY, width: box.width, height: box.height };
  }

  images() {
    return [...this.document.querySelectorAll("img[data-sc-image]")];
  }

  // The element of the page under a mouse event over the stage.
  under(event) {
    const box = this.frame.getBoundingClientRect();
    return this.document.elementFromPoint(event.clientX - box.left, event.clientY - box.top)?.closest("[data-sc]");
  }
}

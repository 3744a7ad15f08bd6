// What all pages share: asking the server, making elements, saying things, light and dark.
// Nothing here or in any other script turns text into markup: the browser is told to refuse it (trusted types).

const word = document.querySelector('meta[name="scythe-word"]').content;

export class Refused extends Error {
  constructor(status, why) {
    super(why);
    this.status = status;
  }
}

// Ask the server for JSON; with a body it is a POST. Throws Refused with the server's words.
export async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Scythe": word },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refused(0, "scythe does not answer; is it still running?");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, said.error || `the server answered ${answer.status}`);
  return said;
}

// Make an element: el("a", {href: "/"}, "text", child). Handlers are given as onclick: function; class as class.
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key in made && typeof value !== "string") made[key] = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

// Say something in the corner of the page, and to screen readers.
let quiet;
export function say(text, { isError = false } = {}) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.classList.toggle("bad", isError);
  said.classList.add("shown");
  clearTimeout(quiet);
  quiet = setTimeout(() => said.classList.remove("shown"), isError ? 12000 : 5000);
}

// Run something that asks the server; what goes wrong is said.
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message, { isError: true });
    return undefined;
  }
}

// Follow work until it ends, calling `show` with it every half second; returns it as it ended.
export async function follow(job, show = () => {}) {
  let seen = job;
  show(seen);
  while (seen.state === "running") {
    await new Promise((go) => setTimeout(go, 500));
    seen = await ask(`/api/jobs/${job.number}`);
    show(seen);
  }
  if (seen.state === "failed") throw new Refused(500, seen.error);
  return seen;
}

export const counted = (count, what, many = `${what}s`) => `${count} ${count === 1 ? what : many}`;

// Times are sent in UTC; people read them in their own.
export function localise(within = document) {
  const form = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  for (const time of within.querySelectorAll("time[datetime]")) {
    const at = new Date(time.getAttribute("datetime"));
    if (!Number.isNaN(at.valueOf())) {
      time.title = time.getAttribute("datetime");
      time.textContent = form.format(at);
    }
  }
}

const root = document.documentElement;
const kept = localStorage.getItem("scythe-theme");
if (kept) root.dataset.theme = kept;
document.getElementById("theme")?.addEventListener("click", () => {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("scythe-theme", root.dataset.theme);
});
localise();

// On small screens the menu is wider than the window: where one is must be seen.
const here = document.querySelector(".top [aria-current]");
if (here) here.closest("nav").scrollLeft = here.offsetLeft - 24;

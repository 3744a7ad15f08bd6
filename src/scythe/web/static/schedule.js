// One watched list: visit it now, change what is wanted, end the watch.
import { ask, attempt, say } from "./scythe.js";

const watch = Number(document.querySelector("[data-watch]").dataset.watch);

// Follow a run that visits one page; returns it as it ended.
async function ended(run) {
  let seen = run;
  while (["running", "pausing"].includes(seen.state)) {
    await new Promise((go) => setTimeout(go, 500));
    seen = await ask(`/api/runs/${run.number}`);
  }
  return seen;
}

const now = document.getElementById("now");
now?.addEventListener("click", async () => {
  now.disabled = true;
  const done = await attempt(async () => {
    const { is_watching: isWatching } = await ask("/api/schedule/now", { watch });
    if (isWatching) return "It is due now; the running watch visits it at once.";
    say("Visiting the page");
    const run = await ended(await ask("/api/runs/watch", { watches: [watch], once: true }));
    const { visits = 0, records = 0 } = run.watch ?? {};
    const trouble = run.last.find((one) => one.what === "trouble");
    return visits ? `Visited: ${records} new` : trouble ? `It could not be visited: ${trouble.said}` : run.why;
  });
  now.disabled = false;
  now.focus();
  if (!done) return;
  say(done);
  setTimeout(() => location.reload(), 1500);
});

const number = (text) => (text === "" ? null : Number(text));
const goals = document.getElementById("goals");
goals?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = goals.elements;
  const saved = await attempt(() =>
    ask("/api/schedule/goals", {
      watch,
      miss: Number(said.miss.value),
      max_delay_s: number(said.max_delay_s.value),
      delay_s: number(said.delay_s.value),
      floor_s: Number(said.floor_s.value),
      policy: said.policy.value,
      older_pages: Number(said.older_pages.value),
      follow: said.follow.checked,
    }),
  );
  if (!saved) return;
  const list = document.querySelector(".goals");
  list.replaceChildren(...saved.said.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
  goals.closest("details").open = false;
  say("Saved");
});

document.getElementById("end")?.addEventListener("click", async () => {
  if (await attempt(() => ask("/api/schedule/end", { watch }))) location.assign("/schedule");
});

// Take pages of a site in: the form on the overview and wherever there are no pages yet.
import { ask, attempt, counted, follow, say } from "./scythe.js";

for (const form of document.querySelectorAll("form[data-take]")) {
  const [progress, note] = [form.querySelector("progress"), form.querySelector(".progress span")];
  let number;
  form.querySelector("[data-stop]").addEventListener("click", () => attempt(() => ask(`/api/jobs/${number}/stop`, {})));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("[type=submit]");
    button.disabled = true;
    const site = form.dataset.site || "profile";
    const ended = await attempt(async () => {
      const job = await ask("/api/pages", { url: form.elements.url.value, site, pages: Number(form.dataset.pages || 24) });
      number = job.number;
      form.querySelector(".progress").hidden = false;
      return follow(job, (seen) => {
        progress.max = seen.total || 1;
        progress.value = seen.done;
        note.textContent = `${counted(seen.done, "page")} of ${seen.total ?? "?"}`;
      });
    });
    button.disabled = false;
    form.querySelector(".progress").hidden = true;
    if (ended) {
      say(`${counted(ended.result.length, "page")} taken`);
      const next = form.dataset.next || `/annotate?site=${encodeURIComponent(site)}`;
      location.assign(next.replace("PAGE", ended.result[0]));
    }
  });
}

// While the archive is indexed beside a search: how far it is, and a way to the complete results.

import { ask, attempt, counted, follow } from "./scythe.js";

const note = document.querySelector("[data-job]");
if (note) {
  attempt(async () => {
    const job = await ask(`/api/jobs/${note.dataset.job}`);
    await follow(job, (seen) => {
      const bar = note.querySelector("progress");
      bar.max = seen.total || 1;
      bar.value = seen.done;
      if (seen.total) note.querySelector("span").textContent = `Being indexed: ${counted(seen.total - seen.done, "thing")} left. What is found until then is not all there is.`;
    });
    note.querySelector("span").textContent = "All of the archive is indexed now.";
    note.querySelector("progress").hidden = true;
    note.querySelector("a").hidden = false;
  });
}

// A filter that was chosen is applied at once; words wait for Enter.
for (const choice of document.querySelectorAll(".search select, .search input[type=checkbox], .compare select")) {
  choice.addEventListener("change", () => choice.form.requestSubmit());
}

"""Put a saved page on the stage of a page of ours, as annotating, picking fields and rules do."""

from tests.web.conftest import Eyes

_SHOW = """async (page) => {
  const { Stage } = await import("/static/stage.js");
  const box = document.createElement("div");
  box.className = "stage";
  document.querySelector("main").replaceChildren(box);
  await new Promise((go) => {
    window.stage = new Stage(box, { onready: (shown) => shown.document.body.hasAttribute("data-sc") && go() });
    window.stage.show(page);
  });
}"""


def show_on_stage(eyes: Eyes, page: int) -> None:
    """Show a page at hand; `stage` is then a name in the browser."""
    eyes.tab.evaluate(_SHOW, page)

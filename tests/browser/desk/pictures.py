"""The pictures of the README, from the demo data

Not part of the gate: `python3 tests/browser/desk/run.py URL pictures` writes them into functions/pages/pictures.
"""

from alerts import proposed
from world import ROOT, SCHEMES

FOLDER = ROOT / "functions" / "pages" / "pictures"


def check(world):
    FOLDER.mkdir(exist_ok=True)
    alert, _ = proposed(world, "sue", "invoice_not_finalized")
    views = {"board": ("mia", "#/projects/1"), "approval": ("ada", f"#/alerts/{alert}")}
    for name, (user, address) in views.items():
        with world.desk(user, address, width=1280) as desk:
            if name == "approval":
                desk.page.get_by_role("button", name="Preview and approve").first.click()
                desk.page.locator("#preview").wait_for()
                desk.page.locator("#preview").evaluate("preview => preview.scrollIntoView()")
            for scheme in SCHEMES:
                desk.page.emulate_media(color_scheme=scheme)
                desk.page.screenshot(path=FOLDER / f"{name}-{scheme}.png")

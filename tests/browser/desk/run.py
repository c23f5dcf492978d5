"""Checks the desk in headless Chromium:
`python3 tests/browser/desk/run.py URL [part …] [--quick] [--log FILE]`.

The URL is that of a running stack with its demo data, such as http://localhost:9000/. FILE has what the stack
printed: the part `tabs` makes another organization in its table. Pictures of each view stand
in target/desk afterwards. tests/browser/check.py runs all parts against a stack of its own.
`--quick` leaves out the rules for all views, the pictures, and axe-core in dark.
"""

import argparse
import importlib
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "infra")]

VIEWS = ("frame", "home", "board", "cards", "tasks", "alerts", "refusals", "requests", "tickets", "customers", "members",
         "finds", "search", "settings", "hands")
# Rules for all views.
RULES = ("hostile", "drafts", "releases", "scripts", "tabs")


def check(browser, base, axe, parts=(), log=None, is_quick=False):
    """Runs the parts against a stack, as one signs in after the other. Without parts, it runs all of
    them, or the views."""
    from world import World

    world = World(browser, base, axe, log, is_quick)
    for part in parts or (VIEWS if is_quick else VIEWS + RULES):
        module = importlib.import_module(part)
        print(f"  the desk: {module.__doc__.splitlines()[0]}", flush=True)
        started = time.monotonic()
        module.check(world)
        print(f"    {time.monotonic() - started:.1f} s", flush=True)


def main():
    import check as browser_check
    import tools

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("parts", nargs="*", metavar="part")
    parser.add_argument("--quick", action="store_true", help="without the rules for all views")
    parser.add_argument("--log", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    tools.run_with("browser")
    from playwright.sync_api import sync_playwright

    flags = ["--js-flags=--expose-gc", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_check.chromium(), args=flags)
        base = options.url.rstrip("/") + "/"
        check(browser, base, browser_check.axe(), options.parts, options.log, options.quick)
        browser.close()


if __name__ == "__main__":
    main()

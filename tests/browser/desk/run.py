"""Checks the desk in headless Chromium: `python3 tests/browser/desk/run.py URL [part …]`.

The URL is that of a running stack with its demo data, such as http://localhost:9000/. Pictures of each view stand
in target/desk afterwards. tests/browser/check.py runs all parts against a stack of its own.
"""

import importlib
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "infra")]

PARTS = ("frame", "home", "board", "tasks", "alerts", "refusals", "requests", "tickets", "search", "settings", "hostile")


def check(browser, base, axe, parts=PARTS):
    """Runs the parts against a stack, as one signs in after the other."""
    from world import World

    world = World(browser, base, axe)
    for part in parts:
        module = importlib.import_module(part)
        print(f"  the desk: {module.__doc__.splitlines()[0]}", flush=True)
        started = time.monotonic()
        module.check(world)
        print(f"    {time.monotonic() - started:.1f} s", flush=True)


def main():
    import check as browser_check
    import tools

    base, *parts = sys.argv[1:]
    tools.run_with("browser")
    from playwright.sync_api import sync_playwright

    options = ["--js-flags=--expose-gc", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_check.chromium(), args=options)
        check(browser, base.rstrip("/") + "/", browser_check.axe(), parts or PARTS)
        browser.close()


if __name__ == "__main__":
    main()

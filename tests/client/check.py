"""Checks the OpenAPI document as a client meets it: `python3 tests/client/check.py [document]`.

A linter reads infra/openapi.json, openapi-typescript makes types of it, and the compiler checks
the story of a client against them. Needs Node.js from 20.19 on; packages come from npm, in the
versions of the lock, into target/client.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "target" / "client"
PROGRAMS = FOLDER / "node_modules" / ".bin"
STORY = ("story.ts", "resolution.ts")
METHODS = ("get", "put", "post", "patch", "delete")

# The tools report nothing about their use and look for no newer version of themselves.
QUIET = {
    "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
    "REDOCLY_TELEMETRY": "off",
}


def run(what, command):
    """Runs a tool, and shows what it printed only if it fails."""
    started = time.monotonic()
    done = subprocess.run(
        command,
        cwd=FOLDER,
        env=os.environ | QUIET,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print(f"{time.monotonic() - started:5.1f} s  {what}", flush=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\n{what}: failed")


def install():
    """Installs the packages of the lock, unless they are there."""
    lock, installed = HERE / "package-lock.json", FOLDER / "installed.json"
    if installed.exists() and installed.read_bytes() == lock.read_bytes():
        return
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is missing: install Node.js 20.19 or later")
    FOLDER.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "package.json", FOLDER)
    shutil.copy(lock, FOLDER)
    run("npm ci", [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"])
    shutil.copy(lock, installed)


def operations(document):
    """Method and path of each operation."""
    paths = json.loads(document.read_text())["paths"].items()
    return {(method.upper(), path) for path, item in paths for method in item if method in METHODS}


def check_story(document):
    """Every operation is called in the story. That no others are, the compiler knows."""
    story = "".join((HERE / part).read_text() for part in STORY)
    called = set(re.findall(r'api\.([A-Z]+)\(\s*"([^"]+)"', story))
    known = operations(document)
    missing = sorted(" ".join(operation) for operation in known - called)
    if missing:
        sys.exit("the story does not call " + ", ".join(missing))
    print(f"         {len(known)} operations in the story")


def main():
    document = pathlib.Path(sys.argv[1] if sys.argv[1:] else ROOT / "infra/openapi.json").resolve()
    install()
    rules = ["--config", HERE / "redocly.yaml", "--lint-config=error"]
    shown = ["--format=stylish", "--max-problems=20"]
    run("redocly", [PROGRAMS / "redocly", "lint", *rules, *shown, document])
    # A type of each schema under its own name; and what has a default may be left out.
    names = ["--root-types", "--root-types-no-schema-prefix", "--root-types-keep-casing"]
    options = [*names, "--default-non-nullable=false"]
    types = FOLDER / "api.ts"
    run("openapi-typescript", [PROGRAMS / "openapi-typescript", document, "-o", types, *options])
    run("tsc", [PROGRAMS / "tsc", "--project", HERE, "--pretty", "false"])
    check_story(document)


if __name__ == "__main__":
    main()

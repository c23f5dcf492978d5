"""Checks the OpenAPI document as clients use it: `python3 tests/client/check.py [--all] [document]`.

Two linters read infra/openapi.json. openapi-typescript makes types of it, and the compiler checks the
story of a client against them. `--all` also runs generators that other teams use: orval, whose
schemas for zod must compile, and openapi-python-client, which must write few files.

tests/browser/check.py runs the story, and a client in Python, against a stack.

Needs Node.js from 20.19 on. Packages come from npm and PyPI in pinned versions, into target/client
and target/tools.
"""

import argparse
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
sys.path.insert(0, str(ROOT / "infra"))

import tools  # noqa: E402

FOLDER = ROOT / "target" / "client"
STORY = ("story.ts", "resolution.ts", "updates.ts", "directory.ts", "lists.ts")
METHODS = ("get", "put", "post", "patch", "delete")

# The most model files that openapi-python-client may write: one for each schema and each filter with a
# word, and no more for each response.
MOST_MODELS = 420

# Turns off the tools' telemetry and update checks.
QUIET = {
    "DO_NOT_TRACK": "1",
    "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
    "REDOCLY_TELEMETRY": "off",
}


def run(what, command, folder=FOLDER, **environment):
    """Runs a tool and prints its output only if it fails."""
    started = time.monotonic()
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | QUIET | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print(f"{time.monotonic() - started:5.1f} s  {what}", flush=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\n{what}: failed")


def install(packages, folder):
    """Installs the packages of a lock, unless they are there, and returns their programs' folder."""
    lock, installed = packages / "package-lock.json", folder / "installed.json"
    programs = folder / "node_modules" / ".bin"
    if installed.exists() and installed.read_bytes() == lock.read_bytes():
        return programs
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is missing: install Node.js 20.19 or later")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(packages / "package.json", folder)
    shutil.copy(lock, folder)
    run("npm ci", [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
    shutil.copy(lock, installed)
    return programs


def operations(document):
    """Returns method and path of each operation. Operations that only redirect are left to browsers."""
    paths = json.loads(document.read_text())["paths"].items()
    return {
        (method.upper(), path)
        for path, item in paths
        for method in item
        if method in METHODS and any(status[0] == "2" for status in item[method]["responses"])
    }


def check_story(document):
    """Checks that the story calls every operation. The compiler checks that it calls no others."""
    story = "".join((HERE / part).read_text() for part in STORY)
    called = set(re.findall(r'api\.([A-Z]+)\(\s*"([^"]+)"', story))
    known = operations(document)
    missing = sorted(" ".join(operation) for operation in known - called)
    if missing:
        sys.exit("the story does not call " + ", ".join(missing))
    print(f"         {len(known)} operations in the story")


def lint(document, programs):
    """Both linters find nothing."""
    rules = ["--config", HERE / "redocly.yaml", "--lint-config=error"]
    shown = ["--format=stylish", "--max-problems=20"]
    run("redocly", [programs / "redocly", "lint", *rules, *shown, document])
    rules = ["--ruleset", HERE / "spectral.yaml", "--fail-severity=warn"]
    run("spectral", [programs / "spectral", "lint", *rules, "--quiet", document])


# Code in TypeScript that the API's guide shows: the name of its module, and its page.
SHOWN = {"follow": "FEED.md", "problem": "CLIENTS.md"}


def write_shown():
    """Writes the code of the API's guide into files beside the generated types."""
    for name, page in SHOWN.items():
        text = (ROOT / "functions" / page).read_text()
        [code] = re.findall(rf"```ts\n(// {name}\.ts\n.*?)```", text, re.DOTALL)
        (FOLDER / f"{name}.ts").write_text(code)


def make_types(document, programs):
    """Writes the types of a document."""
    # Each schema becomes a type under its own name; fields with a default are optional.
    names = ["--root-types", "--root-types-no-schema-prefix", "--root-types-keep-casing"]
    options = [*names, "--default-non-nullable=false"]
    types = FOLDER / "api.ts"
    run("openapi-typescript", [programs / "openapi-typescript", document, "-o", types, *options])


def board(document):
    """Compiles the board for browsers. Returns the folder of its modules."""
    programs, modules = install(HERE, FOLDER), FOLDER / "board"
    make_types(document, programs)
    write_shown()
    run("tsc", [programs / "tsc", "--project", HERE, "--noEmit", "false", "--outDir", modules])
    return modules


def check_types(document, programs):
    """The story of a client compiles, and so do the desk's scripts."""
    make_types(document, programs)
    write_shown()
    run("tsc", [programs / "tsc", "--project", HERE, "--pretty", "false"])
    desk = ROOT / "tests" / "browser" / "desk"
    run("tsc of the desk", [programs / "tsc", "--project", desk, "--pretty", "false"])
    check_story(document)


def check_zod(document):
    """The schemas that orval makes for zod compile."""
    packages, folder = HERE / "generators", FOLDER / "generators"
    programs = install(packages, folder)
    for file in ("orval.config.mjs", "tsconfig.json"):
        shutil.copy(packages / file, folder)
    command = [programs / "orval", "--config", "orval.config.mjs"]
    run("orval", command, folder, DOCUMENT=str(document))
    run("tsc", [programs / "tsc", "--project", folder, "--pretty", "false"], folder)


def make_python(document):
    """Writes a client in Python. Returns the folder of its package `workdesk`."""
    tools.install("client")
    output = FOLDER / "python" / "workdesk"
    options = ["--path", document, "--output-path", output, "--meta", "none", "--overwrite"]
    output.parent.mkdir(parents=True, exist_ok=True)
    program = tools.program("client", "openapi-python-client")
    run("openapi-python-client", [program, "generate", *options])
    return output


def run_python(api, document=ROOT / "infra/openapi.json"):
    """Has the client in Python call a stack."""
    package = make_python(document)
    calls = [tools.program("client", "python"), HERE / "calls.py", api]
    run("calls.py", calls, PYTHONPATH=str(package.parent), NO_PROXY="127.0.0.1")


def check_python(document):
    """openapi-python-client writes a file for each schema, and few besides."""
    output = make_python(document)
    models = len(list((output / "models").glob("*.py")))
    print(f"         {models} model files in Python")
    if models >= MOST_MODELS:
        sys.exit(f"openapi-python-client wrote {models} model files; expected below {MOST_MODELS}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="run the generators too")
    parser.add_argument("document", nargs="?", default=ROOT / "infra/openapi.json", type=pathlib.Path)
    options = parser.parse_args()
    document = options.document.resolve()
    programs = install(HERE, FOLDER)
    lint(document, programs)
    check_types(document, programs)
    if options.all:
        check_zod(document)
        check_python(document)


if __name__ == "__main__":
    main()

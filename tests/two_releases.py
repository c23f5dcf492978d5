"""Runs the fault campaign with two releases on one table: `python3 tests/two_releases.py TAG-OR-FOLDER [OPTION]...`.

Every other instance of tasks, publisher and sweeper is of the former release, so each reads what the other one wrote.
A tag is built in target/former, with the profile of the campaign; a folder has the binaries. The options are those of
the campaign, by default `--only killed`: functions that are killed make room for instances of the other release.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMER = ROOT / "target" / "former"
FUNCTIONS = ["tasks", "publisher", "sweeper"]


def run(*command, cwd=ROOT):
    subprocess.run(command, cwd=cwd, check=True)


def build(tag, is_dev):
    """Builds the functions of a tag. Returns the folder of the binaries."""
    if FORMER.exists():
        run("git", "worktree", "remove", "--force", FORMER)
    run("git", "worktree", "add", "--detach", FORMER, tag)
    packages = [part for name in FUNCTIONS for part in ("--package", name)]
    profile = [] if is_dev else ["--release"]
    run("cargo", "build", "--locked", "--bins", *profile, *packages, cwd=FORMER)
    return FORMER / "target" / ("debug" if is_dev else "release")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    former, options = sys.argv[1], sys.argv[2:]
    folder = pathlib.Path(former)
    folder = folder.resolve() if folder.is_dir() else build(former, "--dev" in options)
    if "--only" not in options:
        options += ["--only", "killed"]
    run("cargo", "run", "--locked", "--bin", "fault-campaign", "--", "--former", folder, *options)


main()

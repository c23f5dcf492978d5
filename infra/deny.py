"""Checks the licences, bans and sources of all crates by cargo-deny: `python3 infra/deny.py`.

deny.toml has the rules. Known vulnerabilities are checked where a database of advisories is at hand, as CARGO_HOME
keeps it once `cargo deny fetch` has run.
"""

import os
import pathlib
import subprocess

import tools


def has_advisories():
    """Returns true if a database of advisories is on this machine."""
    home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    return any(home.glob("advisory-dbs/*"))


def main():
    tools.install("deny")
    program = [tools.program("deny", "cargo-deny"), "--locked"]
    subprocess.run([*program, "check", "licenses", "bans", "sources"], cwd=tools.ROOT, check=True)
    if has_advisories():
        subprocess.run([*program, "--offline", "check", "advisories"], cwd=tools.ROOT, check=True)


if __name__ == "__main__":
    main()

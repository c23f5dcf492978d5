"""Has the agent call third-party doubles of billing and payment systems, and has third-party libraries
verify webhooks: `python3 tests/doubles/check.py [name of a test]`.

Starts stripe-stateful-mock, localstripe, prism with Kill Bill's API description, and two receivers of
webhooks, each as a process on a free port. Then runs the tests of `tests/doubles`, which call them. Needs Node.js 20
or later. Installs the doubles from npm, in the versions of the lock file, into target/doubles, and from
PyPI into target/tools. localstripe is under the GPL and is only run.
"""

import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.error

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "target" / "doubles"
PROGRAMS = FOLDER / "node_modules" / ".bin"
# Prism takes the longest to start: it reads a description of 380 kB.
START_SECONDS = 120
STOP_SECONDS = 10
sys.path[:0] = [str(HERE.parent), str(ROOT / "infra")]

import end_to_end  # noqa: E402
import tools  # noqa: E402


def install():
    """Installs the packages of the lock file unless they are installed."""
    tools.install("doubles")
    tools.install("webhooks")
    lock, installed = HERE / "package-lock.json", FOLDER / "installed.json"
    if installed.exists() and installed.read_bytes() == lock.read_bytes():
        return
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is missing: install Node.js 20 or later")
    FOLDER.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "package.json", FOLDER)
    shutil.copy(lock, FOLDER)
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    print("installing stripe-stateful-mock, killbill, prism and standardwebhooks", flush=True)
    subprocess.run([npm, "ci", *quiet], cwd=FOLDER, check=True)
    shutil.copy(lock, installed)


def commands(ports):
    """Returns port, command and a path for the start-up check of each double."""
    stripe, localstripe, kill_bill, webhooks_node, webhooks_python = ports
    description = FOLDER / "node_modules" / "killbill" / "codegen" / "kbswagger.yaml"
    mock = [PROGRAMS / "prism", "mock", description, "--errors", "--host=127.0.0.1"]
    python = tools.program("doubles", "python")
    return {
        "stripe": (stripe, [PROGRAMS / "stripe-stateful-mock"], "/"),
        "localstripe": (
            localstripe,
            [python, "-m", "localstripe", "--from-scratch", f"--port={localstripe}"],
            "/v1/balance",
        ),
        "kill_bill": (kill_bill, [*mock, f"--port={kill_bill}"], "/1.0/kb/nodesInfo"),
        "webhooks_node": (webhooks_node, ["node", HERE / "receiver.mjs"], "/"),
        "webhooks_python": (
            webhooks_python,
            [tools.program("webhooks", "python"), HERE / "receiver.py"],
            "/",
        ),
    }


def wait_for(name, process, url, log):
    """Waits until a double gives any HTTP answer."""
    began = time.monotonic()
    while True:
        try:
            end_to_end.opener().open(url, timeout=5).close()
        except urllib.error.HTTPError:
            pass
        except OSError:
            if process.poll() is not None or time.monotonic() - began > START_SECONDS:
                sys.exit(f"{name} does not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.1)
            continue
        print(f"{time.monotonic() - began:5.1f} s  {name} answers", flush=True)
        return


@contextlib.contextmanager
def running():
    """Runs the doubles. Yields their URLs."""
    urls, processes = {}, []
    with contextlib.ExitStack() as stack:
        ports = [end_to_end.free_port() for _ in range(5)]
        for name, (port, command, path) in commands(ports).items():
            log = FOLDER / f"{name}.log"
            out = stack.enter_context(log.open("w"))
            process = subprocess.Popen(
                command,
                cwd=FOLDER,
                env=end_to_end.past_proxies(PORT=str(port), LOG_LEVEL="warn"),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
            stack.callback(stop, process)
            processes.append((name, process, path, log))
            urls[name] = f"http://127.0.0.1:{port}"
        for name, process, path, log in processes:
            wait_for(name, process, urls[name] + path, log)
        yield urls


def stop(process):
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main():
    install()
    with running() as urls:
        only = [f"doubles::{name}" for name in sys.argv[1:]] or ["doubles::"]
        test = ["cargo", "test", "--locked", "--test", "agent", "--"]
        done = subprocess.run(
            [*test, "--ignored", *only],
            cwd=ROOT,
            env=end_to_end.past_proxies(WORKDESK_DOUBLES=json.dumps(urls)),
            stdout=subprocess.PIPE,
            text=True,
        )
    # Leave out the metrics that workers print.
    lines = [line for line in done.stdout.splitlines() if not line.startswith("{")]
    print("\n".join(lines), flush=True)
    for name in only:
        if not any(line.startswith(f"test {name}") for line in lines):
            sys.exit(f"there is no test {name}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()

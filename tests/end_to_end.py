"""Runs one story through a local stack over real HTTP: `python3 tests/end_to_end.py`.

Starts `cargo local` with its own ports and data folder; with `--watch`, its functions run under
`cargo lambda watch`, and some are killed. Runs the commands of its page and of the README.
Signs in and works from a service request to an executed action of the agent. Then runs the checks of
`local_stack.py` and, beside them, those of `alertmanager.py`. Stops the stack, and checks that no process is
left. Uses the standard library only; finds processes in Linux's /proc.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import functools
import gzip
import http.cookiejar
import http.server
import json
import os
import pathlib
import random
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import alertmanager
import local_stack

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD_SECONDS = 45 * 60  # a first build on two cores takes minutes, never this long
STOP_SECONDS = 30
POLL_SECONDS = 120
MARK = "WORKDESK_END_TO_END"
# The document whose `sh` block is run, and the address in it.
DOCUMENT = ROOT / "README.md"
ADDRESS = "http://localhost:9000"
GUIDE = ROOT / "infra" / "local" / "README.md"
DEMO_ADDRESS = "http://127.0.0.1:9100"
LOGIN = {"username": "ada", "password": "workdesk"}


def free_port():
    """Returns a port that is free at the moment. Outgoing connections take none of this range."""
    while True:
        port = random.randrange(15_000, 30_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def past_proxies(**more):
    """Returns the environment of a process that calls this machine without a proxy."""
    return {**os.environ, "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost", **more}


def opener(*handlers):
    """Returns an opener that uses no proxy."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), *handlers)


Answer = collections.namedtuple("Answer", "status headers text")


def text_of(answer):
    """Returns the text of an answer, unpacked."""
    body = answer.read()
    if answer.headers["content-encoding"] == "gzip":
        body = gzip.decompress(body)
    return body.decode()


class Client:
    """A client that keeps its cookies and checks statuses."""

    def __init__(self, base, headers=None):
        self.base = base
        self.headers = headers or {}
        jar = http.cookiejar.CookieJar()
        self.opener = opener(urllib.request.HTTPCookieProcessor(jar))

    def send(self, method, path, data=None, headers=None):
        """Sends a request. Returns the answer, whatever its status."""
        headers = {**self.headers, **(headers or {})}
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with self.opener.open(request, timeout=60) as answer:
                return Answer(answer.status, answer.headers, text_of(answer))
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, text_of(error))

    def call(self, method, path, body=None, expect=200, headers=None):
        """Sends a JSON request. Returns the JSON of the answer, which must have an expected status."""
        headers = dict(headers or {})
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["content-type"] = "application/json"
        statuses = expect if isinstance(expect, tuple) else (expect,)
        for _ in range(3):
            answer = self.send(method, path, data, headers)
            if answer.status != 429 or 429 in statuses or "rate_limited" not in answer.text:
                break
            # Units of the quota are free then.
            time.sleep(int(answer.headers["retry-after"]))
        if answer.status not in statuses:
            wrong = f"{method} {path}: {answer.status} instead of {expect}: {answer.text}"
            raise AssertionError(wrong)
        return json.loads(answer.text) if answer.text else None


def story(api, targets, login=LOGIN):
    """Plays the morning of a team: a service request, tasks, an activity, and the agent."""
    api.call("GET", "/api/tasks", expect=401)
    user = api.call("POST", "/api/auth/login", login)
    project = api.call("GET", "/api/managed-services/search-references?type=project")[0]["id"]

    print("  a service request and a comment")
    reference = {"referenceType": "project", "referenceId": project}
    request = api.call(
        "POST", "/api/managed-services/request", {"title": "Invoices are late", **reference}
    )
    assert (request["status"], request["priority"]) == ("open", "medium"), request
    thread = f"/api/service-requests/{request['id']}/comments"
    comment = api.call("POST", thread, {"content": "Since Monday"})
    answer = api.call("POST", thread, {"content": "We look into it", "parentId": comment["id"]})
    assert [row["id"] for row in api.call("GET", thread)] == [comment["id"], answer["id"]]

    print("  tasks of a milestone, reordered")
    milestone = api.call(
        "POST", "/api/milestones", {"title": "Invoices are on time", "projectId": project}
    )
    tasks = [
        api.call(
            "POST",
            "/api/tasks",
            {"title": title, "projectId": project, "milestoneId": milestone["id"]},
        )["id"]
        for title in ("Find the cause", "Fix it", "Tell the customers")
    ]
    order = [{"id": task, "order": place} for place, task in enumerate(reversed(tasks))]
    api.call("PATCH", "/api/tasks/reorder", {"tasks": order}, expect=204)
    listed = [row["id"] for row in api.call("GET", f"/api/projects/{project}/tasks")]
    assert [task for task in listed if task in tasks] == tasks[::-1], listed
    assert len(api.call("GET", f"/api/milestones/{milestone['id']}")["tasks"]) == 3

    print("  an activity, and the dashboard")
    activity = api.call(
        "POST",
        "/api/activities",
        {"type": "decision", "description": "Reprocess by hand", "projectId": project},
    )
    dashboard = api.call("GET", "/api/managed-services/dashboard")
    assert request["id"] in [row["id"] for row in dashboard["serviceRequests"]]
    assert activity["id"] in [row["id"] for row in dashboard["activityFeed"]]
    saved = dashboard["metrics"]["hoursSaved"]

    agent(api, targets)
    dashboard = api.call("GET", "/api/managed-services/dashboard")
    assert dashboard["metrics"]["hoursSaved"] > saved, dashboard["metrics"]

    api.call("POST", "/api/auth/logout", expect=204)
    api.call("GET", "/api/tasks", expect=401)
    print(f"  done, as {user['fullName']}")


def agent(api, targets):
    """Has the agent work on an alert, from the open alert to the effect in the target system."""
    print("  an agent session on an alert: analysis and proposal")
    alerts = api.call("GET", "/api/concierge/alerts?status=open")
    # Those of a machine are Alertmanager's, whose checks run at the same time.
    new = [one for one in alerts if one["agentSessionId"] is None]
    alert = next(one for one in new if not one["recordedByMachine"])
    session = api.call("POST", f"/api/concierge/alerts/{alert['id']}/agent-session")["session"]
    assert session["status"] == "started", session
    path = f"/api/concierge/agent-sessions/{session['id']}"
    proposed = api.call("POST", f"{path}/propose?detail=full")["session"]
    assert proposed["status"] == "awaiting_confirmation", proposed
    automated = [action for action in proposed["proposedActions"] if action["isAutomated"]]
    # Without those that only run unless another one succeeds.
    approved = [action for action in automated if not action["unless"]]
    assert approved, proposed

    print("  execution, until it is completed")
    before = len(targets.call("GET", "/effects"))
    ids = {"actionIds": [action["id"] for action in approved]}
    prefer = {"prefer": "respond-async"}
    api.call("POST", f"{path}/execute", ids, expect=(200, 202), headers=prefer)
    deadline = time.monotonic() + POLL_SECONDS
    while True:
        now = api.call("GET", path)
        if now["status"] not in ("executing",):
            break
        assert time.monotonic() < deadline, f"still {now['status']} after {POLL_SECONDS} s"
        time.sleep(0.25)
    assert now["status"] == "completed", now
    assert all(result["success"] for result in now["executionResults"]), now
    again = api.call("POST", f"{path}/execute", ids)
    assert again["session"]["status"] == "completed", again

    print("  the effect in the demo billing system happened once")
    effects = targets.call("GET", "/effects")[before:]
    calls = [step["apiCall"] for action in approved for step in action["steps"]]
    changes = [call for call in calls if not call.startswith("GET ")]
    assert len(effects) == len(changes), (effects, changes)


def running(mark):
    """Returns ids and commands of the processes with this mark in their environment. Every process of
    the stack inherits it, whatever its group and session."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() not in (entry / "environ").read_bytes().split(b"\0"):
                continue
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
        except OSError:
            continue  # it has ended, or belongs to another user
        if command:
            found[int(entry.name)] = command
    return found


def wait_until_ready(stack, log, api):
    """Waits until the addresses are printed and the gateway answers."""
    deadline = time.monotonic() + BUILD_SECONDS
    while time.monotonic() < deadline:
        if stack.poll() is not None:
            raise AssertionError(f"cargo local ended with {stack.returncode}")
        if "Workdesk is running" in log.read_text(errors="replace"):
            api.call("GET", "/api/openapi.json")
            return
        time.sleep(0.5)
    raise AssertionError("cargo local was not ready in time")


def shown(block):
    """Returns the values that the guide shows of an answer, in lists by member."""
    values = collections.defaultdict(list)
    for line in block.splitlines():
        [(member, value)] = json.loads(f"{{{line}}}").items()
        values[member].append(value)
    return values


def paste(commands):
    """Runs commands in bash as they are shown. Returns their output."""
    run = subprocess.Popen(
        ["bash", "--norc"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=past_proxies(),
        text=True,
    )
    try:
        return run.communicate(commands, timeout=POLL_SECONDS)[0]
    except subprocess.TimeoutExpired:
        run.kill()
        raise AssertionError(f"no end after {POLL_SECONDS} s:\n{run.communicate()[0]}") from None


def guide(api, targets):
    """Runs the commands of infra/local/README.md in bash as they are shown, and checks their answers. Then
    lifts the policy, as the rest of the story goes without one."""
    print("  the commands of the local stack's page")
    [commands] = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    for shown_address, address in [(ADDRESS, api.base), (DEMO_ADDRESS, targets.base)]:
        assert commands.count(shown_address) == 1, f"the commands name {shown_address} once"
        commands = commands.replace(shown_address, address)
    output = paste(commands)
    try:
        *blocks, heard = output.strip().split("\n\n")
        ada, policy, max_, proposed, refused, again, mine, *answers = map(shown, blocks)
        preview, executed, left, journal, check, effects, *answers = answers
        invited, accepted, task, signed_in, admin, tag = answers
        names = [one["fullName"] for one in (ada, max_, again, accepted, admin)]
        ada, max_, noor = ["Ada Lindqvist"], ["Max Okafor"], ["Noor Haddad"]
        assert names == [ada, max_, ada, noor, ada]
        assert invited["role"] == ["member"]
        assert task["title"][0] == "Compare the invoices of March"
        assert signed_in["username"][0].startswith("noor")
        assert policy["version"]
        assert len(proposed["description"]) > 1
        assert refused["status"] == [403] and "policy requires" in refused["detail"][0]
        assert "can approve" in mine["what"][0]
        assert preview["url"] and preview["mayApprove"] == [True]
        assert set(executed["success"]) == {True}
        assert "completed" in left["status"] and left["openActions"][0] > 0
        assert "approve" in left["what"][0]
        for what in ("opened", "proposed", "approved", "claimed", "ended"):
            assert what in journal["what"], (what, journal)
        assert check["verified"] == [True]
        assert effects["operation"]
        assert tag["name"][0].startswith("told ")
        assert [one["type"] for one in json.loads(heard)] == ["tag.created"]
    except BaseException:
        print(output, file=sys.stderr)
        raise
    api.call("POST", "/api/auth/login", LOGIN)
    sets_policy(api, {"rules": []})
    api.call("POST", "/api/auth/logout", expect=204)


def sets_policy(api, policy):
    """An admin sets the policy of the demo's agent. If it is looser, the other admin confirms it."""
    if api.call("PUT", "/api/concierge/policy", policy)["pending"] is None:
        return
    other = Client(api.base)
    other.call("POST", "/api/auth/login", {**LOGIN, "username": "ida"})
    confirmed = other.call("PUT", "/api/concierge/policy", policy)
    assert confirmed["pending"] is None, confirmed


def readme(api):
    """The commands of the README do what it says, run as they are shown, by one bash."""
    print("  the commands that the README shows")
    commands = "".join(re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text(), re.DOTALL))
    assert commands.count(ADDRESS) == 1, "the README's commands name the API once"
    output = paste(commands.replace(ADDRESS, api.base))
    try:
        answers = map(json.loads, output.splitlines())
        user, listed, task, problem, executed, alert, journal = answers
        assert user["username"] == LOGIN["username"]
        assert len(listed) <= 2
        assert (task["title"], task["organizationId"]) == ("Move the invoices", user["organizationId"])
        assert [error["pointer"] for error in problem["errors"]] == ["/title", "/projectId"]
        assert [result["success"] for result in executed["results"]] == [True]
        assert alert["status"] == "resolved"
        assert [entry["what"] for entry in journal][:2] == ["opened", "analysis_begun"]
    except BaseException:
        print(output, file=sys.stderr)
        raise


def demo(api):
    """Checks that the demo data has comments, phases and tagged activities."""
    tasks = api.call("GET", "/api/tasks?projectId=1")
    [commented] = [row for row in tasks if row["assignee"] and row["tags"]]
    assert api.call("GET", f"/api/tasks/{commented['id']}/comments"), commented
    assert len(api.call("GET", "/api/projects/1/phases")) == 3
    tagged = commented["tags"][0]["id"]
    assert len(api.call("GET", f"/api/activities?tagId={tagged}")) == 1


@contextlib.contextmanager
def described_provider():
    """Serves the discovery document and the keys of a provider by which nobody signs in. Yields its issuer."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            members = ("authorization_endpoint", "token_endpoint", "jwks_uri")
            document = {"issuer": issuer, "keys": [], **{member: f"{issuer}/{member}" for member in members}}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

        def log_message(self, *_):
            """Keeps the log of the tests short."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()


Stack = collections.namedtuple("Stack", "api targets log processes")


@contextlib.contextmanager
def running_stack(*options, **settings):
    """Runs `cargo local` with its own ports and data folder. Yields clients of its gateway and of its
    demo billing system, its log, and a function that lists its processes. Checks at the end that no
    process is left."""
    gateway, targets = free_port(), free_port()
    mark = secrets.token_hex(8)
    with tempfile.TemporaryDirectory(prefix="workdesk-") as data:
        log = pathlib.Path(data) / "cargo-local.log"
        command = ["cargo", "local", "--port", str(gateway), "--billing-port", str(targets)]
        command += ["--data", f"{data}/of the stack", *options]
        print("starting", " ".join(command), flush=True)
        with log.open("w") as output:
            stack = subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, MARK: mark, **settings},
                start_new_session=True,
            )
        try:
            api = Client(f"http://localhost:{gateway}")
            target = Client(f"http://127.0.0.1:{targets}")
            wait_until_ready(stack, log, api)
            yield Stack(api, target, log, functools.partial(running, mark))
            os.kill(stack.pid, signal.SIGINT)
            assert stack.wait(STOP_SECONDS) == 0, f"cargo local stopped with {stack.returncode}"
            left = running(mark)
            assert not left, f"left running: {left}"
        except BaseException:
            print(log.read_text(errors="replace")[-20_000:], file=sys.stderr)
            raise
        finally:
            local_stack.signal_all(running(mark), signal.SIGKILL)
            stack.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--watch", action="store_true", help="functions under cargo lambda watch")
    options = ["--watch"] if parser.parse_args().watch else []
    alertmanager.install()
    with running_stack(*options, ALLOWED_ORIGINS=local_stack.ORIGIN) as stack:
        guide(stack.api, stack.targets)
        readme(stack.api)
        story(stack.api, stack.targets)
        stack.api.call("POST", "/api/auth/login", LOGIN)
        demo(stack.api)
        work = functools.partial(agent, stack.api, stack.targets)
        monitor = Client(stack.api.base)
        monitor.call("POST", "/api/auth/login", LOGIN)
        # It waits for the most part, as the checks beside it do.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            heard = pool.submit(alertmanager.check, monitor, free_port())
            if options:
                local_stack.check_watched(stack.api, stack.processes, work)
            else:
                local_stack.check(stack.api)
            heard.result()
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()

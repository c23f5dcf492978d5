"""Times a quiet organization on an emulator, alone and beside one that makes noise:
`python3 tests/neighbor_on_emulator.py`.

It is the measurement of `fault-campaign --neighbor` on the deployed template. One process of the emulator
serves both organizations, and one thread of it polls all queues and streams. `--dev` takes the dev profile's
binaries.
"""

import concurrent.futures
import contextlib
import functools
import http.server
import itertools
import json
import pathlib
import secrets
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "infra"))
import deploy_to_emulator as emulator  # noqa: E402
import end_to_end  # noqa: E402

# Rounds of the quiet organization, the reads of each, and cleanups.
ROUNDS, READS, CLEANUPS = 30, 30, 3
# Tasks that are deleted at once, of which the last cleanup is waited for.
DELETED = 5
# Tasks that the noisy organization lists, tasks that it deletes, and actions that it has waiting. Its
# connections take a call a second.
NOISY_TASKS, NOISY_DELETES, NOISY_ACTIONS = 100, 60, 60
# Table units a second of the noisy organization's plan, of which the emulator counts half a one for a list;
# seconds between requests of its flood, and seconds after which its receiver answers.
UNITS, PAUSE, SLOW = 4, 0.1, 20
# Seconds in which instances start for the noise, and after which nothing is waited for any longer.
STARTS, PATIENCE = 20, 60
ALERT = {
    "source": "billing-monitor",
    "severity": "error",
    "signalType": "usage_batch_stuck",
    "title": "A usage batch has been processing for 26 hours",
    "targetSystem": "billing",
    "entities": [{"type": "usage_batch", "id": "ub_1001"}],
    "lifecycle": [{"at": "2026-11-20T08:00:00Z", "state": "processing"}],
}


class Receiver:
    """Receives webhooks, and answers each after a pause."""

    def __init__(self, pause):
        self.created = set()
        told = self.created

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                change = json.loads(body)["data"].get("change", {})
                if (change.get("type"), change.get("action")) == ("task", "created"):
                    told.add(change["recordId"])
                time.sleep(pause)
                with contextlib.suppress(OSError):
                    self.send_response(204)
                    self.send_header("content-length", "0")
                    self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/"


class Organization:
    """An organization and its admin."""

    def __init__(self, stack, login, project, receiver):
        self.client = emulator.browser(stack.base)
        self.id = self.client.call("POST", "/api/auth/login", login)["organizationId"]
        self.targets = end_to_end.Client(stack.targets)
        self.project, self.receiver = project, receiver
        self.alerts = itertools.count()
        self.name = secrets.token_hex(4)
        webhook = {"url": receiver.url, "types": ["task.created"]}
        self.client.call("POST", "/api/webhooks", webhook)

    def proposed(self):
        """Has an action proposed. Returns its session's path, and the approval."""
        self.targets.call("POST", "/reset", expect=204)
        alert = {**ALERT, "externalId": f"{self.name}-{next(self.alerts)}"}
        alert = self.client.call("POST", "/api/concierge/alerts", alert)["id"]
        path = f"/api/concierge/alerts/{alert}/agent-session"
        path = f"/api/concierge/agent-sessions/{self.client.call('POST', path)['session']['id']}"
        actions = self.client.call("POST", f"{path}/propose")["session"]["proposedActions"]
        [automated] = [action["id"] for action in actions if action["isAutomated"]][:1]
        return path, {"actionIds": [automated]}

    def execute(self, path, approval):
        prefer = {"prefer": "respond-async"}
        expect = (200, 202)
        self.client.call("POST", f"{path}/execute", approval, expect=expect, headers=prefer)

    def created(self):
        task = {"title": "Short-lived", "projectId": self.project}
        return self.client.call("POST", "/api/tasks", task)["id"]

    def commented(self):
        """Creates a task with a comment, which a cleanup deletes."""
        task = self.created()
        self.client.call("POST", f"/api/tasks/{task}/comments", {"content": "Soon gone"})
        return task

    def delete(self, task):
        self.client.call("DELETE", f"/api/tasks/{task}", expect=204)


def until(holds):
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE and not holds():
        time.sleep(0.02)


class Times:
    """Seconds of each kind of work."""

    def __init__(self):
        self.of = {"request": [], "approved action": [], "cleanup": [], "webhook": []}

    @contextlib.contextmanager
    def timed(self, what):
        began = time.monotonic()
        yield
        self.of[what].append(time.monotonic() - began)


def measure(quiet, cleanups_left, rounds=ROUNDS, cleanups=CLEANUPS):
    """Works as the quiet organization. Returns the times."""
    times = Times()
    for _ in range(rounds):
        for _ in range(READS):
            with times.timed("request"):
                quiet.client.call("GET", "/api/tasks?limit=20")
        path, approval = quiet.proposed()
        with times.timed("approved action"):
            quiet.execute(path, approval)
            until(lambda: quiet.client.call("GET", path)["status"] != "executing")
        with times.timed("webhook"):
            task = quiet.created()
            until(lambda: task in quiet.receiver.created)
    for _ in range(cleanups):
        tasks = [quiet.commented() for _ in range(DELETED)]
        with times.timed("cleanup"):
            for task in tasks:
                quiet.delete(task)
            until(lambda: cleanups_left() == 0)
    return times.of


def cleanups_of(organization, database, table):
    """Returns the number of an organization's cleanups that have not ended."""
    pages = database.get_paginator("scan").paginate(
        TableName=table,
        FilterExpression="kind = :kind AND organizationId = :organization",
        ExpressionAttributeValues={
            ":kind": {"S": "cleanup"},
            ":organization": {"N": str(organization)},
        },
        Select="COUNT",
    )
    return sum(page["Count"] for page in pages)


def operator(stack, *arguments, password=""):
    """Runs the operator's program."""
    subprocess.run(
        [str(emulator.BINARIES / "workdesk-admin"), *map(str, arguments)],
        env=stack.environment,
        input=f"{password}\n",
        stdout=subprocess.DEVNULL,
        text=True,
        check=True,
    )


class Noise:
    """The noisy organization. It has actions and cleanups waiting, then floods the API."""

    def __init__(self, stack):
        table, password = stack.outputs["TableName"], secrets.token_hex(8)
        operator(stack, "create-organization", table, "Noise", "noa", "Noa Berg", password=password)
        login = {"username": "noa", "password": password}
        client = emulator.browser(stack.base)
        client.call("POST", "/api/auth/login", login)
        slow = {name: {**one, "limits": {"perSecond": 1}} for name, one in stack.demo.items()}
        emulator.connect(client, slow)
        project = client.call("POST", "/api/projects", {"title": "Noise", "status": "active"})["id"]
        loud = Organization(stack, login, project, Receiver(SLOW))
        for _ in range(NOISY_TASKS):
            loud.created()
        tasks = [loud.commented() for _ in range(NOISY_DELETES)]
        approvals = [loud.proposed() for _ in range(NOISY_ACTIONS)]
        for path, approval in approvals:
            loud.execute(path, approval)
        for task in tasks:
            loud.delete(task)
        operator(stack, "set-plan", table, loud.id, "--units", UNITS)
        self.client, self.statuses, self.ended = loud.client, [], threading.Event()
        self.senders = concurrent.futures.ThreadPoolExecutor(32)
        threading.Thread(target=self.flood, daemon=True).start()

    def flood(self):
        """Sends a request at a time, whether others are answered or not."""
        while not self.ended.wait(PAUSE):
            asked = self.senders.submit(self.client.send, "GET", "/api/tasks?limit=200")
            asked.add_done_callback(lambda done: self.statuses.append(done.result().status))

    def stop(self):
        """Ends the flood. Returns what became of it."""
        self.ended.set()
        self.senders.shutdown()
        refused = self.statuses.count(429)
        return f"{len(self.statuses)} requests of the flood, of which {refused} were refused"


def report(alone, beside):
    """Prints the times in milliseconds."""
    print("| | times | alone: median, p99 | beside the noise: median, p99 | ratio of p99 |")
    print("|---|---|---|---|---|")
    for what in alone:
        (before, p99_before), (after, p99_after) = map(middle_and_p99, (alone[what], beside[what]))
        cells = f"{before:.0f}, {p99_before:.0f} | {after:.0f}, {p99_after:.0f}"
        print(f"| {what} | {len(alone[what])} | {cells} | {p99_after / p99_before:.2f} |")


def middle_and_p99(times):
    """Returns median and p99 of seconds, in milliseconds."""
    times = sorted(1000 * one for one in times)
    return times[len(times) // 2], times[-(-len(times) * 99 // 100) - 1]


def main():
    with emulator.deployed() as stack:
        database = emulator.Account(stack.environment).client("dynamodb")
        quiet = Organization(stack, stack.admin, stack.ids["PROJECT"], Receiver(0))
        table = stack.outputs["TableName"]
        cleanups_left = functools.partial(cleanups_of, quiet.id, database, table)
        print("cold starts", flush=True)
        measure(quiet, cleanups_left, 2, 1)
        print("alone", flush=True)
        alone = measure(quiet, cleanups_left)
        print("the noise begins", flush=True)
        noise = Noise(stack)
        time.sleep(STARTS)
        print("beside the noise", flush=True)
        report(alone, measure(quiet, cleanups_left))
        print(noise.stop())


if __name__ == "__main__":
    main()

"""Suspends an organization of a local stack under load, and lifts it: `python3 tests/suspension.py [--watch]`.

Clients of two organizations read and create tasks all the time, by sessions and tokens. Five seconds after the
operator's command, each answer to the suspended one is 403 `organization_suspended`; five seconds after the lift, none
is. The other organization notices nothing, and each answered task is there. With `--watch`, functions are
processes of their own, which keep what they read.
"""

import argparse
import collections
import json
import re
import statistics
import subprocess
import threading
import time

import end_to_end
import local_stack

BOUND_SECONDS = 5
PHASE_SECONDS = 9
WORKERS = 4
PASSWORD = "four words of an operator"
# Four workers of each organization send what they can; the plan must not be what refuses them.
UNITS = "1000000"

Seen = collections.namedtuple("Seen", "sent answered method status code task")


class Operator:
    """The operator's program on the table of a stack."""

    def __init__(self, log):
        self.table, endpoint = re.search(r"^ +Table +(\S+) at (\S+)$", log.read_text(), re.MULTILINE).groups()
        more = {
            "AWS_ENDPOINT_URL_DYNAMODB": endpoint,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
        }
        self.environment = end_to_end.past_proxies(**more)

    def run(self, subcommand, *arguments, given=""):
        """Runs a subcommand. Returns its output."""
        ran = subprocess.run(
            [end_to_end.ROOT / "target/debug/workdesk-admin", subcommand, self.table, *arguments],
            env=self.environment,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, (subcommand, ran.stderr)
        return ran.stdout


class Load:
    """Workers of one organization, which work until they are told to stop."""

    def __init__(self, base, login):
        self.seen, self.stopped = [], threading.Event()
        admin = end_to_end.Client(base)
        admin.call("POST", "/api/auth/login", login)
        token = admin.call("POST", "/api/tokens", {"name": "load"})["token"]
        script = end_to_end.Client(base, {"authorization": f"Bearer {token}"})
        self.admin = admin
        self.project = admin.call("POST", "/api/projects", {"title": "Load"})["id"]
        clients = [admin, script] * (WORKERS // 2)
        self.threads = [threading.Thread(target=self.work, args=(one,)) for one in clients]
        for thread in self.threads:
            thread.start()

    def work(self, client):
        task = json.dumps({"title": "Under load", "projectId": self.project}).encode()
        kind = {"content-type": "application/json"}
        while not self.stopped.is_set():
            for method, path, body in (("POST", "/api/tasks", task), ("GET", "/api/tasks?limit=1", None)):
                sent = time.monotonic()
                answer = client.send(method, path, body, kind if body else None)
                told = json.loads(answer.text)
                is_made = method == "POST" and answer.status in (200, 201)
                code = told.get("code") if answer.status >= 400 else None
                made = told["id"] if is_made else None
                self.seen.append(Seen(sent, time.monotonic(), method, answer.status, code, made))

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def within(self, begin, end):
        return [one for one in self.seen if begin <= one.sent and one.answered <= end]

    def tasks(self):
        """The ids of all tasks of the project."""
        pages = local_stack.walk(self.admin, f"/api/projects/{self.project}/tasks?limit=200")
        return {task["id"] for page in pages for task in page}


def is_refused(one):
    return (one.status, one.code) == (403, "organization_suspended")


def is_served(one):
    return one.status in (200, 201)


def last(seen, is_one, since):
    """Seconds from an instant to the last request of a kind that was sent; 0 without one."""
    return max([one.sent - since for one in seen if is_one(one)], default=0)


def check(operator, stack):
    """Suspends and lifts an organization, and checks what all callers were answered."""
    login = {"username": "olga", "password": PASSWORD}
    arguments = ("Other Services", login["username"], "Olga Lind")
    other_id = re.search(r"\d+", operator.run("create-organization", *arguments, given=f"{PASSWORD}\n"))[0]
    for organization in ("1", other_id):
        operator.run("set-plan", organization, "--units", UNITS)
    # Instances keep a plan for some seconds.
    time.sleep(BOUND_SECONDS)
    home = Load(stack.api.base, end_to_end.LOGIN)
    other = Load(stack.api.base, login)
    try:
        began = time.monotonic()
        time.sleep(PHASE_SECONDS - BOUND_SECONDS)
        operator.run("suspend-organization", "1")
        suspended = time.monotonic()
        time.sleep(PHASE_SECONDS)
        lifting = time.monotonic()
        operator.run("suspend-organization", "1", "--lift")
        lifted = time.monotonic()
        time.sleep(PHASE_SECONDS)
    finally:
        home.stop()
        other.stop()
    ended = time.monotonic()

    unexpected = [one for one in home.seen if not is_served(one) and not is_refused(one)]
    assert not unexpected, unexpected[:5]
    held = home.within(suspended + BOUND_SECONDS, lifting)
    assert held and all(map(is_refused, held)), [one for one in held if not is_refused(one)][:5]
    free = home.within(lifted + BOUND_SECONDS, ended)
    assert free and all(map(is_served, free)), [one for one in free if not is_served(one)][:5]
    wrong = [one for one in other.seen if not is_served(one)]
    assert not wrong, wrong[:5]
    for load in (home, other):
        made = {one.task for one in load.seen if one.task}
        there = load.tasks()
        assert made == there, (made ^ there)
    rate = len(home.seen + other.seen) / (ended - began)
    # The last request of a kind that is sent before the other phase.
    late_served = last(home.within(suspended, lifting), is_served, suspended)
    late_refused = last(home.within(lifted, ended), is_refused, lifted)
    times = [1_000 * (one.answered - one.sent) for one in other.seen]
    print(f"  {rate:.0f} requests a second; {len(home.seen)} of the suspended organization, {len(other.seen)} of the other")
    print(f"  served last {late_served:.2f} s after the suspension; refused last {late_refused:.2f} s after the lift")
    print(f"  the other organization: median {statistics.median(times):.1f} ms, at most {max(times):.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--watch", action="store_true", help="functions under cargo lambda watch")
    options = ["--watch"] if parser.parse_args().watch else []
    with end_to_end.running_stack(*options) as stack:
        check(Operator(stack.log), stack)
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()

"""Rehearses a restore on the local stack: `python3 tests/restore.py`.

Runs the `sh` blocks of infra/RESTORE.md in one bash, and works between them as people, a client of the change feed
and the agent. Checks that the client missed nothing, that no id was given twice, and that no effect happened twice,
messages included. Prints what came back.
"""

import pathlib
import re
import secrets
import signal
import subprocess
import sys
import time

import end_to_end
import local_stack

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "infra" / "RESTORE.md"
PASSWORD = end_to_end.LOGIN["password"]
# The message is to a customer whose card is reported stolen.
PAYMENT = "pay_3006"
ALERT = {
    "source": "drill", "externalId": "stolen", "signalType": "payment_failed", "severity": "error",
    "title": "A payment failed", "targetSystem": "payments", "labels": {"failure": "card_declined"},
    "entities": [{"type": "payment", "id": PAYMENT}],
}
WAIT_SECONDS = 60


def blocks():
    """The `sh` blocks of the section."""
    section = DOCUMENT.read_text().split("\n## Rehearse it\n")[1].split("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


class Shell:
    """One bash, in which blocks run one after another."""

    def __init__(self, mark):
        self.bash = subprocess.Popen(
            ["bash", "--norc"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=end_to_end.past_proxies(**{end_to_end.MARK: mark}),
            text=True,
        )
        self.run("set -euo pipefail")

    def run(self, block):
        """Runs a block. Returns its output."""
        self.bash.stdin.write(f"{block}\necho\necho 'the block ended'\n")
        self.bash.stdin.flush()
        lines = []
        for line in self.bash.stdout:
            if line == "the block ended\n":
                return "".join(lines)
            lines.append(line)
        raise AssertionError(f"a block failed:\n{block}\n{''.join(lines)}")


class Follower:
    """A client that keeps the tasks in step with the feed, as the API's document says."""

    def __init__(self, api):
        self.api, self.ids, self.expired = api, [], 0
        self.begin()

    def begin(self):
        answer = self.api.send("GET", "/api/changes?type=task")
        self.path = self.next(answer)
        self.tasks = {task["id"] for task in self.api.call("GET", "/api/tasks?limit=200")}

    @staticmethod
    def next(answer):
        assert answer.status == 200, answer
        return re.fullmatch(r"<https?://[^/]+(/.+)>; rel=\"next\"", answer.headers["link"])[1]

    def poll(self):
        """Reads the entries that are there. Begins again when its cursor has expired."""
        answer = self.api.send("GET", self.path)
        if answer.status == 410:
            self.expired += 1
            return self.begin()
        self.path = self.next(answer)
        for entry in end_to_end.json.loads(answer.text):
            self.ids.append(entry["id"])
            self.tasks.add(entry["recordId"])

    def hears_of(self, tasks):
        """Polls until it knows the tasks. Returns the number of those that it missed."""
        deadline = time.monotonic() + 15
        while set(tasks) - self.tasks and time.monotonic() < deadline:
            self.poll()
            time.sleep(0.2)
        return len(set(tasks) - self.tasks)


def signed_in(api, name="ada"):
    client = end_to_end.Client(api.base)
    client.call("POST", "/api/auth/login", {"username": name, "password": PASSWORD})
    return client


def with_token(api, admin):
    """A client with a token, and the token's id."""
    made = admin.call("POST", "/api/tokens", {"name": "drill"})
    return end_to_end.Client(api.base, {"authorization": f"Bearer {made['token']}"}), made["id"]


def creates_tasks(client, count):
    tasks = [{"title": f"Task {n} of the drill", "projectId": 1} for n in range(count)]
    return [client.call("POST", "/api/tasks", task)["id"] for task in tasks]


def proposed_message(admin):
    """A session with a proposed message: its path, and the action's id."""
    alert = admin.call("POST", "/api/concierge/alerts", ALERT)["id"]
    session = admin.call("POST", f"/api/concierge/alerts/{alert}/agent-session")["session"]["id"]
    path = f"/api/concierge/agent-sessions/{session}"
    actions = admin.call("POST", f"{path}/propose")["session"]["proposedActions"]
    [message] = [one for one in actions if one["isAutomated"]]
    return path, message["id"]


def executes(admin, path, action):
    """Approves an action, and waits for its end. Returns its result."""
    prefer = {"prefer": "respond-async"}
    body = {"actionIds": [action]}
    admin.call("POST", f"{path}/execute", body, expect=(200, 202), headers=prefer)
    deadline = time.monotonic() + WAIT_SECONDS
    while (session := admin.call("GET", path))["status"] == "executing":
        assert time.monotonic() < deadline, session
        time.sleep(0.2)
    return session["executionResults"]


def messages(targets):
    """The messages about the payment that reached the customer."""
    effects = targets.call("GET", "/effects")
    return [one for one in effects if one["operation"] == "POST /messages"]


def drill(shell, api, targets):
    begin, copy, put_back, prepare = blocks()
    gateway, billing = api.base.rpartition(":")[2], targets.base.rpartition(":")[2]
    shell.run(begin.replace("9000", gateway).replace("9100", billing))
    admin = signed_in(api)
    (client, _), (revoked, revoked_id) = with_token(api, admin), with_token(api, admin)
    path, message = proposed_message(admin)
    follower = Follower(client)
    known = creates_tasks(client, 3)
    assert follower.hears_of(known) == 0
    shell.run(copy)

    print("  work that will be lost", flush=True)
    admin = signed_in(api)
    lost = creates_tasks(client, 5)
    assert follower.hears_of(lost) == 0
    results = executes(admin, path, message)
    assert [one["success"] for one in results] == [True], results
    sent = messages(targets)
    assert len(sent) == 1, sent
    mia = next(one for one in admin.call("GET", "/api/users") if one["username"] == "mia")
    admin.call("PATCH", f"/api/users/{mia['id']}", {"disabled": True})
    admin.call("DELETE", f"/api/tokens/{revoked_id}", expect=204)
    revoked.call("GET", "/api/tasks", expect=401)

    print("  the table goes back", flush=True)
    begun = time.monotonic()
    shell.run(put_back)
    came_back = shell.run(prepare)
    down = time.monotonic() - begun
    print(re.sub(r"^", "    ", came_back.strip(), flags=re.MULTILINE))
    assert re.search(rf"token, alive at that instant: {revoked_id}, ", came_back), came_back
    assert re.search(rf"user, enabled: {mia['id']}, mia", came_back), came_back
    admin.call("GET", "/api/tasks", expect=401)

    seen = list(follower.ids)
    follower.poll()
    assert follower.expired == 1, "its cursor is of the lost feed"
    made = creates_tasks(client, 8)
    missed = follower.hears_of(made)
    twice = set(made) & set(lost) or set(follower.ids[len(seen):]) & set(seen)
    admin = signed_in(api)
    assert admin.call("GET", "/api/concierge/pause")["reason"] == "restored"
    admin.call("POST", "/api/concierge/resume")
    results = executes(admin, path, message)
    assert [one["success"] for one in results] == [True], results
    again = len(messages(targets)) - len(sent)
    assert admin.call("GET", "/api/journal/check")["verified"]
    shell.run("stop")
    print(f"  cursors that missed entries {missed}; ids twice {len(twice)}; effects twice {again}")
    print(f"  down for {down:.1f} s")
    assert (missed, len(twice), again) == (0, 0, 0)


def main():
    mark = secrets.token_hex(8)
    api = end_to_end.Client(f"http://localhost:{end_to_end.free_port()}")
    targets = end_to_end.Client(f"http://127.0.0.1:{end_to_end.free_port()}")
    shell = Shell(mark)
    try:
        drill(shell, api, targets)
        data = pathlib.Path(shell.run('echo "$DATA"').strip())
        subprocess.run(["rm", "-r", data], check=True)
    except BaseException:
        print(shell.bash.poll(), file=sys.stderr)
        raise
    finally:
        shell.bash.stdin.close()
        local_stack.signal_all(end_to_end.running(mark), signal.SIGKILL)
        shell.bash.wait()
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()

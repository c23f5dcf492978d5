"""Attacks a running local stack from its OpenAPI document: `python3 tests/schemathesis/check.py`.

Starts `cargo local`, gives each caller (one of every role, and an admin's token) an organization of
their own, so that nobody loses what another deletes, and has schemathesis hold every answer against
the document with all its checks: what the document allows is not refused, what it excludes is not
accepted. What of its findings is not ours stands in `hooks.py`, by name and with the reason.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(ROOT / "infra")]

import end_to_end  # noqa: E402
import tools  # noqa: E402

TABLE = "workdesk"
PASSWORD = "a password of twelve"
CALLERS = ("admin", "token", "manager", "support", "member", "viewer")
# From so many cases of an operation on, everybody tries everything.
LONG = 100
# How many run beside each other: each of them, and what it asks, keeps one core busy.
BESIDE = 2
ALERTS = (
    ("usage_batch_stuck", "billing", {"type": "usage_batch", "id": "ub_1001"}),
    ("payment_failed", "payments", {"type": "invoice", "id": "inv_2005"}),
    ("invoice_not_finalized", "billing", {"type": "invoice", "id": "inv_2002"}),
)


def administer(dynamodb, *command, text):
    """What an operator does from a shell; answers what it says."""
    program = ROOT / "target" / "debug" / "workdesk-admin"
    environment = {
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb,
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "NO_PROXY": "127.0.0.1",
    }
    done = subprocess.run(
        [program, *command], env=environment, input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def organization_of(caller, dynamodb, base):
    """An organization with one of each record, and a user of that role in it."""
    role = "admin" if caller == "token" else caller
    owner = f"{caller}-owner"
    names = (f"Halden {caller}", owner, "Ada Lindqvist")
    founded = administer(dynamodb, "create-organization", TABLE, *names, text=f"{PASSWORD}\n")
    organization = founded.split()[1].rstrip(",")
    for number, (kind, system, entity) in enumerate(ALERTS):
        alert = {
            "source": "monitor",
            "externalId": f"{caller}-{number}",
            "signalType": kind,
            "severity": "error",
            "title": f"{entity['id']} needs somebody",
            "targetSystem": system,
            "entities": [entity],
        }
        administer(dynamodb, "record-alert", TABLE, organization, text=json.dumps(alert))
    api = end_to_end.Client(base)
    api.call("POST", "/api/auth/login", {"username": owner, "password": PASSWORD})
    user = {"fullName": "Mia Tanaka", "password": PASSWORD}
    account = {**user, "username": f"{caller}-caller", "role": role}
    own = api.call("POST", "/api/users", account)["id"]
    api.call("POST", "/api/users", {**user, "username": f"{caller}-other", "role": "member"})
    fill(api)
    return {"username": account["username"], "password": PASSWORD, "id": own}


def fill(api):
    """One of each record, for who may not create any."""

    def made(path, body):
        return api.call("POST", path, body)["id"]

    connection = {
        "kind": "demo",
        "baseUrl": "http://127.0.0.1:9",
        "allow": ["POST /usage-batches/{id}/reprocess", "GET /balance"],
    }
    api.call("PUT", "/api/concierge/connections/billing", connection)
    project = made("/api/projects", {"title": "Billing migration"})
    made(f"/api/projects/{project}/phases", {"title": "Prepare"})
    made("/api/milestones", {"title": "Go live", "projectId": project})
    made("/api/tags", {"name": "urgent"})
    task = made("/api/tasks", {"title": "Move", "projectId": project})
    note = {"type": "note", "description": "Called back", "projectId": project}
    activity = made("/api/activities", note)
    request = made("/api/managed-services/request", {"title": "Help"})
    for thread in (f"tasks/{task}", f"activities/{activity}", f"service-requests/{request}"):
        made(f"/api/{thread}/comments", {"content": "Since Monday"})
    made("/api/managed-services/tickets", {"title": "Help", "description": "Since Monday"})


def attack(caller, account, base, options, folder):
    """Runs schemathesis as that caller; answers whether it was content."""
    began = time.monotonic()
    command = [
        tools.program("schemathesis", "st"),
        "--config-file",
        HERE / "schemathesis.toml",
        "run",
        f"{base}/api/openapi.json",
        f"--seed={options.seed}",
        f"--max-examples={options.cases}",
        # It draws slowly on a machine that has other work, which says nothing of the service.
        "--suppress-health-check=too_slow",
        f"--phases={','.join(phases(caller, options))}",
        f"--report-ndjson-path={folder / caller}.ndjson",
    ]
    environment = end_to_end.past_proxies(
        WORKDESK_API=base,
        WORKDESK_CALLER=caller,
        WORKDESK_ACCOUNT=json.dumps(account),
        SCHEMATHESIS_HOOKS=str(HERE / "hooks.py"),
    )
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print(f"{time.monotonic() - began:5.0f} s  as {caller}", flush=True)
    if done.returncode != 0 or options.verbose:
        print(done.stdout, flush=True)
    return done.returncode == 0


def phases(caller, options):
    """What a caller tries. In the short form the thousands of cases of `coverage` are the admin's alone:
    to all others most of them are 403."""
    if options.phases:
        return options.phases.split(",")
    is_short = options.cases < LONG
    coverage = [] if is_short and caller != "admin" else ["coverage"]
    return ["examples", *coverage, "fuzzing", "stateful"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=5, help="of an operation and a caller")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--callers", default=",".join(CALLERS), help="separated by commas")
    parser.add_argument("--phases", help="of schemathesis, separated by commas")
    parser.add_argument("--verbose", action="store_true", help="show what passes, too")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the reports")
    return parser.parse_args()


def main():
    options = arguments()
    tools.install("schemathesis")
    port = end_to_end.free_port()
    with (
        tempfile.TemporaryDirectory(prefix="workdesk-") as name,
        end_to_end.running_stack(LOCAL_DYNAMODB_PORT=str(port)) as stack,
        concurrent.futures.ThreadPoolExecutor(BESIDE) as pool,
    ):
        folder = options.keep or pathlib.Path(name)
        folder.mkdir(exist_ok=True)
        dynamodb, base = f"http://127.0.0.1:{port}", stack.api.base
        callers = options.callers.split(",")
        accounts = {caller: organization_of(caller, dynamodb, base) for caller in callers}

        def one(caller):
            return attack(caller, accounts[caller], base, options, folder)

        content = list(pool.map(one, callers))
        if options.keep:
            (folder / "cargo-local.log").write_text(stack.log.read_text(errors="replace"))
    if not all(content):
        sys.exit("the service is not as its document says")
    print(f"{len(content)} passed, 0 failed")


if __name__ == "__main__":
    main()

"""Tests a local stack with requests generated from its document: `python3 tests/schemathesis/check.py`.

Starts `cargo local`. Each caller (one of every role, and an admin's token) has its own organization, so
that none deletes the records of another. schemathesis compares every answer with the document, with all
its checks: valid requests are accepted, and invalid ones are refused. `hooks.py` lists the findings that
are not faults of the service, each with its reason.
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
# Number of cases per operation from which every caller runs all phases.
LONG = 100
# The options of a short run.
QUICK = {"callers": "token", "cases": 2, "phases": "examples,fuzzing"}
# Number of parallel runs; each run and its requests keep one core busy.
BESIDE = 2
ALERTS = (
    ("usage_batch_stuck", "billing", {"type": "usage_batch", "id": "ub_1001"}),
    ("payment_failed", "payments", {"type": "invoice", "id": "inv_2005"}),
    ("invoice_not_finalized", "billing", {"type": "invoice", "id": "inv_2002"}),
)


def administer(dynamodb, *command, text):
    """Runs workdesk-admin. Returns its output."""
    program = ROOT / "target" / "debug" / "workdesk-admin"
    environment = {
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb,
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "NO_PROXY": "127.0.0.1,localhost",
    }
    done = subprocess.run(
        [program, *command], env=environment, input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def organization_of(caller, dynamodb, base):
    """Creates an organization with one record of each kind. Returns the login of a user with the
    caller's role."""
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
            "title": f"{entity['id']} needs attention",
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
    """Creates one record of each kind, for callers that may not create records."""

    def made(path, body):
        return api.call("POST", path, body)["id"]

    connection = {
        "kind": "billing",
        "amounts": "minor",
        "baseUrl": "http://127.0.0.1:9",
        "secret": None,
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
    """Runs schemathesis as a caller. Returns whether it passed."""
    began = time.monotonic()
    command = [
        tools.program("schemathesis", "st"),
        "--config-file",
        HERE / "schemathesis.toml",
        "run",
        f"{base}/api/openapi.json",
        f"--seed={options.seed}",
        f"--max-examples={options.cases}",
        # Slow generation of cases on a busy machine is not a fault of the service.
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
    """Returns the phases of a caller. In short runs only the admin runs `coverage`, which has thousands of
    cases: for other callers most are 403."""
    if options.phases:
        return options.phases.split(",")
    is_short = options.cases < LONG
    coverage = [] if is_short and caller != "admin" else ["coverage"]
    return ["examples", *coverage, "fuzzing", "stateful"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=5, help="cases per operation and caller")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--callers", default=",".join(CALLERS), help="callers, comma-separated")
    parser.add_argument("--phases", help="phases of schemathesis, comma-separated")
    parser.add_argument("--verbose", action="store_true", help="print the output of passed runs too")
    parser.add_argument("--keep", type=pathlib.Path, help="folder in which to keep the reports")
    parser.add_argument("--quick", action="store_true", help="few cases of one caller, and no sequences of requests")
    if parser.parse_args().quick:
        parser.set_defaults(**QUICK)
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
        sys.exit("the service differs from its document")
    print(f"{len(content)} passed, 0 failed")


if __name__ == "__main__":
    main()

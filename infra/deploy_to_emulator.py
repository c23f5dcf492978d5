"""Deploys the template to an emulator and runs the end-to-end story on it:
`python3 infra/deploy_to_emulator.py`.

The emulator, ministack, takes the template as `sam deploy` sends it. It runs the release binaries behind
its own gateway, table, queue and schedule, and checks every request of a function against the function's
role. A permission that the template lacks thus fails the story. The commands of infra/README.md create
the key and the signing secrets, and at the end change the session secret; no user is signed out. `--dev`
runs the binaries that the tests have built instead. `--quick` leaves out the
billing team, the domain and the change of the secret.

The emulator differs from AWS in these points: it has no alarms on metric math, names a permission
differently, knows no conditions on encryption contexts, keeps a mapping's concurrency as text, and
ignores the template's CORS configuration.
"""

import collections
import contextlib
import functools
import http.cookiejar
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import tools

sys.path.insert(0, str(tools.ROOT / "tests"))
import billing_team  # noqa: E402
import described_operations  # noqa: E402
import end_to_end  # noqa: E402
import local_stack  # noqa: E402

STACK = "workdesk"
# The document whose `sh` blocks are run, and the sections that have them.
DOCUMENT = tools.ROOT / "infra" / "README.md"
KEY = "## Secrets"
SET_UP = "## Set a team up"
ROTATE = "## Rotate the session secret"
DONE = "the block is done"
DOMAIN = "api.workdesk.example"
START_SECONDS = 30
STOP_SECONDS = 10
LOG_LINES = 30
# About another record than the document's alert, which the story resolves.
ANOTHER_ALERT = {
    "source": "billing-monitor",
    "externalId": "draft-inv_2002",
    "severity": "warning",
    "signalType": "invoice_not_finalized",
    "title": "Invoice KA-2026-10 is still a draft",
    "targetSystem": "billing",
    "entities": [{"type": "invoice", "id": "inv_2002"}, {"type": "customer", "id": "cus_502"}],
    "lifecycle": [{"at": "2026-11-20T08:00:00Z", "state": "draft"}],
}


def functions():
    """Returns the names of the functions' packages, from the folders in the template."""
    return re.findall(r"CodeUri: \.\./target/lambda/([a-z-]+)/", tools.TEMPLATE.read_text())


IS_DEV = "--dev" in sys.argv[1:]
IS_QUICK = "--quick" in sys.argv[1:]
BINARIES = tools.ROOT / "target" / ("debug" if IS_DEV else "release")


def build():
    """Builds the functions' binaries, the operator's program and the demo."""
    command = ["cargo", "build", "--locked", "--workspace"]
    release = ["--release", "--exclude", "local", "--exclude", "tests", "--bins"]
    tested = ["--profile", "test", "--bins"]
    for wanted in [tested] if IS_DEV else [release, ["--bin", "demo"]]:
        subprocess.run([*command, *wanted], cwd=tools.ROOT, check=True)


def package(folder):
    """Copies template, script and binaries into the layout of `cargo lambda build`."""
    infra = folder / "infra"
    infra.mkdir()
    for file in (tools.TEMPLATE, tools.TEMPLATE.with_name("deploy.sh")):
        shutil.copy(file, infra)
    for name in functions():
        target = folder / "target" / "lambda" / name
        target.mkdir(parents=True)
        shutil.copy(BINARIES / name, target / "bootstrap")
        # What a debugger needs is most of a dev binary, and none of a release's.
        subprocess.run(["strip", target / "bootstrap"], check=True)


@contextlib.contextmanager
def running(command, environment, **options):
    """Runs a process until the block ends."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def emulator(folder):
    """Runs the emulator. Yields the environment variables for AWS tools and SDKs."""
    port = end_to_end.free_port()
    url = f"http://127.0.0.1:{port}"
    programs = [tools.program("aws", "aws").parent, tools.program("sam", "sam").parent]
    # The functions inherit it too: without proxies and without this machine's AWS account.
    environment = {
        **tools.ENVIRONMENT,
        "HOME": str(folder),
        "PATH": os.pathsep.join([*map(str, programs), tools.ENVIRONMENT["PATH"]]),
        "AWS_PAGER": "",
        "AWS_ENDPOINT_URL": url,
        "AWS_REGION": tools.ENVIRONMENT["AWS_DEFAULT_REGION"],
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }
    settings = {
        "BIND_HOST": "127.0.0.1",
        "MINISTACK_HOST": "127.0.0.1",
        "MINISTACK_REGION": environment["AWS_REGION"],
        "GATEWAY_PORT": str(port),
        "STATE_DIR": str(folder / "state"),
        "IOT_MTLS_ENABLED": "false",
        "AUTH": "true",
    }
    log = folder / "emulator.log"
    with log.open("w") as output:
        command = [tools.program("emulator", "ministack")]
        streams = {"stdout": output, "stderr": subprocess.STDOUT}
        with running(command, environment | settings, **streams) as process:
            deadline = time.monotonic() + START_SECONDS
            while not answers(f"{url}/_ministack/health"):
                ended = process.poll() is not None or time.monotonic() > deadline
                assert not ended, log.read_text(errors="replace")
                time.sleep(0.1)
            yield environment


def answers(url):
    try:
        with end_to_end.opener().open(url, timeout=1):
            return True
    except OSError:
        return False


class Account:
    """The emulated account."""

    def __init__(self, environment):
        import boto3

        self.environment = environment
        session = boto3.session.Session(
            environment["AWS_ACCESS_KEY_ID"],
            environment["AWS_SECRET_ACCESS_KEY"],
            region_name=environment["AWS_REGION"],
        )
        self.client = lambda service: session.client(
            service, endpoint_url=environment["AWS_ENDPOINT_URL"]
        )

    def deploy(self, folder, key, session, webhook):
        """Deploys the stack as the document does, and returns its outputs."""
        parameters = {
            "ExistingTable": "none",
            "SecretsKey": key,
            "SessionSecrets": session,
            "WebhookSecrets": webhook,
            "Architecture": "x86_64",
            # Most alarms use metric math, which the emulator lacks.
            "Alarms": "false",
            "DomainName": DOMAIN,
            "DomainCertificate": "arn:aws:acm:us-east-1:123456789012:certificate/of-the-domain",
        }
        command = ["infra/deploy.sh", STACK, *(f"{name}={value}" for name, value in parameters.items())]
        done = subprocess.run(
            command, cwd=folder, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        stacks = self.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"]
        return {output["OutputKey"]: output["OutputValue"] for output in stacks[0]["Outputs"]}

    def api_id(self):
        found = self.client("cloudformation").describe_stack_resource(
            StackName=STACK, LogicalResourceId="Api"
        )
        return found["StackResourceDetail"]["PhysicalResourceId"]

    def allow_local_targets(self):
        """Allows connections and webhooks to this machine, which a deployed stack refuses."""
        functions = self.client("lambda")
        for name in ("resolution-agent", "action-worker", "updates", "webhook-sender", "mailer"):
            name = f"{STACK}-{name}"
            found = functions.get_function_configuration(FunctionName=name)
            variables = {**found["Environment"]["Variables"], "LOCAL_TARGETS": "true"}
            functions.update_function_configuration(
                FunctionName=name, Environment={"Variables": variables}
            )

    def rename_permissions(self):
        """Adds permissions of the roles under the names that the emulator checks. It has an action of
        its own for a batch of messages, and meets no condition on an encryption context."""
        iam = self.client("iam")
        pages = self.client("cloudformation").get_paginator("list_stack_resources")
        pages = pages.paginate(StackName=STACK)
        for resource in (one for page in pages for one in page["StackResourceSummaries"]):
            if resource["ResourceType"] != "AWS::IAM::Role":
                continue
            role = resource["PhysicalResourceId"]
            [policy] = iam.list_role_policies(RoleName=role)["PolicyNames"]
            document = iam.get_role_policy(RoleName=role, PolicyName=policy)["PolicyDocument"]
            renamed = []
            for statement in document["Statement"]:
                if "sqs:SendMessage" in statement["Action"]:
                    renamed.append({**statement, "Action": "sqs:SendMessageBatch"})
                if "kms:Decrypt" in statement["Action"]:
                    renamed.append({k: v for k, v in statement.items() if k != "Condition"})
            if renamed:
                iam.put_role_policy(
                    RoleName=role,
                    PolicyName="emulator",
                    PolicyDocument=json.dumps({**document, "Statement": renamed}),
                )

    def number_concurrency(self):
        """Writes the concurrency of the queues' mappings as a number, which the emulator keeps as the text
        of its parameter."""
        functions = self.client("lambda")
        for mapping in functions.list_event_source_mappings()["EventSourceMappings"]:
            if most := mapping.get("ScalingConfig", {}).get("MaximumConcurrency"):
                scaling = {"MaximumConcurrency": int(most)}
                functions.update_event_source_mapping(UUID=mapping["UUID"], ScalingConfig=scaling)

    def print_logs(self):
        """Prints the last log lines of each function, to explain a failure."""
        logs = self.client("logs")
        for name in functions():
            group = f"/aws/lambda/{STACK}-{name}"
            events = logs.filter_log_events(logGroupName=group)["events"][-LOG_LINES:]
            for event in events:
                print(f"{name}: {event['message'].rstrip()}", file=sys.stderr)


@contextlib.contextmanager
def target_systems(environment):
    """Runs the demo's target systems. Yields their URL and the connections."""
    port = end_to_end.free_port()
    command = [tools.ROOT / "target" / "debug" / "demo", str(port)]
    with running(command, environment, stdout=subprocess.PIPE, text=True) as process:
        printed = process.stdout.readline()
        assert printed, "the demo did not start"
        yield f"http://127.0.0.1:{port}", json.loads(printed)


def connect(client, demo):
    """Connects an organization to the demo's target systems."""
    for name, connection in demo.items():
        path = f"/api/concierge/connections/{name}"
        client.call("PUT", path, connection)
        tested = client.call("POST", f"{path}/test")
        assert tested["status"] == 200, (name, tested)


def payments_of(demo):
    """Returns a client of the demo's payment system."""
    connection = demo["payments"]
    authorization = f"Bearer {connection['secret']}"
    return end_to_end.Client(connection["baseUrl"], {"authorization": authorization})


def blocks_of(heading):
    """The `sh` blocks of a section of the document."""
    section = DOCUMENT.read_text().split(f"\n{heading}\n")[1]
    section = re.split(r"\n#+ ", section)[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


def create_key_and_secrets(environment):
    """Runs the document's commands; returns the key's ARN and the two ciphertexts."""
    blocks = "\n".join(blocks_of(KEY))
    script = f"set -euo pipefail\n{blocks}\nprintf '\n%s' \"$KEY\" \"$SESSION\" \"$WEBHOOK\""
    done = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()[-3:]


def set_up_a_team(environment, table, base):
    """Runs the document's commands as one script; returns the admin's sign-in and the new ids."""
    build, *blocks = blocks_of(SET_UP)
    assert build.startswith("cargo build"), build
    password = secrets.token_hex(8)
    made = ("ORGANIZATION", "PROJECT", "PHASE", "TAG", "TICKET")
    ids = "printf '\n%s' " + " ".join(f'"{name} ${name}"' for name in made)
    # The JSON of a call does not end with a newline; the ids are the last lines.
    commands = [block.replace("target/release", str(BINARIES)) for block in blocks]
    script = "\n".join(["set -euo pipefail", *commands, ids])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tools.ROOT,
        env={**environment, "TABLE": table, "API": base},
        input=f"{password}\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()[-len(made):]
    ids = {name: int(number) for name, number in (line.split() for line in lines)}
    return {"username": "ada", "password": password}, ids


class Shell:
    """A shell that runs one block of commands after another, like pasted ones."""

    def __init__(self, folder, environment):
        self.log = (folder / "shell.log").open("w+")
        self.process = subprocess.Popen(
            ["bash", "-euo", "pipefail"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )

    def run(self, block):
        # Programs of a block must not read the next block as their input.
        self.process.stdin.write(f"{{\n{block}\n}} < /dev/null\necho; echo '{DONE}'\n")
        self.process.stdin.flush()
        said = []
        for line in self.process.stdout:
            if line.rstrip() == DONE:
                return
            said.append(line)
        self.log.seek(0)
        raise AssertionError("".join(said) + self.log.read())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()


class Held:
    """A client with a session and the cursor of a list."""

    def __init__(self, base, login):
        self.client = browser(base)
        self.client.call("POST", "/api/auth/login", login)
        link = self.client.send("GET", "/api/tasks?limit=1").headers["link"]
        self.next = re.match(r"<[^>]*?(/api/[^>]+)>", link)[1]

    def statuses(self):
        """Returns the statuses of functions that sign cookies and of functions that only verify them."""
        paths = ("/api/auth/session", "/api/milestones/1", "/api/projects", self.next)
        return [self.client.send("GET", path).status for path in paths]


def change_a_secret(folder, environment, base, login):
    """Runs the document's commands, without the week before the last step."""
    known, signs, alone = blocks_of(ROTATE)
    held = [Held(base, login)]
    fine, nobody = [200] * 4, [401] * 4
    with Shell(folder, environment) as shell:
        for step in (known, signs):
            shell.run(step)
            held.append(Held(base, login))
            assert [one.statuses() for one in held] == [fine] * len(held), step
        shell.run(alone)
        # No function has the old secret. After a week, no session would be signed with it.
        assert [one.statuses() for one in held] == [nobody, nobody, fine]
        assert Held(base, login).statuses() == fine


def browser(base):
    """Returns a client that sends the session's `Secure` cookie over plain HTTP too."""
    client = end_to_end.Client(base)
    policy = http.cookiejar.DefaultCookiePolicy(secure_protocols=("http", "https"))
    jar = http.cookiejar.CookieJar(policy)
    client.opener = end_to_end.opener(urllib.request.HTTPCookieProcessor(jar))
    return client


def colleague(environment, table, admin, base, role):
    """Creates a user with a role. Returns the user's client, signed in. The operator sets the password,
    since the approvals of an account with a password of another user count a day later."""
    login = {"username": f"team-{role}", "password": secrets.token_hex(8)}
    admin.call("POST", "/api/users", {**login, "fullName": "Ada's colleague", "role": role})
    login["password"] = secrets.token_hex(8)
    subprocess.run(
        [str(BINARIES / "workdesk-admin"), "reset-password", table, login["username"]],
        env=environment,
        input=f"{login['password']}\n",
        stdout=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    client = browser(base)
    client.call("POST", "/api/auth/login", login)
    return client


def pages(client):
    """Checks the desk, the reference page and each of their files, unpacked as by a browser."""
    for path, folder in (("/", "/desk"), ("/api/docs", "/api/docs")):
        page = client.send("GET", path)
        assert page.status == 200, page
        files = re.findall(rf'"{folder.rpartition("/")[2]}/([^"]+)"', page.text)
        assert files, page
        for name in files:
            answer = client.send("GET", f"{folder}/{name}")
            assert answer.headers["content-encoding"] == "gzip", (name, answer.headers)
            assert "immutable" in answer.headers["cache-control"], (name, answer.headers)
            assert answer.text, name


Deployed = collections.namedtuple("Deployed", "folder environment outputs base admin ids demo targets")


@contextlib.contextmanager
def deployed():
    """Deploys the stack, sets a team up by the document's commands, and connects it to the demo's target
    systems. Yields the stack."""
    tools.run_with("emulator")
    tools.install("sam")
    tools.install("aws")
    build()
    # From here on, all requests stay on this machine.
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="workdesk-") as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        package(folder)
        print("starting the emulator", flush=True)
        environment = stack.enter_context(emulator(folder))
        account = Account(environment)
        ciphertexts = create_key_and_secrets(environment)
        print("sam deploy", flush=True)
        outputs = account.deploy(folder, *ciphertexts)
        account.rename_permissions()
        account.number_concurrency()
        account.allow_local_targets()
        targets, demo = stack.enter_context(target_systems(environment))
        # The emulator still answers there.
        base = f"{environment['AWS_ENDPOINT_URL']}/_aws/execute-api/{account.api_id()}/$default"
        try:
            print("  a team is set up by the document's commands", flush=True)
            admin, ids = set_up_a_team(environment, outputs["TableName"], base)
            client = browser(base)
            client.call("POST", "/api/auth/login", admin)
            connect(client, demo)
            client.call("POST", "/api/auth/logout", expect=204)
            yield Deployed(folder, environment, outputs, base, admin, ids, demo, targets)
        except BaseException:
            account.print_logs()
            log = (folder / "emulator.log").read_text(errors="replace")
            print("\n".join(log.splitlines()[-LOG_LINES:]), file=sys.stderr)
            raise


def story(stack):
    """Plays the stories of all operations and of a team, and changes a secret. A quick run ends with
    the pages."""
    client, targets = browser(stack.base), end_to_end.Client(stack.targets)
    end_to_end.story(client, targets, stack.admin)
    client.call("POST", "/api/auth/login", stack.admin)
    made = [stack.ids[name] for name in ("ORGANIZATION", "PROJECT", "PHASE", "TAG", "TICKET")]
    alert = client.call("POST", "/api/concierge/alerts", ANOTHER_ALERT)["id"]
    described_operations.walk(client, *made, alert=alert)
    if not IS_QUICK:
        client.call("POST", "/api/auth/login", stack.admin)
        table = stack.outputs["TableName"]
        people = functools.partial(colleague, stack.environment, table, client, stack.base)
        billing_team.work(client, people, targets, payments_of(stack.demo))
    client = end_to_end.Client(stack.base)
    local_stack.unknown_paths_and_methods(client)
    print("  the desk and the reference page")
    pages(client)
    if IS_QUICK:
        return
    print(f"  the same under {DOMAIN}")
    assert stack.outputs["ApiUrl"] == f"https://{DOMAIN}", stack.outputs
    named = end_to_end.Client(stack.environment["AWS_ENDPOINT_URL"], {"host": DOMAIN})
    named.call("GET", "/api/tasks", expect=401)
    pages(named)
    print("  the secret of the sessions is changed by the document's commands", flush=True)
    change_a_secret(stack.folder, stack.environment, stack.base, stack.admin)


def main():
    with deployed() as stack:
        story(stack)
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()

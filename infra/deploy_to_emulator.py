"""Deploys the template to an emulator and runs the end-to-end story on it:
`python3 infra/deploy_to_emulator.py`.

ministack takes the template as `sam deploy` sends it, and runs the release binaries behind its own
gateway, table, queue and schedule. It holds every request of a function against the function's
role, so that a permission that the template forgot fails the story. In the end the secret of the
sessions is changed by the README's commands, and nobody is signed out.

It differs from AWS where the code below says so: it has no alarms on metric math, and asks two
permissions by another name. The CORS configuration of a template it does not read.
"""

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
README = tools.ROOT / "README.md"
DONE = "the block is done"
DOMAIN = "api.workdesk.example"
START_SECONDS = 30
STOP_SECONDS = 10
LOG_LINES = 30
# Of another record than the README's: what that one was about is put right by the story.
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
    """The packages that the template wants, by the folders that it wants them in."""
    return re.findall(r"CodeUri: \.\./target/lambda/([a-z-]+)/", tools.TEMPLATE.read_text())


def build():
    """Makes the functions' release binaries, and the demo with what the tests were built of."""
    command = ["cargo", "build", "--locked", "--workspace"]
    functions = ["--release", "--exclude", "local", "--exclude", "tests", "--bins"]
    for wanted in (functions, ["--bin", "demo"]):
        subprocess.run([*command, *wanted], cwd=tools.ROOT, check=True)


# What `sam deploy --guided` keeps of its answers.
SETTINGS = """version = 0.1
[default.deploy.parameters]
stack_name = "{stack}"
resolve_s3 = true
capabilities = "CAPABILITY_IAM"
confirm_changeset = false
parameter_overrides = {parameters}
"""


def package(folder):
    """Lays template and binaries out as `cargo lambda build` does, and the settings beside it."""
    template = folder / "infra" / tools.TEMPLATE.name
    template.parent.mkdir()
    shutil.copy(tools.TEMPLATE, template)
    for name in functions():
        target = folder / "target" / "lambda" / name
        target.mkdir(parents=True)
        shutil.copy(tools.ROOT / "target" / "release" / name, target / "bootstrap")
    parameters = {
        "Architecture": "x86_64",
        # The emulator has no metric math, which most alarms use.
        "Alarms": "false",
        "DomainName": DOMAIN,
        "DomainCertificate": "arn:aws:acm:us-east-1:123456789012:certificate/of-the-domain",
    }
    parameters = json.dumps([f"{name}={value}" for name, value in parameters.items()])
    settings = SETTINGS.format(stack=STACK, parameters=parameters)
    (template.parent / "samconfig.toml").write_text(settings)


@contextlib.contextmanager
def running(command, environment, **options):
    """A process that ends with the block."""
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
    """A running emulator, as the environment in which the AWS tools and SDKs find it."""
    port = end_to_end.free_port()
    url = f"http://127.0.0.1:{port}"
    programs = [tools.program("aws", "aws").parent, tools.program("sam", "sam").parent]
    # Also what the functions inherit: no proxy and no account of this machine.
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
    """What the story needs of the emulated account."""

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

    def deploy(self, folder):
        """Deploys the stack as the README does, and answers its outputs."""
        command = ["sam", "deploy", "--template", "infra/template.yaml"]
        done = subprocess.run(
            command, cwd=folder, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        stacks = self.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"]
        return {output["OutputKey"]: output["OutputValue"] for output in stacks[0]["Outputs"]}

    def keep_secret(self, name, value):
        self.client("ssm").put_parameter(
            Name=f"/{STACK}/{name}", Value=value, Type="SecureString", Overwrite=True
        )

    def allow_local_targets(self):
        """Lets connections lead to this machine, which no deployed stack does."""
        functions = self.client("lambda")
        for name in ("resolution-agent", "action-worker"):
            name = f"{STACK}-{name}"
            found = functions.get_function_configuration(FunctionName=name)
            variables = {**found["Environment"]["Variables"], "LOCAL_TARGETS": "true"}
            functions.update_function_configuration(
                FunctionName=name, Environment={"Variables": variables}
            )

    def rename_permissions(self):
        """Grants what roles grant, by the names that the emulator checks: a batch of messages is
        an action of its own there, and reading parameters is not about any one of them."""
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
                if "ssm:GetParameters" in statement["Action"]:
                    renamed.append({**statement, "Resource": "*"})
            if renamed:
                iam.put_role_policy(
                    RoleName=role,
                    PolicyName="emulator",
                    PolicyDocument=json.dumps({**document, "Statement": renamed}),
                )

    def print_logs(self):
        """The last lines of each function, for whoever looks for the reason of a failure."""
        logs = self.client("logs")
        for name in functions():
            group = f"/aws/lambda/{STACK}-{name}"
            events = logs.filter_log_events(logGroupName=group)["events"][-LOG_LINES:]
            for event in events:
                print(f"{name}: {event['message'].rstrip()}", file=sys.stderr)


@contextlib.contextmanager
def target_systems(environment):
    """The demo's target systems: their address, and the connections to them with their secrets."""
    port = end_to_end.free_port()
    command = [tools.ROOT / "target" / "debug" / "demo", str(port)]
    with running(command, environment, stdout=subprocess.PIPE, text=True) as process:
        printed = process.stdout.readline()
        assert printed, "the demo did not start"
        yield f"http://127.0.0.1:{port}", json.loads(printed)


def connect(account, client, organization, demo):
    """Connects an organization to the demo's target systems, as the README says."""
    for name, secret in demo["secrets"].items():
        account.keep_secret(f"connections/{organization}/{name}", secret)
    for name, connection in demo["connections"].items():
        path = f"/api/concierge/connections/{name}"
        client.call("PUT", path, connection)
        tested = client.call("POST", f"{path}/test")
        assert tested["status"] == 200, (name, tested)


def blocks_of(heading):
    """The scripts of a section of the README."""
    section = README.read_text().split(f"\n{heading}\n")[1]
    section = re.split(r"\n#+ ", section)[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


def set_up_a_team(environment, table, base):
    """What the README says, as one script; answers the admin's sign-in and ids of what was made."""
    build, *blocks = blocks_of("### Set a team up")
    assert build.startswith("cargo build"), build
    password = secrets.token_hex(8)
    made = ("ORGANIZATION", "PROJECT", "PHASE", "TAG", "TICKET")
    ids = "printf '\n%s' " + " ".join(f'"{name} ${name}"' for name in made)
    # The JSON of one call is not the end of a line, and the ids are the last of them.
    script = "\n".join(["set -euo pipefail", *blocks, ids])
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
    """Runs one block after the other, as somebody pastes them."""

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
        # The programs of a block do not read the next one.
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
    """Somebody who signed in, and holds a place in a list."""

    def __init__(self, base, login):
        self.client = browser(base)
        self.client.call("POST", "/api/auth/login", login)
        link = self.client.send("GET", "/api/tasks?limit=1").headers["link"]
        self.next = re.match(r"<[^>]*?(/api/[^>]+)>", link)[1]

    def statuses(self):
        """What is answered by functions that sign cookies, and by such that only verify them."""
        paths = ("/api/auth/session", "/api/milestones/1", "/api/projects", self.next)
        return [self.client.send("GET", path).status for path in paths]


def change_a_secret(folder, environment, base, login):
    """What the README says, but for the week before the last step."""
    known, signs, alone = blocks_of("#### Change a secret")
    held = [Held(base, login)]
    fine, nobody = [200] * 4, [401] * 4
    with Shell(folder, environment) as shell:
        for step in (known, signs):
            shell.run(step)
            held.append(Held(base, login))
            assert [one.statuses() for one in held] == [fine] * len(held), step
        shell.run(alone)
        # The old secret is gone from every function: what it signed, a week would have ended.
        assert [one.statuses() for one in held] == [nobody, nobody, fine]
        assert Held(base, login).statuses() == fine


def browser(base):
    """A client that sends the session's cookie, which is `Secure`, over plain HTTP as well."""
    client = end_to_end.Client(base)
    policy = http.cookiejar.DefaultCookiePolicy(secure_protocols=("http", "https"))
    jar = http.cookiejar.CookieJar(policy)
    client.opener = end_to_end.opener(urllib.request.HTTPCookieProcessor(jar))
    return client


def colleague(admin, base, role):
    """The client of a new user of a role."""
    login = {"username": f"team-{role}", "password": secrets.token_hex(8)}
    admin.call("POST", "/api/users", {**login, "fullName": "Ada's colleague", "role": role})
    client = browser(base)
    client.call("POST", "/api/auth/login", login)
    return client


def reference_page(client):
    """The page, and each of its files as a browser unpacks it."""
    page = client.send("GET", "/api/docs")
    assert page.status == 200, page
    files = re.findall(r'"docs/([^"]+)"', page.text)
    assert files, page
    for name in files:
        answer = client.send("GET", f"/api/docs/{name}")
        assert answer.headers["content-encoding"] == "gzip", (name, answer.headers)
        assert "immutable" in answer.headers["cache-control"], (name, answer.headers)
        assert answer.text, name


def main():
    tools.run_with("emulator")
    tools.install("sam")
    tools.install("aws")
    build()
    # From here on everything is on this machine.
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="workdesk-") as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        package(folder)
        print("starting the emulator", flush=True)
        environment = stack.enter_context(emulator(folder))
        account = Account(environment)
        account.keep_secret("session-secrets", secrets.token_hex(32))
        print("sam deploy", flush=True)
        outputs = account.deploy(folder)
        account.rename_permissions()
        account.allow_local_targets()
        targets, demo = stack.enter_context(target_systems(environment))
        api_id = re.match(r"https://([^.]+)\.", outputs["ApiUrl"])[1]
        base = f"{environment['AWS_ENDPOINT_URL']}/_aws/execute-api/{api_id}/$default"
        try:
            print("  a team is set up by the README's commands", flush=True)
            admin, ids = set_up_a_team(environment, outputs["TableName"], base)
            client = browser(base)
            client.call("POST", "/api/auth/login", admin)
            connect(account, client, ids["ORGANIZATION"], demo)
            client.call("POST", "/api/auth/logout", expect=204)
            end_to_end.story(client, end_to_end.Client(targets), admin)
            client.call("POST", "/api/auth/login", admin)
            made = [ids[name] for name in ("ORGANIZATION", "PROJECT", "PHASE", "TAG", "TICKET")]
            alert = client.call("POST", "/api/concierge/alerts", ANOTHER_ALERT)["id"]
            described_operations.walk(client, *made, alert=alert)
            client.call("POST", "/api/auth/login", admin)
            people = functools.partial(colleague, client, base)
            billing_team.work(client, people, end_to_end.Client(targets))
            client = end_to_end.Client(base)
            local_stack.unknown_paths_and_methods(client)
            print("  the reference page")
            reference_page(client)
            print(f"  the same under {DOMAIN}")
            assert outputs["DomainUrl"] == f"https://{DOMAIN}", outputs
            named = end_to_end.Client(environment["AWS_ENDPOINT_URL"], {"host": DOMAIN})
            named.call("GET", "/api/tasks", expect=401)
            reference_page(named)
            print("  the secret of the sessions is changed by the README's commands", flush=True)
            change_a_secret(folder, environment, base, admin)
        except BaseException:
            account.print_logs()
            log = (folder / "emulator.log").read_text(errors="replace")
            print("\n".join(log.splitlines()[-LOG_LINES:]), file=sys.stderr)
            raise
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()

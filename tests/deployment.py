"""Tries the operator's commands of deployment, without an account: `python3 tests/deployment.py`.

Drives `sam deploy --guided` on a terminal up to the first call of AWS. Runs each call of deploy.sh in the documents
with a recorder in place of SAM, and reads what it recorded by SAM's own parser. Then computes what CloudFormation would
make of it: the values of the parameters, the conditions and the rules.
"""

import json
import os
import pathlib
import pty
import re
import select
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "infra"))
import check  # noqa: E402
import tools  # noqa: E402

SCRIPT = ROOT / "infra" / "deploy.sh"
# Nothing listens there.
NOWHERE = "http://127.0.0.1:9"
WAIT_SECONDS = 120
FIRST_CALL = "Looking for resources needed for deployment"
CIPHERTEXT = "AQICAHh" + "x" * 180 + "=="
# What the variables of the documents hold.
VARIABLES = {
    "STACK": "workdesk",
    "KEY": "arn:aws:kms:eu-central-1:123456789012:key/1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
    "SESSION": CIPHERTEXT,
    "WEBHOOK": CIPHERTEXT.replace("x", "y"),
    "LINK": CIPHERTEXT.replace("x", "z"),
    "MAIL": CIPHERTEXT.replace("x", "m"),
    "CHECK": CIPHERTEXT.replace("x", "c"),
    "RESTORED": "workdesk-restored",
    "STREAM": "arn:aws:dynamodb:eu-central-1:123456789012:table/workdesk-restored/stream/2026-01-15T12:00:00.000",
    "PAGES": "arn:aws:sns:eu-central-1:123456789012:workdesk-pages",
    "TICKETS": "arn:aws:sns:eu-central-1:123456789012:workdesk-tickets",
}
# Answers to the prompts without a default.
REQUIRED = {
    "SecretsKey": VARIABLES["KEY"],
    "SessionSecrets": VARIABLES["SESSION"],
    "WebhookSecrets": VARIABLES["WEBHOOK"],
    "ExistingTable": "none",
}
PROMPT = re.compile(
    r"^\s*(?:Parameter (\w+)|[^\n:\[\]]+?(?= \[))(?: \[([^\[\]\n]*)\])?: \Z", re.MULTILINE
)


def documents():
    """Returns the Markdown files of the project."""
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [ROOT / name for name in listed.stdout.splitlines()]


def blocks():
    """Returns the blocks of commands in the documents, each with its file's name."""
    for path in documents():
        text = re.sub(r"^ {3}(?=\S|    )", "", path.read_text(), flags=re.MULTILINE)
        for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            yield path.relative_to(ROOT), block


def calls():
    """Returns each call of deploy.sh in the documents, as written, with its file's name."""
    for name, block in blocks():
        for line in block.replace("\\\n", " ").splitlines():
            if re.match(r"\s*(infra|\.)/deploy\.sh\b", line):
                yield name, line.strip()


def recorded(command):
    """Runs a call of deploy.sh with a recorder as `sam`. Returns the arguments that it recorded."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = pathlib.Path(folder) / "sam"
        recorder.write_text(f'#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n')
        recorder.chmod(0o755)
        path = os.pathsep.join([folder, os.environ["PATH"]])
        command = re.sub(r"^(infra|\.)/deploy\.sh", shlex.quote(str(SCRIPT)), command)
        done = subprocess.run(
            ["bash", "-euc", command],
            cwd=ROOT,
            env={**VARIABLES, "PATH": path},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, (command, done.stderr)
    return json.loads(done.stdout)


def overrides(arguments):
    """Returns the parameters that SAM reads from its arguments."""
    from samcli.cli.types import CfnParameterOverridesType

    if "--parameter-overrides" not in arguments:
        return {}
    values = arguments[arguments.index("--parameter-overrides") + 1:]
    return CfnParameterOverridesType().convert(tuple(values), None, None)


class Template:
    """The template after SAM's transform, by CloudFormation's rules."""

    def __init__(self):
        self.text = check.transformed(tools.TEMPLATE)

    def refused(self, values):
        """Returns the parameters whose values CloudFormation refuses; without any, the rules that do not hold."""
        refused = []
        for name, parameter in self.text["Parameters"].items():
            value = values.get(name)
            parts = str(value).split(",") if parameter["Type"] == "CommaDelimitedList" else [str(value)]
            pattern = parameter.get("AllowedPattern", "")
            fits = value is not None and all(re.search(pattern, part) for part in parts)
            allowed = [str(one) for one in parameter.get("AllowedValues", [value])]
            if not fits or str(value) not in allowed:
                refused.append(name)
        if refused:
            return refused
        for name, rule in self.text["Rules"].items():
            if self.holds(rule["RuleCondition"], values):
                wrong = [one for one in rule["Assertions"] if not self.holds(one["Assert"], values)]
                refused += [name for _ in wrong[:1]]
        return refused

    def holds(self, condition, values):
        """Evaluates a condition."""
        [(function, arguments)] = condition.items()
        if function == "Condition":
            return self.holds(self.text["Conditions"][arguments], values)
        if function == "Fn::Equals":
            left, right = (self.value(one, values) for one in arguments)
            return left == right
        inner = [self.holds(one, values) for one in arguments]
        return {"Fn::Not": lambda: not inner[0], "Fn::And": lambda: all(inner), "Fn::Or": lambda: any(inner)}[function]()

    def value(self, value, values):
        if not isinstance(value, dict):
            return str(value)
        [(function, argument)] = value.items()
        if function == "Ref":
            return str(values[argument])
        assert function == "Fn::Join", value
        separator, parts = argument
        return separator.join([self.value(parts, values)] if isinstance(parts, dict) else parts)

    def deployed(self, given, stack=None):
        """Returns the values of the parameters after a deployment that names some, as SAM and CloudFormation
        compute them. `stack` has those of the stack; of a new one, none."""
        from samcli.commands.deploy.deploy_context import DeployContext

        defaults = {
            name: parameter["Default"]
            for name, parameter in self.text["Parameters"].items()
            if "Default" in parameter
        }
        values = {}
        for parameter in DeployContext.merge_parameters(self.text, given):
            name = parameter["ParameterKey"]
            if "ParameterValue" in parameter:
                values[name] = parameter["ParameterValue"]
            elif stack and name in stack:
                values[name] = stack[name]
            elif name in defaults:
                values[name] = defaults[name]
        return values


def no_block_resets_parameters():
    """A block of the documents deploys by deploy.sh, which keeps what the stack has."""
    for name, block in blocks():
        assert "--guided" not in block, (name, block)
        assert not re.search(r"\bsam deploy\b", block), (name, block)
    assert len(list(calls())) >= 8, list(calls())


def each_call_reaches_sam_whole():
    """Each call of the documents names parameters of the template, by values that the template allows. SAM reads each
    as bash passed it."""
    template = Template()
    stack = template.deployed(REQUIRED)
    for name, command in calls():
        arguments = recorded(command)
        passed = dict(one.split("=", 1) for one in shlex.split(expanded(command), comments=True)[2:])
        assert overrides(arguments) == passed, (name, command, overrides(arguments))
        before = {} if "SecretsKey" in passed else stack
        after = template.deployed(passed, before)
        assert template.refused(after) == [], (name, command, template.refused(after))
        for parameter in set(stack) - set(passed):
            assert after[parameter] == stack[parameter] or not before, (name, command, parameter)
    sender = 'Workdesk, "the desk" <no-reply@example.com>'
    done = subprocess.run([SCRIPT, "workdesk", f"MailFrom={sender}"], capture_output=True, text=True)
    assert (done.returncode, "MailFrom has a quote" in done.stderr) == (2, True), done
    for parameter in ("MailFrom=Workdesk <no-reply@example.com>", "AlarmTopic=", "Cell=eu1"):
        read = overrides(recorded(f"./deploy.sh workdesk {shlex.quote(parameter)}"))
        assert read == dict([parameter.split("=", 1)]), read


def expanded(command):
    """Returns a command with the values of its variables."""
    return re.sub(r"\$(\w+)", lambda name: VARIABLES[name[1]], command)


def a_saved_configuration_changes_nothing():
    """Values that a guided deployment saved do not come back with the next deployment."""
    from samcli.lib.config.samconfig import SamConfig

    arguments = recorded("./deploy.sh workdesk")
    environment = arguments[arguments.index("--config-env") + 1]
    with tempfile.TemporaryDirectory() as folder:
        saved = pathlib.Path(folder) / "samconfig.toml"
        saved.write_text(
            'version = 0.1\n[default.deploy.parameters]\nparameter_overrides = "ExistingTable=\\"none\\""\n'
        )
        configuration = SamConfig(folder, saved.name)
        assert "parameter_overrides" in configuration.get_all(["deploy"], "parameters", "default")
        assert configuration.get_all(["deploy"], "parameters", environment) == {}


def a_stack_moves_to_another_table_by_name_alone():
    """No answer and an empty one are refused. An update that does not name the table stays on it."""
    template = Template()
    assert template.refused(template.deployed({**REQUIRED, "ExistingTable": ""})) == ["ExistingTable"]
    without = {name: value for name, value in REQUIRED.items() if name != "ExistingTable"}
    assert template.refused(template.deployed(without)) == ["ExistingTable"]

    owns = template.text["Resources"]["Table"]["Condition"]
    stack = template.deployed(REQUIRED)
    assert template.holds({"Condition": owns}, stack)
    table = {"ExistingTable": VARIABLES["RESTORED"]}
    assert template.refused(template.deployed(table, stack)) == ["ExistingTableHasStream"]
    moved = template.deployed({**table, "ExistingTableStream": VARIABLES["STREAM"]}, stack)
    assert template.refused(moved) == []
    for given in ({}, {"Paused": "false"}, {"LogLevel": "debug"}):
        updated = template.deployed(given, moved)
        assert updated["ExistingTable"] == VARIABLES["RESTORED"], updated
        assert not template.holds({"Condition": owns}, updated)
    # A variable of the shell that is not set.
    assert "ExistingTable" in template.refused(template.deployed({"ExistingTable": ""}, moved))


def no_slip_switches_a_function_on():
    """A letter at the prompt of an optional ciphertext is refused; an origin without TLS, too."""
    template = Template()
    for name in ("CheckSecrets", "LinkSecrets", "MailSecrets", "SessionSecrets", "WebhookSecrets"):
        assert template.refused(template.deployed({**REQUIRED, name: "x"})) == [name]
    origins = {"AllowedOrigins": "https://a.example,http://b.example"}
    assert template.refused(template.deployed({**REQUIRED, **origins})) == ["AllowedOrigins"]
    mail = {"MailFrom": "Workdesk <no-reply@example.com>", "MailSecrets": CIPHERTEXT}
    assert template.refused(template.deployed({**REQUIRED, **mail})) == ["MailHasSecrets"]
    mail["LinkSecrets"] = CIPHERTEXT
    assert template.refused(template.deployed({**REQUIRED, **mail})) == []


def guided(folder, answers):
    """Drives `sam deploy --guided` in a folder: Enter at each prompt, but for the answers. Returns each parameter
    with its value, and what the terminal showed."""
    environment = {
        **tools.ENVIRONMENT,
        "HOME": str(folder),
        "AWS_ENDPOINT_URL": NOWHERE,
        "AWS_ACCESS_KEY_ID": "false",
        "AWS_SECRET_ACCESS_KEY": "false",
        "AWS_MAX_ATTEMPTS": "1",
    }
    command = [tools.program("sam", "sam"), "deploy", "--guided", "--template", tools.TEMPLATE]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(command[0], command, environment)
    shown, values, begun = "", {}, time.monotonic()
    try:
        while FIRST_CALL not in shown:
            assert time.monotonic() < begun + WAIT_SECONDS, shown
            if not select.select([terminal], [], [], 1)[0]:
                continue
            text = os.read(terminal, 4096).decode(errors="replace")
            shown += re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r", "")
            prompt = PROMPT.search(shown)
            if not prompt:
                continue
            name, default = prompt[1], prompt[2]
            assert name not in values, f"{name} is asked for again:\n{shown}"
            answer = answers.get(name, "")
            if name:
                values[name] = answer or default or ""
            os.write(terminal, f"{answer}\n".encode())
            shown += "\n"
    except OSError as error:
        raise AssertionError(shown) from error
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(terminal)
    return values, shown


def a_person_can_finish_the_first_deployment():
    """Enter at each prompt that has a default, and an answer to the four others, reach AWS."""
    template = Template()
    with tempfile.TemporaryDirectory() as folder:
        values, shown = guided(pathlib.Path(folder), REQUIRED)
    assert list(values) == list(template.text["Parameters"]), (values, shown)
    assert template.refused(values) == [], template.refused(values)
    assert not template.holds({"Condition": "HasCheck"}, values)
    assert template.deployed(REQUIRED) == {
        name: template.text["Parameters"][name].get("Default", value) for name, value in values.items()
    }


TRIES = (
    no_block_resets_parameters,
    each_call_reaches_sam_whole,
    a_saved_configuration_changes_nothing,
    a_stack_moves_to_another_table_by_name_alone,
    no_slip_switches_a_function_on,
    a_person_can_finish_the_first_deployment,
)


def main():
    tools.run_with("sam")
    os.environ |= tools.ENVIRONMENT
    for one in TRIES:
        print(f"  {one.__name__.replace('_', ' ')}", flush=True)
        one()
    print(f"{len(TRIES)} passed, 0 failed")


if __name__ == "__main__":
    main()

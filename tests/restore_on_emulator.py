"""Runs the commands of "Put the table back" on an emulator: `python3 tests/restore_on_emulator.py`.

Pastes the blocks of infra/RESTORE.md into one bash, in order. DynamoDB and CloudFormation are the emulator's. Recorders
stand for SAM and the operator's program, which restore.py and deployment.py run. Checks the restored table, and what
was deployed and prepared when.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "infra"))
import deploy_to_emulator  # noqa: E402
import tools  # noqa: E402

DOCUMENT = ROOT / "infra" / "RESTORE.md"
STACK = "workdesk"
BLOCKS = 7
# A stack with a table like that of the template, as far as its restore is concerned.
TEMPLATE = {
    "Resources": {
        "Table": {
            "Type": "AWS::DynamoDB::Table",
            "Properties": {
                "TableName": "workdesk-table",
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [
                    {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "gsi1pk", "gsi1sk")
                ],
                "KeySchema": [
                    {"AttributeName": "pk", "KeyType": "HASH"},
                    {"AttributeName": "sk", "KeyType": "RANGE"},
                ],
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "gsi1",
                        "KeySchema": [
                            {"AttributeName": "gsi1pk", "KeyType": "HASH"},
                            {"AttributeName": "gsi1sk", "KeyType": "RANGE"},
                        ],
                        "Projection": {"ProjectionType": "ALL"},
                    }
                ],
                "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
            },
        }
    },
    "Outputs": {"TableName": {"Value": {"Ref": "Table"}}},
}


def blocks():
    """Returns the `sh` blocks of the section, without the list's indent."""
    section = DOCUMENT.read_text().split("\n## Put the table back\n")[1].split("\n## ")[0]
    section = re.sub(r"^ {3}", "", section, flags=re.MULTILINE)
    return re.findall(r"^```sh\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


def record(folder, name):
    """Writes a program that appends its name and arguments to the record."""
    program = folder / name
    program.write_text(
        f"#!{sys.executable}\nimport json, sys\n"
        f"with open({str(folder / 'record')!r}, 'a') as record:\n"
        f"    record.write(json.dumps([{name!r}, *sys.argv[1:]]) + '\\n')\n"
    )
    program.chmod(0o755)


def deployed(arguments):
    """Returns the parameters of a recorded deployment."""
    given = arguments[arguments.index("--parameter-overrides") + 1:]
    return {name: value.strip('"') for name, value in (one.split("=", 1) for one in given)}


def check(dynamodb, restored, calls):
    table = dynamodb.describe_table(TableName=restored)["Table"]
    stream = table["LatestStreamArn"]
    assert table["StreamSpecification"]["StreamViewType"] == "NEW_AND_OLD_IMAGES", table
    assert table["DeletionProtectionEnabled"], table
    expiry = dynamodb.describe_time_to_live(TableName=restored)["TimeToLiveDescription"]
    assert expiry["AttributeName"] == "expiresAt", expiry
    backups = dynamodb.describe_continuous_backups(TableName=restored)["ContinuousBackupsDescription"]
    backups = backups["PointInTimeRecoveryDescription"]
    assert backups["PointInTimeRecoveryStatus"] == "ENABLED", backups
    pause, prepare, move, end, resume = calls
    assert deployed(pause) == {"Paused": "true"}, pause
    assert prepare[:3] == ["workdesk-admin", "after-restore", restored], prepare
    assert deployed(move) == {"ExistingTable": restored, "ExistingTableStream": stream}, move
    assert deployed(end) == {"Paused": "false"}, end
    assert resume == ["workdesk-admin", "resume-agents", restored], resume


def main():
    tools.run_with("emulator")
    tools.install("aws")
    import boto3

    commands = blocks()
    assert len(commands) == BLOCKS, commands
    with tempfile.TemporaryDirectory(prefix="workdesk-") as name:
        folder = pathlib.Path(name)
        for program in ("sam", "workdesk-admin"):
            record(folder, program)
        with deploy_to_emulator.emulator(folder) as environment:
            url = environment["AWS_ENDPOINT_URL"]
            session = boto3.session.Session("test", "test", region_name=environment["AWS_REGION"])
            formation = session.client("cloudformation", endpoint_url=url)
            formation.create_stack(StackName=STACK, TemplateBody=json.dumps(TEMPLATE))
            formation.get_waiter("stack_create_complete").wait(StackName=STACK)
            path = os.pathsep.join([name, environment["PATH"]])
            script = "\n".join(["set -euo pipefail", *commands, 'printf "%s" "$RESTORED" > "$NAMED"'])
            # came-back.txt is written to the folder of the release.
            (folder / "deploy.sh").symlink_to(ROOT / "infra" / "deploy.sh")
            done = subprocess.run(
                ["bash", "-c", script],
                cwd=folder,
                env={**environment, "PATH": path, "NAMED": str(folder / "named")},
                capture_output=True,
                text=True,
                timeout=300,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            calls = [json.loads(line) for line in (folder / "record").read_text().splitlines()]
            dynamodb = session.client("dynamodb", endpoint_url=url)
            check(dynamodb, (folder / "named").read_text(), calls)
    print(f"{len(commands)} blocks passed")


if __name__ == "__main__":
    main()

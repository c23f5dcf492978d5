"""Checks the template, without an account: `python3 infra/check.py [TEMPLATE]`.

Runs cfn-lint, `sam validate`, and SAM's transform, whose result is what CloudFormation deploys. `--account` compares
the concurrency of the AWS account instead with what the template wants at the same time.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import types

import tools


def parsed(path):
    from samtranslator.yaml_helper import yaml_parse

    return yaml_parse(path.read_text())


def transformed(path):
    """Returns the template after SAM's transform, as CloudFormation gets it."""
    from samtranslator.translator.transform import transform

    template = parsed(path)
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            # `sam deploy` uploads the folder and sets such a URI.
            resource["Properties"]["CodeUri"] = "s3://bucket/key"
    return transform(template, {}, types.SimpleNamespace(load=dict))


# Shards of the table's stream, as many as the table has partitions. tests/programs/growth reckons with the same.
SHARDS = 4


def wanted(template):
    """Returns the instances that the queues of each function, or the shards of its stream, may use at once, by the
    defaults of the parameters."""

    def number(value):
        if isinstance(value, dict):
            value = template["Parameters"][value["Ref"]]["Default"]
        return int(value)

    instances = {}
    for name, resource in template["Resources"].items():
        properties = resource["Properties"]
        if resource["Type"] != "AWS::Serverless::Function":
            continue
        events = [event["Properties"] for event in properties.get("Events", {}).values()]
        scaling = [one["ScalingConfig"]["MaximumConcurrency"] for one in events if "ScalingConfig" in one]
        shards = [one["ParallelizationFactor"] for one in events if "ParallelizationFactor" in one]
        if scaling or shards:
            instances[name] = sum(number(value) for value in scaling)
            instances[name] += SHARDS * sum(number(value) for value in shards)
    return instances


# Instances for requests, and the most that Lambda lets no function reserve.
REQUESTS = 100


def check_account(template):
    """Compares the account's concurrency with what the template wants."""
    command = ["aws", "lambda", "get-account-settings", "--query", "AccountLimit", "--output", "json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    limit = json.loads(done.stdout)["ConcurrentExecutions"]
    instances = wanted(template)
    for name, count in instances.items():
        print(f"{count:5} {name}")
    least = sum(instances.values()) + REQUESTS
    print(f"{REQUESTS:5} for requests\n{least:5} together, of {limit} that the account may run")
    if limit < least:
        sys.exit("Ask for a higher quota: Service Quotas, AWS Lambda, Concurrent executions.")


def main():
    tools.run_with("sam")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("template", nargs="?", type=pathlib.Path, default=tools.TEMPLATE)
    parser.add_argument("--account", action="store_true", help="compare the account's concurrency")
    options = parser.parse_args()
    if options.account:
        check_account(parsed(options.template))
        return
    os.environ |= tools.ENVIRONMENT
    for command in (
        ["cfn-lint", options.template],
        ["sam", "validate", "--lint", "--template", options.template],
    ):
        print("$", *command, flush=True)
        name, *arguments = command
        subprocess.run([tools.program("sam", name), *arguments], check=True)
    resources = transformed(options.template)["Resources"].values()
    kinds = collections.Counter(resource["Type"] for resource in resources)
    for kind, count in sorted(kinds.items()):
        print(f"{count:5} {kind}")
    left = [kind for kind in kinds if kind.startswith("AWS::Serverless")]
    assert not left, f"not transformed: {left}"


if __name__ == "__main__":
    main()

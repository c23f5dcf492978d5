"""Checks the template, without an account: `python3 infra/check.py`.

Runs cfn-lint, `sam validate`, and SAM's transform, whose result is what CloudFormation deploys.
"""

import collections
import os
import subprocess
import types

import tools


def transformed():
    """Returns the template after SAM's transform, as CloudFormation gets it."""
    from samtranslator.translator.transform import transform
    from samtranslator.yaml_helper import yaml_parse

    template = yaml_parse(tools.TEMPLATE.read_text())
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            # `sam deploy` uploads the folder and sets such a URI.
            resource["Properties"]["CodeUri"] = "s3://bucket/key"
    return transform(template, {}, types.SimpleNamespace(load=dict))


def main():
    tools.run_with("sam")
    os.environ |= tools.ENVIRONMENT
    for command in (
        ["cfn-lint", tools.TEMPLATE],
        ["sam", "validate", "--lint", "--template", tools.TEMPLATE],
    ):
        print("$", *command, flush=True)
        name, *arguments = command
        subprocess.run([tools.program("sam", name), *arguments], check=True)
    resources = transformed()["Resources"].values()
    kinds = collections.Counter(resource["Type"] for resource in resources)
    for kind, count in sorted(kinds.items()):
        print(f"{count:5} {kind}")
    left = [kind for kind in kinds if kind.startswith("AWS::Serverless")]
    assert not left, f"not transformed: {left}"


if __name__ == "__main__":
    main()

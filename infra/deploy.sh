#!/usr/bin/env bash
# Deploys the template beside this script: `deploy.sh STACK [PARAMETER=VALUE]...`
#
# A parameter that is not named keeps the value of the stack; of a new stack, it gets its default. SAM has the same
# rule, but for three cases, which this script excludes: `sam deploy --guided` offers the defaults of the template,
# values of a `samconfig.toml` replace those of the stack, and a value is cut at its first blank.
set -euo pipefail

if [ $# -eq 0 ] || [[ $1 == -* ]] || [[ $1 == *=* ]]; then
    echo "usage: $0 STACK [PARAMETER=VALUE]..." >&2
    exit 2
fi
stack=$1
shift

overrides=()
for parameter in "$@"; do
    if [[ ! $parameter =~ ^[A-Za-z0-9]+= ]]; then
        echo "$parameter is no parameter: send PARAMETER=VALUE" >&2
        exit 2
    fi
    value=${parameter#*=}
    if [[ $value == *[\"\\]* ]]; then
        echo "${parameter%%=*} has a quote or a backslash, which SAM cannot pass on" >&2
        exit 2
    fi
    overrides+=("${parameter%%=*}=\"$value\"")
done

# No samconfig.toml has values for an environment of this name.
command=(sam deploy --config-env "values-of-the-stack" --stack-name "$stack" --resolve-s3
    --template-file "$(dirname "${BASH_SOURCE[0]}")/template.yaml"
    --capabilities CAPABILITY_IAM --no-confirm-changeset --no-fail-on-empty-changeset)
if [ ${#overrides[@]} -gt 0 ]; then
    command+=(--parameter-overrides "${overrides[@]}")
fi
exec "${command[@]}"

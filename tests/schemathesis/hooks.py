"""What schemathesis has to know of the service: how to sign in, which records lead to which operations,
and what of its findings is not ours."""

import functools
import json
import os
import re

import requests
import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData

API = os.environ["WORKDESK_API"]
CALLER = os.environ["WORKDESK_CALLER"]
ACCOUNT = json.loads(os.environ["WORKDESK_ACCOUNT"])
COOKIE = "connect.sid"

# What is refused for a reason that no schema can say, by the code of the fault.
BEYOND_SCHEMAS = {
    "unknown": "it names a record that is not there, or a place that is none of the list's",
    "project": "it names a record of another project",
    "period": "how long a token lasts is counted from now",
    "order": "a start is not after the end: two members that are compared",
    "combination": "some orders of a list need a filter",
    "repeated": "ids of a list differ, whatever else its elements have",
    "incorrect": "the current password is not what somebody guessed",
    "guessable": "a password is not the username: two members that are compared",
    "manual": "an action that a person has to do is not executed",
    "precision": "a number of more digits than JSON's readers keep is not taken",
}
# The same at these members: the size of an object is that of its text.
OBJECTS_BY_SIZE = {("length", "/metadata"), ("length", "/evidence")}

# What would take from the caller what it calls with.
OF_USERS = {"PATCH /api/users/{id}", "PUT /api/users/{id}/password"}
NOBODY = 2**53 - 1


def sign_in():
    """A new session of the caller."""
    login = {name: ACCOUNT[name] for name in ("username", "password")}
    answer = requests.post(f"{API}/api/auth/login", json=login, timeout=60)
    answer.raise_for_status()
    return answer.cookies[COOKIE]


@functools.cache
def token():
    """A token of the caller, who may hold no more than 50."""
    cookies = {COOKIE: sign_in()}
    body = {"name": "attack"}
    answer = requests.post(f"{API}/api/tokens", json=body, cookies=cookies, timeout=60)
    answer.raise_for_status()
    return answer.json()["token"]


@schemathesis.auth(refresh_interval=None)
class Caller:
    """Who calls."""

    def get(self, case, context):
        return token() if CALLER == "token" else sign_in()

    def set(self, case, data, context):
        if CALLER == "token":
            case.headers["Authorization"] = f"Bearer {data}"
            return
        # A logout ends a session of its own.
        ends = case.operation.label == "POST /api/auth/logout"
        case.cookies = {**(case.cookies or {}), COOKIE: sign_in() if ends else data}


@schemathesis.hook
def before_call(context, case, kwargs):
    """Leaves the caller's own account as it is: a disabled one would be refused from then on."""
    own = str(case.path_parameters.get("id")) == str(ACCOUNT["id"])
    if own and case.operation.label in OF_USERS:
        case.path_parameters = {"id": NOBODY}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops what a schema cannot say."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 400:
        return True
    if is_null_in_a_list(case) or is_no_entity_tag(case):
        return False
    faults = response.json().get("errors", [])
    return not faults or not all(
        fault["code"] in BEYOND_SCHEMAS or (fault["code"], fault["pointer"]) in OBJECTS_BY_SIZE
        for fault in faults
    )


def is_null_in_a_list(case):
    """What it saw in an answer it sends as a parameter of the same name, null too: the `assigneeId` of a
    ticket that nobody has becomes `?assigneeId=`. It takes that for valid; a list of at least one value
    is not empty, and no value of these is an empty text."""
    lists = {
        parameter.name
        for parameter in case.operation.query
        if parameter.definition.get("schema", {}).get("type") == "array"
    }
    return any(name in lists and value in (None, "") for name, value in (case.query or {}).items())


def is_no_entity_tag(case):
    """In its coverage it sends `If-Match: 0` for a valid string, which the document's pattern excludes."""
    sent = (case.headers or {}).get("If-Match")
    return sent is not None and not any(
        re.search(parameter.definition["schema"]["pattern"], str(sent))
        for parameter in case.operation.headers
        if parameter.name == "If-Match"
    )


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Links each operation that answers a record with those that take its id. The types of the ids say
    which: the document has no links of its own."""
    takers = {}
    for path, method, operation in operations(raw_schema):
        for parameter in parameters(raw_schema, operation):
            takers.setdefault(parameter[1], []).append((path, method, operation))
    for path, method, operation in operations(raw_schema):
        if method != "post":
            continue
        for status in ("200", "202"):
            answer = operation["responses"].get(status, {})
            content = answer.get("content", {}).get("application/json")
            if content:
                link(raw_schema, operation, answer, content["schema"], takers)


def operations(document):
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def parameters(document, operation):
    """Name and type of each id in an operation's path."""
    return [
        (parameter["name"], parameter["schema"]["$ref"])
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "path"
    ]


def link(document, operation, answer, schema, takers):
    """Adds the links of an answer."""
    here = {kind: f"$request.path.{name}" for name, kind in parameters(document, operation)}
    for kind, pointer in ids(document, schema):
        known = {**here, kind: f"$response.body#{pointer}"}
        for _, _, taker in takers.get(kind, []):
            wanted = parameters(document, taker)
            if all(kind in known for _, kind in wanted):
                links = answer.setdefault("links", {})
                links[f"{taker['operationId']}{pointer.replace('/', '_')}"] = {
                    "operationId": taker["operationId"],
                    "parameters": {name: known[kind] for name, kind in wanted},
                }


def ids(document, schema, pointer="", depth=2):
    """Types and places of the ids that an answer's record has, and what is in it."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return ids(document, document["components"]["schemas"][name], pointer, depth)
    found = []
    for part in schema.get("allOf", []):
        found += ids(document, part, pointer, depth)
    for name, member in schema.get("properties", {}).items():
        here = f"{pointer}/{name}"
        if name == "id":
            found.append((member["$ref"], here))
        elif depth > 1 and "$ref" in member:
            found += [(kind, at) for kind, at in ids(document, member, here, depth - 1)]
    return found

"""Hooks for schemathesis: sign-in, links from records to operations, and findings that are not faults of
the service."""

import functools
import json
import os
import re

import requests
import schemathesis
from requests.adapters import HTTPAdapter
from schemathesis.openapi.checks import RejectedPositiveData

API = os.environ["WORKDESK_API"]
CALLER = os.environ["WORKDESK_CALLER"]
ACCOUNT = json.loads(os.environ["WORKDESK_ACCOUNT"])
COOKIE = "connect.sid"

# Fault codes of refusals that no schema can express, with the reason.
BEYOND_SCHEMAS = {
    "unknown": "names a record that does not exist, or an invalid cursor",
    "project": "names a record of another project",
    "period": "the lifetime of a token counts from now",
    "order": "the start is after the end: two members are compared",
    "combination": "some sort orders of a list need a filter",
    "repeated": "two elements of a list have the same id",
    "incorrect": "the current password is wrong",
    "common": "the password is one of a list, or little more than a name",
    "manual": "a manual action is not executed",
    "precision": "a number has more digits than JSON readers keep",
    "unknown_member": "the sender asked for it: `Prefer: handling=strict`",
}
# Further such faults at these members, whose pointers may have indexes: the size of an object is that of
# its JSON text, a username has letters of any script, and so have the words of a search, which are too many
# to spell out, another base URL takes the secret again, and the origins of pages are a setting.
AT_MEMBERS = {
    ("length", "/metadata"),
    ("length", "/evidence"),
    ("pattern", "/username"),
    # Latin letters of an id do not mix with Cyrillic or Greek ones.
    ("pattern", "/entities/*/id"),
    # The domain of an address follows the rules of international names (UTS 46).
    ("pattern", "/email"),
    ("pattern", "?query"),
    ("required", "/secret"),
    ("value", "?return"),
}

# Operations that could lock the caller out of its own account.
OF_USERS = {"PATCH /api/users/{id}", "PUT /api/users/{id}/password"}
NOBODY = 2**53 - 1


class FromElsewhere(HTTPAdapter):
    """Sends from another address than the attack, whose failed sign-ins block its own."""

    def init_poolmanager(self, *args, **options):
        super().init_poolmanager(*args, source_address=("127.0.0.2", 0), **options)


def sign_in():
    """Signs the caller in. Returns the cookie of the new session."""
    login = {name: ACCOUNT[name] for name in ("username", "password")}
    with requests.Session() as client:
        client.mount("http://", FromElsewhere())
        answer = client.post(f"{API}/api/auth/login", json=login, timeout=60)
    answer.raise_for_status()
    return answer.cookies[COOKIE]


@functools.cache
def token():
    """Returns a token of the caller, created once, since a user may have at most 50."""
    cookies = {COOKIE: sign_in()}
    body = {"name": "attack"}
    answer = requests.post(f"{API}/api/tokens", json=body, cookies=cookies, timeout=60)
    answer.raise_for_status()
    return answer.json()["token"]


@schemathesis.auth(refresh_interval=None)
class Caller:
    """Authenticates requests as the caller."""

    def get(self, case, context):
        return token() if CALLER == "token" else sign_in()

    def set(self, case, data, context):
        if CALLER == "token":
            case.headers["Authorization"] = f"Bearer {data}"
            return
        # A logout gets a session of its own, since it ends it.
        ends = case.operation.label == "POST /api/auth/logout"
        case.cookies = {**(case.cookies or {}), COOKIE: sign_in() if ends else data}


@schemathesis.hook
def before_call(context, case, kwargs):
    """Protects the caller's own account: every request of a disabled one would be refused."""
    own = str(case.path_parameters.get("id")) == str(ACCOUNT["id"])
    if own and case.operation.label in OF_USERS:
        case.path_parameters = {"id": NOBODY}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops findings that a schema cannot express."""
    if is_refused_by_the_gateway(response):
        return False
    if not isinstance(failure, RejectedPositiveData):
        return True
    if response.status_code == 302:
        return False
    if response.status_code != 400:
        return True
    if is_null_in_a_list(case) or is_no_entity_tag(case):
        return False
    faults = response.json().get("errors", [])
    return not faults or not all(
        fault["code"] in BEYOND_SCHEMAS or (fault["code"], member(fault["pointer"])) in AT_MEMBERS
        for fault in faults
    )


def member(pointer):
    """Returns a pointer with `*` in place of indexes."""
    return re.sub(r"/\d+(?=/|$)", "/*", pointer)


def is_refused_by_the_gateway(response):
    """Returns true for the gateway's own answer to a path. API Gateway decodes a path twice, and refuses a
    percent sign that the first time leaves."""
    return response.status_code == 400 and response.json() == {"message": "Bad Request"}


def is_null_in_a_list(case):
    """Returns true for an empty list parameter. schemathesis reuses values of answers as parameters of the
    same name, null included: the `assigneeId` of an unassigned ticket becomes `?assigneeId=`. It considers
    that valid, but the list needs a value and no value is empty."""
    lists = {
        parameter.name
        for parameter in case.operation.query
        if parameter.definition.get("schema", {}).get("type") == "array"
    }
    return any(name in lists and value in (None, "") for name, value in (case.query or {}).items())


def is_no_entity_tag(case):
    """Returns true if `If-Match` does not match the document's pattern. In its coverage phase,
    schemathesis sends `If-Match: 0` as a valid string."""
    sent = (case.headers or {}).get("If-Match")
    return sent is not None and not any(
        re.search(parameter.definition["schema"]["pattern"], str(sent))
        for parameter in case.operation.headers
        if parameter.name == "If-Match"
    )


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Adds links from each operation that returns a record to the operations that take its id, by the
    types of the ids. The document has no links of its own."""
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
    """Returns name and type of each id in an operation's path."""
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
    """Returns type and JSON pointer of each id in an answer's record, nested records included."""
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

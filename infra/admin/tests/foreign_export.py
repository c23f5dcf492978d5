"""Writes the export of an organization to standard output, as an author of another program would.

    python3 foreign_export.py CASE ORGANIZATION [USER]

It shares nothing with the service: formats of keys stand here again. CASE is `honest`, or names a forged line that acts
on others. ORGANIZATION is the victim's, and USER one of its users.
"""

import json
import sys
from collections import Counter

OWN = 4000
AT = "2026-01-15T12:00:00.000Z"
LONG_AGO = "2026-01-01T00:00:00.000Z"
# The hash of a password that only the author knows.
HASH = (
    "$argon2id$v=19$m=19456,t=2,p=1$HOq35OoQlPWUEZSAqVNm6A"
    "$ib6ctXm811SOi+OWHHitrroWkfavoZ5+QUM8u08RctQ"
)


def padded(number):
    return f"{number:016}"


def value(plain):
    """DynamoDB's JSON of a value."""
    if isinstance(plain, bool):
        return {"BOOL": plain}
    if isinstance(plain, int):
        return {"N": str(plain)}
    if isinstance(plain, str):
        return {"S": plain}
    if isinstance(plain, list):
        return {"L": [value(one) for one in plain]}
    return {"M": {name: value(one) for name, one in plain.items()}}


def item(kind, pk, sk, **attributes):
    attributes |= {"kind": kind, "pk": pk, "sk": sk, "version": 1}
    return {"kind": kind, "item": {name: value(one) for name, one in attributes.items()}}


def organization():
    own = {"id": OWN, "name": "Elsewhere", "planFeatures": [], "unitsPerSecond": 4000}
    own |= {"invitationsPerDay": 50, "createdAt": AT, "updatedAt": AT}
    return item("organization", f"ORG#{OWN}", "ORGANIZATION", **own)


def user(number, name, email):
    person = {"id": number, "organizationId": OWN, "username": name, "fullName": name.title()}
    person |= {"role": "admin", "extraPermissions": [], "disabled": False, "email": email}
    person |= {"createdAt": AT, "updatedAt": AT, "sessionEpoch": 0, "tokenEpoch": 0}
    index = {"gsi1pk": f"ORG#{OWN}#USER", "gsi1sk": f"{name}\t{name}\t{padded(number)}"}
    return item("user", f"ORG#{OWN}#USER", padded(number), **person, **index)


def account(name, organization_id, user_id):
    owner = {"username": name, "organizationId": organization_id, "userId": user_id}
    return item("account", f"USERNAME#{name}", "CREDENTIAL", passwordHash=HASH, **owner)


def task(number, organization_id, project=None):
    about = {"id": number, "organizationId": OWN, "title": "FORGED IN YOUR LIST", "order": 0}
    about |= {"status": "todo", "priority": "high", "createdAt": AT, "updatedAt": AT}
    index = {"gsi4pk": f"ORG#{OWN}#TASK", "gsi4sk": f"{AT}#{padded(number)}"}
    if project:
        about["projectId"] = project
        index["gsi1pk"] = f"ORG#{organization_id}#PROJECT#{project}#TASK"
        index["gsi1sk"] = f"{padded(0)}#{padded(number)}"
    return item("task", f"ORG#{OWN}#TASK", padded(number), **about, **index)


def milestone(number):
    about = {"id": number, "organizationId": OWN, "title": "The last", "projectId": 901}
    about |= {"status": "pending", "createdAt": AT, "updatedAt": AT}
    index = {"gsi1pk": f"ORG#{OWN}#PROJECT#901#MILESTONE", "gsi1sk": f"~#{padded(number)}"}
    return item("milestone", f"ORG#{OWN}#MILESTONE", padded(number), **about, **index)


def project(number):
    about = {"id": number, "organizationId": OWN, "title": "Work", "status": "active"}
    about |= {"createdAt": AT, "updatedAt": AT, "words": " work"}
    index = {"gsi1pk": f"ORG#{OWN}#PROJECT", "gsi1sk": f"work\twork\t{padded(number)}"}
    return item("project", f"ORG#{OWN}#PROJECT", padded(number), **about, **index)


def cleanup(number, organization_id, shard):
    due = {"dueAt": LONG_AGO, "gsi4pk": f"DUE#cleanup#{shard}", "gsi4sk": LONG_AGO}
    of = {"organizationId": organization_id, "subject": {"Thread": {"taskId": number}}}
    return item("cleanup", f"ORG#{OWN}#CLEANUP", f"TASK#{padded(number)}", **due, **of)


def lines(case, victim, victims_user):
    own = [organization(), user(900, "zoe-elsewhere", "Zoe@elsewhere.example"), project(901)]
    own.append(account("zoe-elsewhere", OWN, 900))
    holder = {"email": "zoe@elsewhere.example", "organizationId": OWN, "userId": 900}
    own.append(item("email_holder", "EMAIL#zoe@elsewhere.example", padded(OWN), **holder))
    own.append({"kind": "admins", "item": {"pk": {"S": f"ORG#{OWN}"}, "sk": {"S": "ADMINS"}, "enabled": {"N": "1"}}})
    own += [task(902, OWN, 901), milestone(903), cleanup(904, OWN, OWN % 16)]
    forged = {
        "honest": [],
        # Signs in as the victim's user.
        "account": [account("forged-import", victim, victims_user)],
        # Signs in as the victim's user, whose id the file has no user of.
        "stranger": [account("forged-import", OWN, victims_user)],
        # Stands in the victim's list.
        "task": [task(905, victim, 1)],
        # Uses up the ids of all organizations.
        "milestone": [milestone(2**53 - 1)],
        # Deletes the comments of the victim's task.
        "cleanup": [cleanup(1, victim, victim % 16)],
        # Mails somebody in the name of the service.
        "mail": [item("mail", f"ORG#{OWN}#MAIL", "x", organizationId=OWN, id="x")],
        "unknown": [item("later", f"ORG#{OWN}#LATER", "x", organizationId=OWN)],
        "long": [item("text", f"ORG#{OWN}#TASK#902#TEXT", "0" * 64, text="x" * 5_000_000)],
        "twice": [task(902, OWN)],
    }
    return own + forged[case]


def main():
    case, victim, *users = sys.argv[1:]
    body = lines(case, int(victim), int(users[0]) if users else 0)
    counts = Counter(line["kind"] for line in body)
    header = {"format": "workdesk-organization", "version": 1, "organization": OWN, "at": AT}
    for line in [header | {"counts": counts}, *body]:
        print(json.dumps(line))


main()

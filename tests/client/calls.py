"""Ten calls of the client that openapi-python-client makes of the document: `python3 calls.py URL`.

check.py runs it with the generated package `workdesk`, against a stack with the demo data.
"""

import sys
import urllib.parse
import uuid

from workdesk import AuthenticatedClient, Client
from workdesk.api.auth import create_token, login
from workdesk.api.tasks import (
    create_task,
    create_task_comment,
    delete_task,
    get_task,
    list_task_comments,
    list_tasks,
    update_task,
)
from workdesk.api.updates import list_changes
from workdesk.models import (
    CommentCreate,
    Login,
    NotFoundProblem,
    PreconditionFailedProblem,
    RecordType,
    TaskCreate,
    TaskStatus,
    TaskUpdate,
    TokenCreate,
)

USER = Login(username="ada", password="workdesk")
BOTH = [TaskStatus.TODO, TaskStatus.IN_PROGRESS]
UNKNOWN = 999_999_999


def main(api):
    browser = Client(base_url=api)
    user = login.sync(client=browser, body=USER)
    token = create_token.sync(client=browser, body=TokenCreate(name=f"calls {uuid.uuid4()}"))
    script = AuthenticatedClient(base_url=api, token=token.token)
    tasks = [created(script, user.organization_id, status) for status in (*BOTH, TaskStatus.DONE)]
    several_values(script, tasks)
    several_pages(script)
    conflict(script, tasks[0])
    comments(script, tasks[0])
    for one in tasks:
        assert delete_task.sync_detailed(one, client=script).status_code == 204
    gone = get_task.sync(tasks[0], client=script)
    assert isinstance(gone, NotFoundProblem), gone


def created(script, organization, status):
    """Creates a task, and sends the request again as after a lost answer. Returns its id."""
    body = TaskCreate(title="Compare", organization_id=organization, status=status)
    key = str(uuid.uuid4())
    once, again = (
        create_task.sync_detailed(client=script, body=body, idempotency_key=key) for _ in range(2)
    )
    assert once.parsed.id == again.parsed.id, (once, again)
    replayed = [one.headers.get("idempotency-replayed") for one in (once, again)]
    assert replayed == [None, "true"], replayed
    return once.parsed.id


def several_values(script, tasks):
    """Filters by two values, which the client sends as a repeated parameter, and by ids."""
    found = list_tasks.sync(client=script, status=BOTH)
    assert {one.status for one in found} == set(BOTH), found
    ids = [one.id for one in found]
    assert set(tasks) & set(ids) == set(tasks[:2]), (tasks, ids)
    named = list_tasks.sync(client=script, id=[tasks[2], UNKNOWN, tasks[0]])
    assert [one.id for one in named] == sorted([tasks[0], tasks[2]]), named
    kinds = [RecordType.TASK, RecordType.PROJECT]
    changes = list_changes.sync(client=script, cursor="first", type_=kinds)
    assert {one.type_ for one in changes} == set(kinds), changes


def several_pages(script):
    """Follows `Link` to the end of a list."""
    whole = [one.id for one in list_tasks.sync(client=script)]
    ids, more = [], {}
    while more is not None:
        page = list_tasks.sync_detailed(client=script, limit=2, **more)
        assert len(page.parsed) <= 2, page
        ids.extend(one.id for one in page.parsed)
        more = next_page(page.headers.get("link"))
    assert ids == whole, (ids, whole)


def next_page(link):
    """Returns the parameters of the next page, by the header `Link`."""
    if link is None:
        return None
    query = urllib.parse.urlsplit(link[1 : link.index(">")]).query
    return {"cursor": urllib.parse.parse_qs(query)["cursor"][0]}


def conflict(script, task):
    """Changes a task, and again with the version before."""
    etag = get_task.sync_detailed(task, client=script).headers["etag"]
    renamed = TaskUpdate(title="Renamed")
    changed = update_task.sync_detailed(task, client=script, body=renamed, if_match=etag)
    assert changed.parsed.title == "Renamed", changed
    late = TaskUpdate(title="Late")
    refused = update_task.sync_detailed(task, client=script, body=late, if_match=etag)
    assert refused.status_code == 412, refused
    assert isinstance(refused.parsed, PreconditionFailedProblem), refused


def comments(script, task):
    """Comments on a task, and reads the comment by its id."""
    said = create_task_comment.sync(task, client=script, body=CommentCreate(content="Done."))
    [read] = list_task_comments.sync(task, client=script, id=[said.id])
    assert (read.id, read.content) == (said.id, "Done."), read


if __name__ == "__main__":
    main(sys.argv[1])

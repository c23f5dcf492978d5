"""Calls each operation of the API's specification once, on a newly set up stack."""

DESCRIBED = 34


class Counted:
    """A client that records the operations that it called, by method and path without ids."""

    def __init__(self, api):
        self.api = api
        self.called = set()

    def call(self, method, path, body=None, **options):
        plain = path.partition("?")[0]
        parts = ["{}" if part.isdigit() else part for part in plain.split("/")]
        self.called.add((method, "/".join(parts)))
        return self.api.call(method, path, body, **options)

    def made(self, path, body):
        """Creates a record by POST. Returns its id."""
        return self.call("POST", path, body)["id"]


def walk(api, organization, project, phase, tag, ticket, alert):
    """Calls all 34 on records of an organization whose admin is signed in."""
    api = Counted(api)
    print("  each described operation")
    requests(api, project)
    work(api, project, phase)
    activities(api, organization, project, tag)
    managed_services(api, ticket)
    concierge(api, alert)
    assert len(api.called) == DESCRIBED, sorted(api.called)


def requests(api, project):
    about = {"title": "Help", "referenceType": "project", "referenceId": project}
    request = api.made("/api/managed-services/request", about)
    thread = f"/api/service-requests/{request}/comments"
    comment = api.made(thread, {"content": "Since Monday"})
    assert [row["id"] for row in api.call("GET", thread)] == [comment]
    api.call("DELETE", f"/api/service-requests/{request}", expect=204)
    api.call("GET", thread, expect=404)


def work(api, project, phase):
    milestone = api.made("/api/milestones", {"title": "Go live", "projectId": project})
    path = f"/api/milestones/{milestone}"
    api.call("PUT", path, {"title": "Live"})
    task = api.made("/api/tasks", {"title": "Move", "projectId": project, "milestoneId": milestone})
    other = api.made("/api/tasks", {"title": "Test", "projectId": project})
    assert api.call("GET", path)["tasks"][0]["id"] == task
    assert milestone in [row["id"] for row in api.call("GET", f"/api/projects/{project}/milestones")]
    api.call("PATCH", f"/api/tasks/{task}", {"status": "done"})
    api.call("PATCH", f"/api/tasks/{task}/phase", {"phaseId": phase}, expect=204)
    places = [{"id": other, "order": 1}, {"id": task, "order": 2}]
    api.call("PATCH", "/api/tasks/reorder", {"tasks": places}, expect=204)
    listed = {row["id"]: row for row in api.call("GET", "/api/tasks")}
    assert (listed[task]["status"], listed[task]["phaseId"]) == ("done", phase), listed[task]
    in_order = [row["id"] for row in api.call("GET", f"/api/projects/{project}/tasks")]
    assert in_order.index(other) < in_order.index(task), in_order
    api.call("DELETE", f"/api/tasks/{other}", expect=204)
    api.call("DELETE", path, expect=204)


def activities(api, organization, project, tag):
    note = {"type": "note", "description": "Called back", "projectId": project}
    activity = api.made("/api/activities", note)
    path = f"/api/activities/{activity}"
    for listed in (
        "/api/activities",
        f"/api/projects/{project}/activities",
        f"/api/organizations/{organization}/activities",
    ):
        assert activity in [row["id"] for row in api.call("GET", listed)], listed
    comment = api.made(f"{path}/comments", {"content": "Good"})
    assert [row["id"] for row in api.call("GET", f"{path}/comments")] == [comment]
    api.call("POST", f"{path}/tags", {"tagId": tag}, expect=204)
    assert [row["id"] for row in api.call("GET", path)["tags"]] == [tag]
    api.call("DELETE", f"{path}/tags/{tag}", expect=204)


def managed_services(api, ticket):
    api.call("POST", f"/api/managed-services/ticket/{ticket}/reply", {"content": "Soon"})
    messages = api.call("GET", f"/api/managed-services/ticket/{ticket}")["messages"]
    assert messages[-1]["content"] == "Soon", messages
    dashboard = api.call("GET", "/api/managed-services/dashboard")
    assert ticket in [row["id"] for row in dashboard["tickets"]]
    assert api.call("GET", "/api/managed-services/search-references?query=billing")


def concierge(api, alert):
    open_session = f"/api/concierge/alerts/{alert}/agent-session"
    session = api.call("POST", open_session)["session"]["id"]
    path = f"/api/concierge/agent-sessions/{session}"
    proposed = api.call("POST", f"{path}/propose")["session"]["proposedActions"]
    automated = [action["id"] for action in proposed if action["isAutomated"]]
    done = api.call("POST", f"{path}/execute", {"actionIds": automated}, expect=(200, 202))
    assert done["session"]["id"] == session
    api.call("GET", path)
    second = api.call("POST", open_session)["session"]["id"]
    api.call("POST", f"/api/concierge/agent-sessions/{second}/cancel", expect=(200, 409))

"""The desk's sizes and times, and a board of 1,000 tasks

Not part of the gate: `python3 tests/browser/desk/run.py URL figures` prints the figures.
"""

import concurrent.futures
import gzip
import re

from world import ROOT

TASKS = 1_000
STATUSES = ("backlog", "todo", "in_progress", "in_review", "blocked", "done", "cancelled")
# An hour of them, one each two seconds.
CHANGES = 1_800
VIEWS = {
    "home": "#/",
    "projects": "#/projects",
    "board": "#/projects/1",
    "task": "#/tasks/3",
    "requests": "#/requests",
    "request": "#/requests/1",
    "tickets": "#/tickets",
    "ticket": "#/tickets/1",
    "alerts": "#/alerts",
    "alert": "#/alerts/9",
    "search": "#/search?q=invoice",
    "settings": "#/settings",
    "users": "#/settings/users",
    "policy": "#/settings/policy",
}
# Milliseconds of the page's clock: the last answer before the content, and the content.
TIMES = """() => {
    const own = performance.getEntriesByType("resource").filter(one => one.name.includes("/api/")
        && !/api.(changes|notifications.unread)/.test(one.name));
    return {answers: own.map(one => [one.name, one.requestStart, one.responseEnd]), shown: performance.getEntriesByName("shown").at(-1).startTime};
}"""
# Files of the page, and their bytes as they were sent.
FIRST_VISIT = """() => {
    const files = performance.getEntriesByType("resource").filter(one => one.name.includes("/desk/"));
    const page = performance.getEntriesByType("navigation")[0];
    return [files.length + 1, files.reduce((sum, one) => sum + one.encodedBodySize, page.encodedBodySize)];
}"""


def check(world):
    sizes()
    views(world)
    big_board(world)


def sizes():
    folder = ROOT / "functions" / "pages" / "desk"
    for kind in ("js", "css"):
        files = sorted(folder.rglob(f"*.{kind}"))
        texts = [file.read_text() for file in files]
        lines = [line.strip() for text in texts for line in text.splitlines()]
        code = sum(not line.startswith(("//", "/*", "*")) and line != "" for line in lines)
        packed = sum(len(gzip.compress(text.encode())) for text in texts)
        print(f"    {kind}: {len(files)} files, {len(lines)} lines, {code} of code, {packed} bytes compressed")


def views(world):
    with world.desk("ada") as desk:
        first = desk.page.evaluate(FIRST_VISIT)
        print(f"    first visit: {first[0]} files, {first[1]} bytes")
        for name, address in VIEWS.items():
            asked = desk.open(address)
            times = desk.page.evaluate(TIMES)
            if not times["answers"]:
                print(f"    {name}: no request of its own")
                continue
            last = max(end for _, _, end in times["answers"])
            begun = min(start for _, start, _ in times["answers"])
            share = (times["shown"] - begun) / (last - begun)
            print(f"    {name}: {asked} requests; content after {times['shown'] - begun:.0f} ms, {share:.2f} of the answers' time")


def big_board(world):
    api = world.api("max")
    project = api.call("POST", "/api/projects", {"title": f"A big board {world.mark}"})["id"]

    def create(number):
        status = STATUSES[number % len(STATUSES)]
        body = {"title": f"Task {number} of a big board", "projectId": project, "status": status, "assigneeId": 1 + number % 4}
        return api.call("POST", "/api/tasks", body)["id"]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(create, range(TASKS)))
    with world.desk("max", f"#/projects/{project}") as desk:
        page = desk.page
        for name in ("Done", "Cancelled"):
            page.get_by_role("button", name=name, exact=True).click()
        assert page.locator(".card").count() == TASKS
        times = page.evaluate(TIMES)
        [answer] = [one for one in times["answers"] if one[0].endswith("/tasks")]
        last = max(end for _, _, end in times["answers"])
        print(f"    {TASKS} tasks: their answer took {answer[2] - answer[1]:.0f} ms; content {times['shown'] - last:.0f} ms after the last answer")
        moved = page.evaluate(
            """async () => {
                const list = document.querySelector('.cards[aria-label="Done"]');
                const card = document.querySelector('.cards[aria-label="Todo"] .card');
                const data = new DataTransfer();
                const {left, top} = list.getBoundingClientRect();
                const at = {bubbles: true, dataTransfer: data, clientX: left + 20, clientY: top + 200};
                card.dispatchEvent(new DragEvent("dragstart", at));
                const times = [];
                for (const event of ["dragover", "drop"]) {
                    const begun = performance.now();
                    list.dispatchEvent(new DragEvent(event, at));
                    await new Promise(requestAnimationFrame);
                    await new Promise(done => setTimeout(done));
                    times.push(performance.now() - begun);
                }
                return times;
            }"""
        )
        print(f"    a drag: {moved[0]:.0f} ms to the next frame as it hovers, {moved[1]:.0f} ms as it is dropped")
        an_hour_of_changes(desk, project, ids)
    api.call("PATCH", f"/api/projects/{project}", {"status": "archived"})


def an_hour_of_changes(desk, project, ids):
    """The feed has a change of a task in every answer, as often as in an hour; the clock goes faster."""
    page = desk.page
    versions = dict.fromkeys(ids, 1)
    counted = [0]

    def change(route):
        counted[0] += 1
        task = ids[counted[0] % len(ids)]
        versions[task] += 1
        actor = {"id": 1, "username": "ada", "fullName": "Ada Lindqvist"}
        entry = {"id": str(counted[0]), "type": "task", "recordId": task, "action": "updated", "version": versions[task]}
        entry |= {"parent": {"type": "project", "recordId": project}, "part": None, "fields": ["title"]}
        entry |= {"at": "2026-01-31T12:00:00Z", "actor": actor}
        route.fulfill(json=[entry], headers={"link": f'<{route.request.url}>; rel="next"'})

    def read(route):
        task = int(re.search(r"id=(\d+)", route.request.url)[1])
        row = {"id": task, "title": f"Changed {counted[0]}", "projectId": project, "organizationId": 1, "order": task}
        row |= {"status": STATUSES[counted[0] % 7], "priority": "low", "version": versions[task], "tags": [], "dueDate": None}
        row |= dict.fromkeys(("assignee", "assigneeId", "milestone", "milestoneId", "phaseId", "description"))
        route.fulfill(json=[row | {"project": {"id": project, "title": "A big board"}}])

    used = "() => { gc(); return performance.memory.usedJSHeapSize }"
    heap = [page.evaluate(used)]
    page.route(re.compile("/api/changes"), change)
    page.route(re.compile(r"/api/tasks\?id="), read)
    page.route(re.compile("/api/notifications"), lambda route: route.fulfill(json=[]))
    while counted[0] < CHANGES:
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        page.wait_for_timeout(10)
    heap.append(page.evaluate(used))
    nodes = page.evaluate("document.querySelectorAll('*').length")
    print(f"    {counted[0]} changes: heap {heap[0] / 1e6:.1f} MB before, {heap[1] / 1e6:.1f} MB after; {nodes} elements")

"""Checks the API and its pages in headless Chromium:
`python3 tests/browser/check.py [clients | desk] [--quick]`.

Starts `cargo local` for a client on a sibling host, then for one on another site, and looks at the
reference page. The client is that of the document: what it shows there is what runs here. Then it runs the
API guide's follower, the story of tests/client, its client in Python, and the desk's parts. `clients` leaves the desk
out, and `desk` all else. `--quick` leaves out the desk's rules for all views. Chromium itself is the
system's; where it is missing and apt-get is there, it is installed.

Everything uses plain http on names below localhost. Chromium treats these as secure contexts and keeps
their `Secure` cookies, so this check cannot show that other hosts need https.
"""

import argparse
import contextlib
import functools
import http.client
import http.server
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "infra"), str(ROOT / "tests")]
import end_to_end  # noqa: E402
import tools  # noqa: E402

# By its path: other folders have a check.py, too.
found = importlib.util.spec_from_file_location("client", ROOT / "tests" / "client" / "check.py")
client = importlib.util.module_from_spec(found)
found.loader.exec_module(client)
sys.path.insert(0, str(ROOT / "tests" / "browser" / "desk"))
import run as desk  # noqa: E402

# The document that shows the client.
DOCUMENT = ROOT / "functions" / "CLIENTS.md"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Hosts of the API, of a page on a sibling host, and of a page on another site.
API, SIBLING, ELSEWHERE = "api.workdesk.localhost", "app.workdesk.localhost", "app.else.localhost"
# Blocks third-party cookies that are not partitioned, as browsers increasingly do.
OPTIONS = ["--test-third-party-cookie-phaseout"]
# Longest wait for an element, for a busy machine.
WAIT_MILLISECONDS = 60_000
BOARD = """<!doctype html><title>A board</title><link rel="icon" href="data:,"><main></main>
<style>main { display: flex } section { width: 15em; min-height: 20em } article { padding: 1em }</style>
<script type="importmap">{"imports": {"openapi-fetch": "/openapi-fetch.js"}}</script>
<script type="module">
import * as board from "/board";
import { morning } from "/story";
window.board = board;
window.morning = morning;
window.stopped = new AbortController();
</script>"""
PAGE = """<!doctype html><title>A client</title><link rel="icon" href="data:,">
<script type="module">import * as client from "/client.js"; window.client = client;</script>"""


def chromium():
    """Returns the path of Chromium, installed if it is missing."""
    programs = map(shutil.which, PROGRAMS)
    found = next(filter(None, programs), None)
    if found is None and shutil.which("apt-get") and os.geteuid() == 0:
        tools.install_package("chromium")
        found = shutil.which("chromium")
    if found is None:
        sys.exit("Chromium is missing: install it (`apt-get install chromium`)")
    return found


def axe():
    """The script of axe-core, which finds faults of accessibility."""
    folder = ROOT / "target" / "axe"
    client.install(ROOT / "tests" / "browser" / "desk", folder)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()


def client_of_the_document(api):
    """The module that the document shows, with another address of the API."""
    [module] = re.findall(r"```js\n(// client\.js\n.*?)```", DOCUMENT.read_text(), re.DOTALL)
    module, replaced = re.subn(r'"https://api\.example\.com"', json.dumps(api), module)
    assert replaced == 1, "the document's client.js names the API once"
    return module


@contextlib.contextmanager
def front_end(files):
    """Runs a web server with these files. Yields its port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path.startswith("/api/"):
                return self.passed_on()
            kind, text = files.get(self.path, (None, ""))
            self.send_response(200 if kind else 404)
            self.send_header("content-type", kind or "text/plain")
            self.end_headers()
            self.wfile.write(text.encode())

        def passed_on(self):
            """Passes a request on to the API, as a development server does: all is one origin then."""
            api = http.client.HTTPConnection(files["api"], timeout=WAIT_MILLISECONDS / 1_000)
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            api.request(self.command, self.path, body, dict(self.headers))
            answer = api.getresponse()
            text = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            api.close()

        do_POST = do_PUT = do_PATCH = do_DELETE = passed_on

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def world(same_site):
    """Runs a stack that allows the origins of both hosts. Yields a function that opens a client's page,
    the API's URL for browsers, and the stack."""
    files = {"/": ("text/html", PAGE)}
    with front_end(files) as port:
        origins = [f"http://{host}:{port}" for host in (SIBLING, ELSEWHERE)]
        settings = {"ALLOWED_ORIGINS": ",".join(origins), "COOKIE_SAME_SITE": same_site}
        with end_to_end.running_stack(**settings) as stack:
            api = f"http://{API}:{urllib.parse.urlsplit(stack.api.base).port}"
            files["/client.js"] = ("text/javascript", client_of_the_document(api))
            yield functools.partial(client_page, port), api, stack


@contextlib.contextmanager
def board_world(stack):
    """Serves the board of tests/client on one origin with the API. Yields its URL."""
    modules = client.board(ROOT / "infra" / "openapi.json")
    fetch = client.FOLDER / "node_modules" / "openapi-fetch" / "dist" / "index.mjs"
    script = "text/javascript"
    files = {
        "api": urllib.parse.urlsplit(stack.api.base).netloc,
        "/": ("text/html", BOARD),
        "/openapi-fetch.js": (script, fetch.read_text()),
    }
    parts = (pathlib.Path(part).stem for part in ("board.ts", "client.ts", *client.STORY))
    for name in (*parts, *client.SHOWN):
        [module] = modules.rglob(f"{name}.js")
        files[f"/{name}"] = (script, module.read_text())
    with front_end(files) as port:
        yield f"http://127.0.0.1:{port}/"


def client_page(port, context, host):
    """Opens the client's page on a host."""
    page = context.new_page()
    page.goto(f"http://{host}:{port}/")
    page.wait_for_function("window.client !== undefined")
    return page


@contextlib.contextmanager
def person(browser):
    """Opens a browser context without any cookies."""
    context = browser.new_context()
    context.set_default_timeout(WAIT_MILLISECONDS)
    try:
        yield context
    finally:
        context.close()


def call(page, method, path, body=None):
    """Calls the API from the page. Returns status and JSON, or the browser's error."""
    return page.evaluate(
        """async ([method, path, body]) => {
            try {
                const answer = await client.call(method, path, body ?? undefined);
                const text = await answer.text();
                return {status: answer.status, body: text ? JSON.parse(text) : null,
                    requestId: answer.headers.get("x-request-id")};
            } catch (error) { return {refused: String(error)}; }
        }""",
        [method, path, body],
    )


def expect(answer, status, code=None):
    assert answer.get("status") == status, answer
    if code:
        assert answer["body"]["code"] == code, answer
    return answer["body"]


def sign_in(page):
    return expect(call(page, "POST", "/api/auth/login", end_to_end.LOGIN), 200)


def works_for(page):
    """Signs in, reads and writes tasks, and signs out."""
    expect(call(page, "GET", "/api/tasks"), 401, "unauthenticated")
    assert sign_in(page)["username"] == end_to_end.LOGIN["username"]
    listed = len(expect(call(page, "GET", "/api/tasks"), 200))
    task = expect(call(page, "POST", "/api/tasks", {"title": "By a page", "projectId": 1}), 200)
    assert len(expect(call(page, "GET", "/api/tasks"), 200)) == listed + 1
    paged = page.evaluate("""async () => {
        const ids = [];
        for await (const rows of client.pages("/api/tasks?limit=2")) {
            ids.push(rows.map(row => row.id));
        }
        return ids;
    }""")
    assert all(len(rows) == 2 for rows in paged[:-1]), paged
    assert len(sum(paged, [])) == len(set(sum(paged, []))) == listed + 1, paged
    path = f"/api/tasks/{task['id']}"
    expect(call(page, "PATCH", path, {"title": "Renamed"}), 200)
    expect(call(page, "DELETE", path), 204)
    missing = call(page, "DELETE", path)
    expect(missing, 404, "not_found")
    # The page may read this header, since the gateway exposes it.
    assert missing["requestId"] == missing["body"]["requestId"], missing
    expect(call(page, "POST", "/api/auth/logout"), 204)
    expect(call(page, "GET", "/api/tasks"), 401, "unauthenticated")


def cookie_of(context):
    """Returns the browser's only session cookie."""
    [cookie] = [one for one in context.cookies() if one["name"] == "connect.sid"]
    return cookie


def sibling_host(browser, open_page):
    print("  a client on a sibling host, with SameSite=Lax")
    with person(browser) as context:
        page = open_page(context, SIBLING)
        works_for(page)
        sign_in(page)
        cookie = cookie_of(context)
        assert (cookie["sameSite"], cookie["httpOnly"]) == ("Lax", True), cookie
        assert not cookie["secure"] and "partitionKey" not in cookie, cookie
        assert page.evaluate("document.cookie") == ""


def other_site_without_its_cookie(browser, open_page):
    print("  a client on another site, to which the browser sends no Lax cookie")
    with person(browser) as context:
        page = open_page(context, ELSEWHERE)
        sign_in(page)
        expect(call(page, "GET", "/api/tasks"), 401, "unauthenticated")


def unlisted_origin(browser, open_page, api):
    """Checks a page whose origin is not listed. It is of the same site, so the cookie is sent."""
    print("  a page of an origin that is not listed")
    with person(browser) as context:
        sign_in(open_page(context, SIBLING))
        before = cookie_of(context)["value"]
        page = open_page(context, "evil.workdesk.localhost")
        statuses = []
        seen = lambda answer: statuses.append((answer.request.method, answer.status))
        page.on("response", seen)
        for method, path, body in (
            ("GET", "/api/tasks", None),
            ("POST", "/api/tasks", {"title": "By nobody", "projectId": 1}),
            ("POST", "/api/auth/login", end_to_end.LOGIN),
        ):
            assert "refused" in call(page, method, path, body), (method, path)
        assert ("POST", 200) not in statuses, statuses
        print("    requests without a preflight are refused by the service itself")
        statuses.clear()
        for path in ("auth/logout", "auth/login", "concierge/alerts/1/agent-session"):
            page.evaluate(
                """path => fetch(path, {method: "POST", mode: "no-cors", credentials: "include"})""",
                f"{api}/api/{path}",
            )
        assert statuses == [("POST", 403)] * 3, statuses
        assert cookie_of(context)["value"] == before
        expect(call(open_page(context, SIBLING), "GET", "/api/auth/session"), 200)


def preflights_of_unknown_paths(browser, open_page):
    print("  an unknown path and an unknown method, across origins")
    with person(browser) as context:
        page = open_page(context, SIBLING)
        sign_in(page)
        expect(call(page, "POST", "/api/nothing", {}), 404, "not_found")
        for method in ("GET", "DELETE"):
            expect(call(page, method, "/api/tasks/%FF"), 404, "not_found")
        expect(call(page, "PUT", "/api/tasks", {}), 405, "method_not_allowed")


def other_site(browser, open_page):
    print("  a client on another site, with SameSite=None")
    with person(browser) as context:
        page = open_page(context, ELSEWHERE)
        works_for(page)
        sign_in(page)
        cookie = cookie_of(context)
        assert (cookie["sameSite"], cookie["secure"]) == ("None", True), cookie
        assert "else.localhost" in str(cookie["partitionKey"]), cookie
        print("    the same browser is not signed in on the API's own site")
        expect(call(open_page(context, SIBLING), "GET", "/api/tasks"), 401, "unauthenticated")


def boards(browser, url):
    print("  two boards at once: what one changes appears in the other")
    with person(browser) as ada, person(browser) as max_:
        left, right = (opened_board(context, url, name) for context, name in ((ada, "ada"), (max_, "max")))
        ids = [left.evaluate("title => board.add(1, title)", title) for title in ("First", "Second")]
        for page in (left, right):
            for one in ids:
                page.wait_for_selector(f"section[data-status=todo] article[data-id='{one}']")
        first, second = ids
        # A card is dragged into another column, then before the other card.
        left.drag_and_drop(f"article[data-id='{first}']", "section[data-status=done]")
        right.wait_for_selector(f"section[data-status=done] article[data-id='{first}']")
        right.drag_and_drop(f"article[data-id='{second}']", f"article[data-id='{first}']")
        together = f"section[data-status=done] article[data-id='{second}'] + article[data-id='{first}']"
        left.wait_for_selector(together)
        right.wait_for_selector(together)
        left.evaluate("id => board.comment(id, 'Well done.')", first)
        right.evaluate("id => board.remove(id)", second)
        left.wait_for_selector(f"article[data-id='{second}']", state="detached")
        shoot(left, "board")
        left.evaluate("id => board.remove(id)", first)
        right.wait_for_selector(f"article[data-id='{first}']", state="detached")
        for page in (left, right):
            page.evaluate("stopped.abort()")


# Refusals of the world: each of what a board reads is refused so, one answer after the other. `None` is a
# connection that breaks.
REFUSALS = (404, 429, 503, None)
READS = {
    "the changed tasks": ("/api/tasks?id=", REFUSALS),
    "the change feed": ("/api/changes?", (*REFUSALS, 410)),
}


def refused_boards(browser, url):
    print("  a board whose reads are refused loses nothing")
    with person(browser) as context, person(browser) as other:
        page, writer = opened_board(context, url, "ada"), opened_board(other, url, "max")
        cards = page.locator("article").count()
        for what, (path, refusals) in READS.items():
            left = list(refusals)
            refuse = functools.partial(refuse_once, left)
            page.route(lambda url, path=path: path in url, refuse)
            added = writer.evaluate("title => board.add(1, title)", f"Beside refusals of {what}")
            page.wait_for_selector(f"article[data-id='{added}']")
            assert not left, (what, left)
            assert page.locator("article").count() == cards + 1, what
            page.unroute_all()
            writer.evaluate("id => board.remove(id)", added)
            page.wait_for_selector(f"article[data-id='{added}']", state="detached")
            assert page.locator("article").count() == cards, what
        for one in (page, writer):
            one.evaluate("stopped.abort()")


def refuse_once(left, route):
    """Answers a request by the next refusal, if one is left. Passes it on after the last."""
    if not left:
        return route.continue_()
    status = left.pop(0)
    if status is None:
        return route.abort()
    headers = {"retry-after": "1"} if status in (429, 503) else {}
    route.fulfill(status=status, headers=headers, body="{}", content_type="application/problem+json")


def story(browser, url, api):
    """Ten calls of a client in Python, and a front end's morning in TypeScript with openapi-fetch."""
    print("  a client in Python")
    client.run_python(api)
    print("  the story of a client in TypeScript")
    with person(browser) as context:
        page = context.new_page()
        answers, errors = [], []
        page.on("response", lambda one: answers.append((one.request.method, one.url, one.status)))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: (errors.append(dialog.message), dialog.dismiss()))
        page.goto(url)
        page.wait_for_function("window.morning !== undefined")
        page.evaluate("login => morning(login.username, login.password)", end_to_end.LOGIN)
        assert not errors, errors
        answers = [(method, urllib.parse.urlsplit(path).path, status) for method, path, status in answers]
        refused = [one for one in answers if one[2] >= 400]
        # A conflict, a tag whose name is taken, dead links, and a provider that nobody runs.
        expected = {("PATCH", 412), ("POST", 409), ("POST", 403), ("PUT", 400)}
        assert {(method, status) for method, _, status in refused} == expected, refused
        print(f"    {len(answers)} requests, refused as the story wants: {len(refused)}")


def opened_board(context, url, username):
    """Opens the board of project 1 as a user."""
    page = context.new_page()
    page.goto(url)
    page.wait_for_function("window.board !== undefined")
    login = end_to_end.LOGIN | {"username": username}
    status = page.evaluate(
        """async login => {
            const headers = {"content-type": "application/json"};
            const body = JSON.stringify(login);
            const answer = await fetch("/api/auth/login", {method: "POST", headers, body});
            board.board(1, document.querySelector("main"), stopped.signal);
            return answer.status;
        }""",
        login,
    )
    assert status == 200, (username, status)
    page.wait_for_selector("section[data-status=todo]")
    return page


class Watched:
    """A page whose errors, warnings and requests are recorded."""

    def __init__(self, context):
        self.page = context.new_page()
        self.complaints, self.asked = [], []
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def heard(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def check(self, api):
        assert not self.complaints, self.complaints
        others = {url for url in self.asked if not url.startswith((f"{api}/", "data:"))}
        assert not others, others


def reference_page(browser, api, document):
    print("  the reference page")
    with person(browser) as context:
        watched = Watched(context)
        page = watched.page
        policy = page.goto(f"{api}/api/docs").headers["content-security-policy"]
        assert "unsafe" not in policy, policy
        page.wait_for_selector(".opblock")
        assert page.locator("#who").inner_text() == "Not signed in."
        described = operations_are_shown(page, document)
        print(f"    {described} operations with summary, errors and example")
        watched.check(api)
        shoot(page, "docs")
        is_found(page)
        page.fill("input[name=username]", end_to_end.LOGIN["username"])
        page.fill("input[name=password]", end_to_end.LOGIN["password"])
        page.click("#sign-in button")
        page.wait_for_selector("#sign-out:visible")
        assert page.locator("#who").inner_text().startswith("Signed in as Ada"), page
        print("    tries operations as the signed-in user")
        listed = tries(page, "listTasks")
        created = tries(page, "createTask", {"title": "Tried out", "projectId": 1})
        assert created["title"] == "Tried out", created
        assert len(tries(page, "listTasks")) == len(listed) + 1
        shoot(page, "tried")
        page.reload()
        page.wait_for_selector("#sign-out:visible")
        page.click("#sign-out")
        page.wait_for_selector("#sign-in:visible")
        watched.check(api)


def operations_are_shown(page, document):
    """Opens and checks every operation. Returns their number."""
    shown = 0
    for path, item in document["paths"].items():
        for method, operation in item.items():
            name = operation["operationId"]
            block = page.locator(f"[id$='-{name}'].opblock")
            # No click by the mouse, which waits until nothing on the page moves.
            summary_line = block.locator(".opblock-summary-control")
            summary_line.dispatch_event("click")
            block.locator(".responses-table").first.wait_for()
            text = " ".join(block.inner_text().split())
            summary = " ".join(operation["summary"].replace("`", "").split())
            assert summary.split(". ")[0].rstrip(".") in text, (name, summary)
            codes_of = "rows => rows.map(row => row.dataset.code)"
            statuses = set(block.locator("tr.response").evaluate_all(codes_of))
            assert statuses >= set(operation["responses"]), (name, statuses)
            for needed in operation.get("x-needs", []):
                assert needed in text, (name, needed)
            assert block.locator(".example").count() >= 1, name
            if "requestBody" in operation:
                body = json.loads(block.locator("textarea.body-param__text").input_value())
                assert body, name
            # Close it: a page with all operations open is slow to redraw.
            summary_line.dispatch_event("click")
            shown += 1
    return shown


def is_found(page):
    """Searches summaries and paths, and follows the colours of the system."""
    shown = page.locator(".opblock-tag-section .opblock")
    page.fill("#search input", "move task before")
    shown.nth(1).wait_for(state="detached")
    assert page.locator(".opblock[id$='-moveTask']").is_visible()
    assert page.locator("#found").inner_text() == "1 operation"
    for scheme, state in (("dark", "attached"), ("light", "detached")):
        page.emulate_media(color_scheme=scheme)
        page.locator("html.dark-mode").wait_for(state=state)
        shoot(page, f"searched-{scheme}")
    page.fill("#search input", "")
    shown.nth(100).wait_for(state="attached")


def tries(page, name, body=None):
    """Has the page execute an operation. Returns the JSON of the answer."""
    block = page.locator(f"[id$='-{name}'].opblock")
    if not block.locator("button.execute").is_visible():
        block.locator(".opblock-summary-control").click()
    if body is not None:
        block.locator("textarea.body-param__text").fill(json.dumps(body))
    with page.expect_response(lambda answer: "/api/" in answer.url) as answered:
        block.locator("button.execute").click()
    block.locator(".live-responses-table .response-col_status").first.wait_for()
    assert '"Authorization: Bearer $TOKEN"' in block.locator(".curl").inner_text(), name
    block.locator(".opblock-summary-control").click()
    assert answered.value.status == 200, (name, answered.value.status, answered.value.text())
    return answered.value.json()


def shoot(page, name):
    """Saves a screenshot in the folder WORKDESK_PICTURES, if that is set."""
    folder = os.environ.get("WORKDESK_PICTURES")
    if folder:
        page.screenshot(path=f"{folder}/{name}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="part", help="clients or desk")
    parser.add_argument("--quick", action="store_true", help="without the desk's rules for all views")
    options = parser.parse_args()
    parts, is_quick = options.parts or ["clients", "desk"], options.quick
    assert set(parts) <= {"clients", "desk"}, __doc__
    program = chromium()
    tools.run_with("browser")
    from playwright.sync_api import sync_playwright

    # Chromium's sandbox does not work for a container's root. It loads only our own pages.
    options = [*OPTIONS, "--no-sandbox"] if os.geteuid() == 0 else OPTIONS
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=options)
        print(f"Chromium {browser.version}")
        if "clients" in parts:
            with world("lax") as (open_page, api, stack):
                sibling_host(browser, open_page)
                other_site_without_its_cookie(browser, open_page)
                unlisted_origin(browser, open_page, api)
                preflights_of_unknown_paths(browser, open_page)
                reference_page(browser, api, stack.api.call("GET", "/api/openapi.json"))
                with board_world(stack) as url:
                    boards(browser, url)
                    refused_boards(browser, url)
                    # Last, since it disables max and changes the password of ada.
                    story(browser, url, stack.api.base)
            with world("none") as (open_page, *_):
                other_site(browser, open_page)
        if "desk" in parts:
            with end_to_end.running_stack() as stack:
                desk.check(browser, f"{stack.api.base}/", axe(), log=stack.log, is_quick=is_quick)
        browser.close()
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()

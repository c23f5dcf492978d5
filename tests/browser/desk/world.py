"""The world of the desk's tests: people at browsers, what they see, and what goes wrong on the way.

    with world.desk("mia", "#/tasks/7") as desk:
        desk.page.get_by_role("button", name="Comment").click()
        desk.looks("task")

A desk complains about errors in the console, violations of the page's policy, and requests to other hosts.
"""

import contextlib
import json
import pathlib
import re
import secrets
import sys
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path[:0] = [str(ROOT / "infra"), str(ROOT / "tests")]
import end_to_end  # noqa: E402
import suspension  # noqa: E402

PASSWORD = "workdesk"
WIDTHS, SCHEMES = (1280, 390), ("light", "dark")
PICTURES = ROOT / "target" / "desk"
# Longest wait for what must appear, for a busy machine.
WAIT_MILLISECONDS = 60_000
# Requests of the frame; the names of users are read once for all views. A view has at most three of its own.
FRAME = re.compile(r"/api/(auth/session$|changes|notifications\?unread=true&limit=50|users\?disabled=false$)")
MOST_REQUESTS = 3
# A board also counts its tasks, and reads the newest that are done or cancelled.
MORE_OF_A_BOARD = 3


class Desk:
    """A page of the desk, its requests and its complaints. `refused` has the statuses that the test provokes."""

    def __init__(self, world, context, refused):
        self.world, self.page, self.refused = world, context.new_page(), refused
        self.complaints, self.requests = [], []
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self.asked)

    def heard(self, message):
        if message.type not in ("error", "warning"):
            return
        status = re.search(r"responded with a status of (\d+)|net::(ERR_\w+)", message.text)
        if not (status and (status[1] or status[2]) in {str(one) for one in self.refused}):
            self.complaints.append(f"{message.type}: {message.text}")

    def asked(self, request):
        self.requests.append((request.method, request.url))
        if not request.url.startswith((self.world.base, "data:")):
            self.complaints.append(f"a request to {request.url}")

    def open(self, address):
        """Opens an address. Returns the number of the view's own requests, once its content is there."""
        self.page.goto("about:blank")
        self.requests.clear()
        self.page.goto(self.world.base + address)
        self.settled()
        api = f"{self.world.base}api/"
        own = [one for one in self.requests if one[1].startswith(api) and not FRAME.search(one[1])]
        most = MOST_REQUESTS + (MORE_OF_A_BOARD if address.startswith("#/projects/") else 0)
        assert len(own) <= most, own
        return len(own)

    def reads_few(self, count):
        """The page reads its lists by so many rows."""
        fewer = lambda url: re.sub(r"\blimit=50\b", f"limit={count}", url)
        self.page.route(re.compile(r"\blimit=50\b"), lambda route: route.continue_(url=fewer(route.request.url)))

    def settled(self):
        """Waits until the view has its content."""
        self.page.wait_for_selector("main[aria-busy=false]")

    def looks(self, name):
        """axe-core finds nothing and nothing is cut off, in light at the great width and in dark at the small one.
        Keeps pictures. A quick run keeps none, and asks axe-core in light alone."""
        page, own = self.page, self.page.viewport_size
        PICTURES.mkdir(parents=True, exist_ok=True)
        for width, scheme in zip(WIDTHS, SCHEMES, strict=True):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert over <= 0, f"{name} is {over} px too wide at {width} px"
            if self.world.is_quick and scheme != SCHEMES[0]:
                continue
            # The elements are the same. Of the rules, only those of contrast depend on the colours.
            found = self.world.axe(page, scheme == SCHEMES[0])
            assert not found, f"{name} at {width} px, {scheme}: {found}"
            if not self.world.is_quick:
                page.screenshot(path=PICTURES / f"{name}-{width}-{scheme}.png", full_page=True)
        page.set_viewport_size(own)
        page.emulate_media(color_scheme=SCHEMES[0])

    def sees(self, locator):
        """Waits for what others changed, as a reader who comes back to the page again and again."""
        self.until(lambda: locator.first.is_visible() or self.looks_up(), locator)

    def looks_up(self):
        """The reader comes back to the page, which asks for changes at once then."""
        self.page.evaluate("dispatchEvent(new Event('focus'))")

    @contextlib.contextmanager
    def asleep(self):
        """The laptop is closed: no timer of the page runs, and it takes no answer."""
        devtools = self.page.context.new_cdp_session(self.page)
        devtools.send("Debugger.enable")
        devtools.send("Debugger.pause")
        yield
        devtools.send("Debugger.disable")
        devtools.detach()
        self.looks_up()

    def fails(self, method, path, *failures):
        """Lets the next requests of a method and path fail: by a status, or None for a lost connection."""
        left = list(failures)

        def fail(route):
            if not left or route.request.method != method:
                return route.fallback()
            status = left.pop(0)
            if status is None:
                return route.abort("connectionreset")
            headers = {"retry-after": "1"} if status in (429, 503) else {}
            code = {403: "sign_in_again", 429: "rate_limited", 503: "unavailable"}.get(status, "internal_error")
            problem = f'{{"code": "{code}", "status": {status}, "detail": "A test failed this request."}}'
            route.fulfill(status=status, headers=headers, body=problem, content_type="application/problem+json")

        self.page.route(re.compile(path), fail)
        return left

    @contextlib.contextmanager
    def reads_late(self, path, change):
        """An answer to the page is from before a change by others, and arrives after the feed told of that change.
        `change` returns type and id of the record."""
        page, held, pages = self.page, [], []
        page.route(re.compile(path), lambda route: held.append((route, route.fetch())), times=1)
        yield
        self.until(lambda: held, path)
        page.on("response", lambda answer: "/api/changes" in answer.url and pages.append(answer))
        changed = change()
        told = lambda: [(one["type"], one["recordId"]) for answer in pages for one in answer.json()]
        self.until(lambda: self.looks_up() or changed in told(), f"{changed} in the feed")
        # The page is done with what it does at once.
        page.evaluate("new Promise(done => setTimeout(done, 50))")
        [(route, answer)] = held
        route.fulfill(response=answer)

    def until(self, condition, said):
        until = time.monotonic() + WAIT_MILLISECONDS / 1000
        while not condition():
            assert time.monotonic() < until, f"{said} does not come"
            self.page.wait_for_timeout(50)

    def is_answered_too_late(self, method, path, meanwhile=lambda: None):
        """Lets the next request of a method and path that is not refused be done, and its answer be lost."""
        left = [1]

        def lose(route):
            if not left or route.request.method != method:
                return route.fallback()
            answer = route.fetch()
            if not answer.ok:
                return route.fulfill(response=answer)
            left.pop()
            meanwhile()
            route.abort("connectionreset")

        self.page.route(re.compile(path), lose)

    def ends_before(self, path):
        """The user's session ends as the page sends its next request of a path, of which no other one knows before."""

        def end(route):
            self.ends()
            route.fallback()

        self.page.route(re.compile(path), end, times=1)

    def ends(self):
        """The user's session ends, as after a day. The next request is a 401."""
        self.world.forget(self.user)
        self.world.api(self.user).call("DELETE", "/api/auth/sessions", expect=204)

    def signs_in(self, user=None):
        """Signs in by the dialog."""
        page = self.page
        page.get_by_label("User name").fill(user or self.user)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("dialog").wait_for(state="detached")


class World:
    """A stack and a browser. `base` is the address of the desk, with the slash at its end."""

    def __init__(self, browser, base, axe, log=None, is_quick=False):
        self.browser, self.base, self.axe_source, self.log = browser, base, axe, log
        self.is_quick = is_quick
        self.clients, self.cookies = {}, {}
        # Sets the records of this run apart from those of earlier runs.
        self.mark = secrets.token_hex(2)

    def client(self, user, password=PASSWORD):
        """A client of the API that signs in as a user."""
        client = end_to_end.Client(self.base.removesuffix("/"))
        client.call("POST", "/api/auth/login", {"username": user, "password": password})
        return client

    def api(self, user):
        """A client of the API that is signed in as a user."""
        if user not in self.clients:
            self.clients[user] = self.client(user)
        return self.clients[user]

    def sets_policy(self, policy):
        """Ada sets the agent's policy. If it is looser, the other admin confirms it."""
        end_to_end.sets_policy(self.api("ada"), policy)

    def operator(self):
        """The operator's program, on the table that the stack printed."""
        assert self.log, "run it with --log FILE, which has what the stack printed"
        return suspension.Operator(self.log)

    def forget(self, user):
        """The user's sessions have ended."""
        self.clients.pop(user, None)
        self.cookies.pop(user, None)

    def sign_in(self, context, user, password=PASSWORD):
        """Gives a browser the session of a user, which all browsers of this run share."""
        if user not in self.cookies:
            login = {"username": user, "password": password}
            origin = urllib.parse.urlsplit(self.base)
            headers = {"origin": f"{origin.scheme}://{origin.netloc}"}
            answer = context.request.post(f"{self.base}api/auth/login", data=login, headers=headers)
            assert answer.ok, (user, answer.status, answer.text())
            self.cookies[user] = context.cookies()
        context.add_cookies(self.cookies[user])

    def demo(self):
        """The address of the demo systems, and of the receiver of mails."""
        url = self.api("ada").call("GET", "/api/concierge/connections/billing")["baseUrl"]
        return f"http://{urllib.parse.urlsplit(url).netloc}"

    def letter(self, address, words=""):
        """Waits for a letter to an address. Returns the text of the newest that has some words."""
        opener, until = urllib.request.build_opener(urllib.request.ProxyHandler({})), time.monotonic() + 60
        while time.monotonic() < until:
            with opener.open(f"{self.demo()}/mail") as answer:
                texts = [one["text"] for one in json.load(answer) if address in one["to"] and words in one["text"]]
            if texts:
                return texts[0]
            time.sleep(0.1)
        raise AssertionError(f"no letter to {address}")

    def link(self, name, address):
        """The address within the desk to which a mailed link leads."""
        return re.search(rf"#/{name}\?token=[\w&=-]+", self.letter(address, f"#/{name}?"))[0]

    @contextlib.contextmanager
    def desk(self, user=None, address="", width=WIDTHS[0], refused=(), password=PASSWORD):
        """Opens the desk at an address, signed in as a user. Without one, the sign-in is open."""
        size = {"width": width, "height": 800}
        with contextlib.closing(self.browser.new_context(viewport=size, locale="en-GB")) as context:
            context.set_default_timeout(WAIT_MILLISECONDS)
            if user:
                self.sign_in(context, user, password)
            desk = Desk(self, context, set(refused) if user else {401, *refused})
            desk.user = user
            if user:
                desk.open(address)
            else:
                desk.page.goto(self.base + address)
            yield desk
            assert not desk.complaints, desk.complaints

    def axe(self, page, all_rules=True):
        """Returns what axe-core finds: rule, and the elements."""
        if not page.evaluate("typeof axe !== 'undefined'"):
            page.evaluate(self.axe_source)
        rules = {} if all_rules else {"runOnly": ["color-contrast"]}
        result = page.evaluate("rules => axe.run(rules)", rules)
        return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in result["violations"]]

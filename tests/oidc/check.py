"""Signs users in by a certified provider, in headless Chromium: `python3 tests/oidc/check.py`.

Starts `cargo local` and oidc-provider, and plays a story: a user connects the account, another sign-in makes a user,
groups change the role, and a disabled user, a token for another client and a replayed state are refused. Then a hostile
organization tries to get a code of the first one's users (RFC 9700, 4.4). Needs Node.js 20 or later, and
target/debug/workdesk-admin. Installs the provider from npm, in the version of the lock file, into target/oidc.
"""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "target" / "oidc"
START_SECONDS, STOP_SECONDS = 60, 10
WAIT_MILLISECONDS = 60_000
sys.path[:0] = [str(ROOT / "infra"), str(ROOT / "tests")]
import end_to_end  # noqa: E402
import suspension  # noqa: E402
import tools  # noqa: E402


def module(name, path):
    """Loads a module by its path: other folders have a check.py, too."""
    found = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(found)
    found.loader.exec_module(loaded)
    return loaded


browser_check = module("browser_check", ROOT / "tests" / "browser" / "check.py")


class Running:
    """A script of Node.js that serves a port of its own."""

    def __init__(self, name, *arguments):
        # Node.js finds packages beside the script.
        script = FOLDER / f"{name}.mjs"
        script.write_text((HERE / f"{name}.mjs").read_text())
        port = str(end_to_end.free_port())
        self.issuer = f"http://127.0.0.1:{port}"
        self.log = FOLDER / f"{name}.log"
        self.process = subprocess.Popen(
            ["node", script, port, *arguments],
            cwd=FOLDER,
            stdin=subprocess.DEVNULL,
            stdout=self.log.open("w"),
            stderr=subprocess.STDOUT,
        )

    def __enter__(self):
        began = time.monotonic()
        while True:
            try:
                end_to_end.opener().open(f"{self.issuer}/.well-known/openid-configuration", timeout=5).close()
                return self
            except OSError:
                late = time.monotonic() - began > START_SECONDS
                if self.process.poll() is not None or late:
                    sys.exit(f"the script does not start:\n{self.log.read_text()}")
                time.sleep(0.1)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(STOP_SECONDS)

    def put(self, what, value):
        data = json.dumps(value).encode()
        request = urllib.request.Request(f"{self.issuer}/{what}", data, method="PUT")
        end_to_end.opener().open(request, timeout=5).close()
        return self


class Provider(Running):
    """A certified provider, whose people the story changes."""

    def __init__(self, redirect):
        browser_check.client.install(HERE, FOLDER)
        super().__init__("provider", redirect)
        self.people = {}

    def knows(self, login, **claims):
        """Sets the claims of a person, whose address is verified."""
        email = claims.pop("email", f"{login}@halden.example")
        self.people[login] = {"email": email, "email_verified": True, **claims}
        self.put("people", self.people)


# The beginning of a fault's text in the desk.
SAID = {
    "token_invalid": "What your company's provider said does not verify.",
    "state_invalid": "The sign-in took too long, or was used before.",
    "sign_in_not_allowed": "No user may sign in so.",
}


class Story:
    """A stack, its provider and a browser."""

    def __init__(self, browser, api, provider, organization):
        self.browser, self.api, self.provider = browser, api, provider
        self.organization = organization
        self.sets()

    def sets(self, **more):
        sign_in = {
            "issuer": self.provider.issuer,
            "clientId": "workdesk",
            "clientSecret": "a secret of the story",
            "roles": {"Leads": "manager", "Readers": "viewer"},
            "defaultRole": "member",
            **more,
        }
        shown = self.api.call("PUT", f"/api/organizations/{self.organization}/sign-in", sign_in)
        assert shown["redirectUri"] == f"{self.api.base}/api/auth/oidc/callback/{self.organization}", shown

    def sign_in(self, login, page=None, more=""):
        """Signs a person in, in a browser of their own. Returns the page, once it is back."""
        page = page or self.browser.new_context().new_page()
        page.set_default_timeout(WAIT_MILLISECONDS)
        page.on("response", self.came_back)
        # The provider's own pages ask others for fonts.
        page.route(lambda url: "127.0.0.1" not in url and "localhost" not in url, lambda one: one.abort())
        begin = f"{self.api.base}/api/auth/oidc?organization={self.organization}&return=/%23/tasks"
        page.goto(begin + more)
        page.fill("input[name=login]", login)
        page.fill("input[name=password]", "anything")
        page.click("button[type=submit]")
        consent = page.get_by_role("button", name="Continue")
        desk = re.compile(re.escape(self.api.base))
        page.wait_for_function(
            "base => location.href.startsWith(base) || document.body?.innerText.includes('Authorize')",
            arg=self.api.base,
        )
        if not desk.match(page.url):
            consent.click()
            page.wait_for_url(desk)
        return page

    def came_back(self, answer):
        if "/oidc/callback" in answer.url:
            self.went_to = answer.headers.get("location", "")

    def user(self, page):
        answer = page.request.get(f"{self.api.base}/api/auth/session")
        assert answer.status == 200, (answer.status, page.url)
        return answer.json()["user"]

    def refused(self, page, fault):
        """Checks that a sign-in ended with a fault, which the desk says, and with no session."""
        assert self.went_to.endswith(f"/#sign-in={fault}"), self.went_to
        page.get_by_text(SAID[fault]).wait_for()
        answer = page.request.get(f"{self.api.base}/api/auth/session")
        assert answer.status == 401, answer.status

    def play(self):
        print("  a user connects the account", flush=True)
        self.provider.knows("mia")
        page = self.browser.new_context().new_page()
        page.goto(self.api.base)
        login = {"username": "mia", "password": end_to_end.LOGIN["password"]}
        page.request.post(f"{self.api.base}/api/auth/login", data=login)
        page = self.sign_in("mia", page, "&connect=true")
        assert page.url.startswith(f"{self.api.base}/"), page.url
        assert self.user(page)["username"] == "mia"
        mia = self.user(self.sign_in("mia"))
        assert (mia["username"], mia["role"]) == ("mia", "member"), mia

        print("  another sign-in makes a user", flush=True)
        self.provider.knows("grace", name="Grace Okafor")
        page = self.sign_in("grace")
        grace = self.user(page)
        assert grace["fullName"] == "Grace Okafor" and grace["role"] == "member", grace

        print("  the provider asks again for a newer sign-in", flush=True)
        page = self.sign_in("grace", page, "&again=true")
        sessions = page.request.get(f"{self.api.base}/api/auth/sessions").json()
        assert [one["method"] for one in sessions] == ["oidc"], sessions

        print("  groups change the role", flush=True)
        for groups, role in ((["Leads"], "manager"), (["Readers"], "viewer")):
            self.provider.knows("grace", groups=groups)
            assert self.user(self.sign_in("grace"))["role"] == role, groups

        print("  a token for another client is refused", flush=True)
        self.provider.put("audience", "another")
        self.refused(self.sign_in("grace"), "token_invalid")
        self.provider.put("audience", "")

        print("  a replayed state is refused", flush=True)
        callbacks = []
        page = self.browser.new_context().new_page()
        page.on("request", lambda one: callbacks.append(one.url) if "/oidc/callback" in one.url else None)
        self.user(self.sign_in("grace", page))
        page.context.clear_cookies(name="connect.sid")
        page.goto(callbacks[-1])
        self.refused(page, "state_invalid")

        print("  an answer that names another issuer is refused", flush=True)
        # The browser's own redirects cannot be rewritten: the answer is sent by hand, with a code that nobody gave out.
        context = self.browser.new_context()
        begin = f"{self.api.base}/api/auth/oidc?organization={self.organization}"
        callback = f"{self.api.base}/api/auth/oidc/callback/{self.organization}"
        for issuer, fault in ((self.provider.issuer, "code_invalid"), ("https://evil.example", "state_invalid")):
            leads_to = context.request.get(begin, max_redirects=0).headers["location"]
            state = urllib.parse.parse_qs(urllib.parse.urlsplit(leads_to).query)["state"][0]
            answer = urllib.parse.urlencode({"code": "none", "state": state, "iss": issuer})
            went_to = context.request.get(f"{callback}?{answer}", max_redirects=0).headers["location"]
            assert went_to.endswith(f"#sign-in={fault}"), (issuer, went_to)

        print("  a disabled user stays out", flush=True)
        self.api.call("PATCH", f"/api/users/{grace['id']}", {"disabled": True})
        self.refused(self.sign_in("grace"), "sign_in_not_allowed")


class MixUp:
    """A hostile organization, which wants to be a user of the story's."""

    LOGIN = {"username": "olga", "password": "a horse of another colour"}

    def __init__(self, story, hostile, operator):
        self.story, self.hostile = story, hostile
        arguments = ("Hostile Services", self.LOGIN["username"], "Olga Lind")
        made = operator.run("create-organization", *arguments, given=f"{self.LOGIN['password']}\n")
        self.organization = re.search(r"\d+", made)[0]
        admin = end_to_end.Client(story.api.base)
        admin.call("POST", "/api/auth/login", self.LOGIN)
        sign_in = {"issuer": hostile.issuer, "clientId": "evil", "clientSecret": "evil", "defaultRole": "member"}
        admin.call("PUT", f"/api/organizations/{self.organization}/sign-in", sign_in)

    def begun(self):
        """Where the first organization's provider asks for a sign-in: the attacker keeps state, nonce and challenge."""
        context = self.story.browser.new_context()
        begin = f"{self.story.api.base}/api/auth/oidc?organization={self.story.organization}"
        return context.request.get(begin, max_redirects=0).headers["location"]

    def attack(self, victim, redirect):
        """Has a signed-in victim follow a link to the hostile organization. Returns where the victim comes out."""
        sends_to = self.begun()
        own = urllib.parse.quote(f"{self.story.api.base}/api/auth/oidc/callback/{self.story.organization}", safe="")
        assert own in sends_to, sends_to
        self.hostile.put("sends-to", sends_to.replace(own, urllib.parse.quote(redirect, safe="")))
        self.story.went_to = ""
        victim.on("response", self.story.came_back)
        victim.goto(f"{self.story.api.base}/api/auth/oidc?organization={self.organization}")
        codes = end_to_end.opener().open(f"{self.hostile.issuer}/codes", timeout=5).read()
        assert json.loads(codes) == [], codes
        return self.story.went_to

    def play(self):
        print("  a code of another organization's provider goes nowhere", flush=True)
        self.story.provider.knows("vera")
        victim = self.story.sign_in("vera")
        callback = f"{self.story.api.base}/api/auth/oidc/callback"
        went_to = self.attack(victim, f"{callback}/{self.story.organization}")
        assert went_to.endswith("/#sign-in=state_invalid"), went_to
        # The honest provider sends nobody to a redirect URI of others.
        for redirect in (callback, f"{callback}/{self.organization}"):
            assert self.attack(victim, redirect) == "", redirect
        assert self.story.user(victim)["username"] == "vera"


def main():
    program = browser_check.chromium()
    tools.run_with("browser")
    from playwright.sync_api import sync_playwright

    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright, end_to_end.running_stack() as stack:
        began = time.monotonic()
        organization = stack.api.call("POST", "/api/auth/login", end_to_end.LOGIN)["organizationId"]
        redirect = f"{stack.api.base}/api/auth/oidc/callback/{organization}"
        with Provider(redirect) as provider, Running("hostile") as hostile:
            browser = playwright.chromium.launch(executable_path=program, args=options)
            story = Story(browser, stack.api, provider, organization)
            story.play()
            MixUp(story, hostile, suspension.Operator(stack.log)).play()
            browser.close()
        print(f"  {time.monotonic() - began:.1f} s")
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()

"""Hostile texts in every string field of the document that a view shows"""

import contextlib
import json
import re
import urllib.parse

from playwright.sync_api import Error
from world import ROOT, end_to_end

DOCUMENT = json.loads((ROOT / "infra" / "openapi.json").read_text())
DESK = ROOT / "functions" / "pages" / "desk"
ROUTES = (DESK / "desk.js").read_text()
SECTIONS = (DESK / "views" / "settings" / "settings.js").read_text()
MARK = '<img src=x onerror="hostile=1">'
# Markup, an end of an attribute, templates, a script's address, and a word without an end.
HOSTILE = f"""{MARK}"'><script>hostile=1</script>`${{hostile=1}}{{{{hostile=1}}}}{"W" * 70}"""
ADDRESS = "javascript:hostile=1//"
# Lists that have the ids of views.
LISTS = {
    "projects": "projects", "tasks": "tasks", "alerts": "concierge/alerts", "requests": "service-requests",
    "tickets": "managed-services/tickets", "agent-sessions": "concierge/agent-sessions", "users": "users",
    "webhooks": "webhooks", "connections": "concierge/connections",
}
# The addresses are read from the scripts: fewer are found if their form changes.
FEWEST_VIEWS = 30
# Names on which the page's own requests depend, and states of found records: words of the service.
NAMES = {"actionId", "id", "digest", "excludes", "after", "unless", "status"}

# The innermost elements that are wider than the page.
WIDE = """(() => {
    const isWide = one => one.getBoundingClientRect().right > innerWidth;
    return [...document.querySelectorAll("main *")].filter(one => isWide(one) && ![...one.children].some(isWide))
        .slice(0, 5).map(one => one.parentElement.cloneNode(false).outerHTML + one.outerHTML.slice(0, 150));
})()"""


def check(world):
    session, shown = approvable(world), {}
    api = world.api("ada")
    api.call("POST", "/api/webhooks", {"url": "http://127.0.0.1:9/", "types": ["tag.created"]})
    api.call("POST", "/api/invitations", {"email": f"hostile.{world.mark}@example.com", "role": "viewer"})
    sign_in = f"/api/organizations/{api.call('GET', '/api/auth/session')['organization']['id']}/sign-in"
    with end_to_end.described_provider() as issuer:
        provider = {"issuer": issuer, "clientId": "workdesk", "clientSecret": "a secret of the test"}
        api.call("PUT", sign_in, provider)
    with world.desk("ada", width=390) as desk:
        page = desk.page
        page.route("**/api/**", lambda route: poison(route, shown))
        views = addresses(world)
        for address in views:
            desk.open(address)
            opens_all(page)
            looks_harmless(page, address)
        if session:
            desk.open(f"#/alerts/{session}")
            page.get_by_role("button", name="Preview and approve").click()
            page.locator("#preview").wait_for()
            opens_all(page)
            looks_harmless(page, "the preview")
    api.call("DELETE", sign_in, expect=204)
    print(f"    {len(views)} views, {len(shown)} fields")


def approvable(world):
    """Has alerts analysed until an action with money is proposed. Returns the alert's id."""
    api = world.api("sue")
    for alert in api.call("GET", "/api/concierge/alerts?status=open"):
        if not alert["agentSessionId"]:
            session = api.call("POST", f"/api/concierge/alerts/{alert['id']}/agent-session")["session"]["id"]
            proposed = api.call("POST", f"/api/concierge/agent-sessions/{session}/propose")["session"]["proposedActions"]
            if any(one["isAutomated"] and one["money"] and one["money"]["amount"] for one in proposed):
                return alert["id"]
    return None


def sections_of(table):
    """The names of the sections in a table of settings.js."""
    [body] = re.findall(rf"const {table} = \{{(.*?)\n?}};", SECTIONS, re.DOTALL)
    return re.findall(r"(\w+): (?:own|async)", body)


def addresses(world):
    """The address of each view of desk.js and each section of the settings, with records that exist."""
    api, found = world.api("ada"), []
    for path in re.findall(r'\["(/(?!settings)[^"]*)"', ROUTES):
        _, place, *rest = path.split("/")
        if rest:
            assert rest in ([":id"], [":session"]), path
            rows = api.call("GET", f"/api/{LISTS[place]}?limit=20")
            found += [f"#/{place}/{row['id']}" for row in (rows[0], rows[-1])]
        else:
            found.append(f"#{path}" + ("?q=in" if place == "search" else ""))
    own, shared, of_one = (sections_of(table) for table in ("OWN", "SHARED", "ONE"))
    for name in own + shared:
        found.append(f"#/settings/{name}")
        if name in of_one:
            row = api.call("GET", f"/api/{LISTS[name]}")[0]
            found.append(f"#/settings/{name}/{row['id'] if 'id' in row else row['name']}")
    assert len(found) >= FEWEST_VIEWS, found
    return found


def opens_all(page):
    for _ in range(3):
        page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
        page.evaluate("for (const one of document.querySelectorAll('.opener[aria-expanded=false]')) one.click()")
    page.wait_for_load_state("networkidle")


def looks_harmless(page, address):
    assert page.get_by_text("The page failed.").count() == 0, f"{address} fails"
    # Texts of the provider are values of inputs, and have patterns.
    assert page.get_by_text(MARK).count() > 0 or address == "#/settings/provider", f"{address} shows no hostile text"
    assert page.evaluate("typeof hostile") == "undefined", f"{address} runs a text"
    for selector in ("main img", "main script", "main iframe", "main [onerror]", "a[href^='javascript:' i]"):
        assert page.locator(selector).count() == 0, f"{address} has {selector}"
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        raise AssertionError(f"{address} is too wide: {page.evaluate(WIDE)}")


def poison(route, shown):
    """Answers a request with hostile texts in all fields that may have them."""
    request = route.request
    path = urllib.parse.urlsplit(request.url).path
    schema = schema_of(request.method.lower(), path)
    # A request of a view that the page has left has no answer any more.
    with contextlib.suppress(Error):
        answer = route.fetch()
        if schema is None or answer.status != 200 or path.endswith(("/changes", "/auth/login")):
            return route.fulfill(response=answer)
        route.fulfill(response=answer, json=poisoned(answer.json(), schema, path, shown))


def schema_of(method, path):
    """The schema of the answer of an operation."""
    for template, item in DOCUMENT["paths"].items():
        if method in item and re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template)), path):
            content = item[method]["responses"].get("200", {}).get("content", {})
            return content.get("application/json", {}).get("schema")
    return None


def parts_of(schema):
    """The schemas of which a value may be."""
    if "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        return parts_of(schema)
    several = [one for name in ("allOf", "oneOf", "anyOf") for one in schema.get(name, ())]
    return [part for one in several for part in parts_of(one)] + [schema]


def poisoned(value, schema, name, shown):
    parts = parts_of(schema)
    if isinstance(value, list):
        items = next((one["items"] for one in parts if "items" in one), {})
        return value if name in NAMES else [poisoned(one, items, name, shown) for one in value]
    if isinstance(value, dict):
        fields, others = {}, {}
        for one in parts:
            fields |= one.get("properties", {})
            others = one.get("additionalProperties") or others
        free = others if isinstance(others, dict) else {}
        return {key: poisoned(one, fields.get(key, free), key, shown) for key, one in value.items()}
    if not isinstance(value, str) or name in NAMES or any("enum" in one or "format" in one for one in parts):
        return value
    worse = ADDRESS + value if re.match(r"https?:|/|#", value) else value[:20] + HOSTILE
    texts = [one for one in parts if "string" in one.get("type", ())]
    for one in texts:
        worse = worse[: one.get("maxLength", len(worse))]
        if "pattern" in one and not fits(one["pattern"], worse):
            return value
    if texts or not schema:
        shown.setdefault(name, worse)
        return worse
    return value


def fits(pattern, text):
    """Does a text fit a pattern? The document's are those of ECMAScript."""
    return re.search(re.sub(r"\\u\{?([0-9A-Fa-f]{4,6})\}?", lambda found: re.escape(chr(int(found[1], 16))), pattern), text)

"""A tab from before a deployment: it loads itself again, once, with what was typed; else it says so"""

import re

OLD = re.compile(r"\.([0-9a-f]{16})\.(js|css|svg)")


def check(world):
    loads_itself_again(world)
    says_that_a_version_is_new(world)
    says_that_nothing_answers(world)


def deploys(desk, keeps_working=True):
    """From now on the host serves another release of the same files, and those of the old one no more."""
    page, world = desk.page, desk.world
    digest = OLD.search(page.content())[1]
    new = digest[::-1]
    assert new != digest

    def served(route):
        url = route.request.url
        if digest in url:
            return route.fulfill(status=404, body='{"code": "not_found"}', content_type="application/problem+json")
        if new in url and not keeps_working:
            return route.abort()
        answer = route.fetch(url=url.replace(new, digest))
        headers = {name: value for name, value in answer.headers.items() if name not in ("content-encoding", "etag")}
        return route.fulfill(status=answer.status, headers=headers, body=answer.text().replace(digest, new))

    page.route(re.compile(rf"^{re.escape(world.base)}(\?.*)?$"), served)
    page.route("**/desk/**", served)
    return digest, new


def loads_itself_again(world):
    task = world.api("mia").call("POST", "/api/tasks", {"title": f"Old tab {world.mark}", "projectId": 1})["id"]
    with world.desk("mia", f"#/tasks/{task}", refused={404}) as desk:
        page = desk.page
        page.get_by_label("Comment", exact=True).fill("Typed before the deployment")
        digest, new = deploys(desk)
        with page.expect_navigation():
            page.get_by_role("link", name="Tickets").click()
        page.get_by_role("heading", name="Tickets").wait_for()
        desk.settled()
        assert page.url.endswith("#/tickets"), page.url
        assert new in page.content() and digest not in page.content()
        page.goto(f"{world.base}#/tasks/{task}")
        page.get_by_text("Not saved.").wait_for()
        assert page.get_by_label("Comment", exact=True).input_value() == "Typed before the deployment"
        # Files that the page still loads are of no interest.
        page.unroute_all(behavior="ignoreErrors")


def says_that_a_version_is_new(world):
    """The reload does not help, and is not repeated for ever."""
    with world.desk("mia", "#/requests", refused={404}) as desk:
        page = desk.page
        digest, _ = deploys(desk)
        loads = []
        page.on("load", lambda: loads.append(page.url))
        # A cache in between keeps the old page for each reload.
        page.evaluate("digest => sessionStorage.setItem('loaded again for', digest)", digest[::-1])
        page.get_by_role("link", name="Tickets").click()
        page.get_by_role("alert").get_by_text("A new version is here.").wait_for()
        assert loads == [], loads
        desk.looks("new-version")
        with page.expect_navigation():
            page.get_by_role("button", name="Reload").click()
        page.get_by_role("heading", name="Tickets").wait_for()
        page.unroute_all(behavior="ignoreErrors")


def says_that_nothing_answers(world):
    """The module does not come, and the release is the same: no new version is claimed."""
    with world.desk("mia", "#/requests", refused={"ERR_FAILED", 503}) as desk:
        page = desk.page
        page.route("**/desk/views-tickets-*", lambda route: route.abort())
        page.get_by_role("link", name="Tickets").click()
        page.get_by_role("alert").get_by_text("No answer.").wait_for()
        page.unroute("**/desk/views-tickets-*")
        with page.expect_navigation():
            page.get_by_role("button", name="Try again").click()
        page.get_by_role("heading", name="Tickets").wait_for()

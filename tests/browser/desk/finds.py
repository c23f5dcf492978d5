"""What finds records in lists: tags of requests and tickets, words of titles"""

from urllib.parse import parse_qs, urlsplit

import requests
import tickets


def check(world):
    for kind in (TICKETS, REQUESTS):
        tags_one(world, *kind)
        tags_several(world, *kind)
    finds_words(world)
    finds_projects(world)
    waits_for_the_typing(world)
    filters_while_it_opens(world)


TICKETS = ("tickets", tickets.ticket, "/api/managed-services/ticket/{}", lambda read: read["ticket"])
REQUESTS = ("requests", requests.request, "/api/service-requests/{}", lambda read: read)


def tag(world, name):
    return world.api("max").call("POST", "/api/tags", {"name": f"{name} {world.mark}"})


def rows(page):
    return page.locator(".columns > li")


def names_of_tags(world, number, path, record):
    return [one["name"] for one in record(world.api("sue").call("GET", path.format(number)))["tags"]]


def tags_one(world, view, raised, path, record):
    """The page of one sets its tags, as a member may, and another browser sees them. The list filters by them."""
    number, name = raised(world, f"One of {world.mark}"), tag(world, f"of {view}")["name"]
    address = f"#/{view}/{number}"
    with world.desk("mia", address) as desk, world.desk("sue", address) as other:
        page = desk.page
        page.get_by_role("button", name="Tags: ").click()
        page.get_by_role("checkbox", name=name).check()
        desk.until(lambda: names_of_tags(world, number, path, record) == [name], "the tag")
        page.get_by_role("button", name="Close").click()
        page.get_by_label("Fields").locator(".tag", has_text=name).wait_for()
        desk.looks(f"{view}-tagged")
        other.sees(other.page.get_by_label("Fields").locator(".tag", has_text=name))
        other.page.get_by_text("History", exact=True).click()
        other.page.get_by_text(f"changed tags: added “{name}”").wait_for()
        page.goto(f"{world.base}#/{view}")
        page.get_by_label("Tag", exact=True).select_option(label=name)
        page.wait_for_url("**tagId=**")
        page.locator(".columns > li:only-child").get_by_text(f"One of {world.mark}").wait_for()
        rows(page).locator(".tag", has_text=name).wait_for()
        page.reload()
        page.locator(".columns > li:only-child").wait_for()
        desk.looks(f"{view}-by-tag")


def tags_several(world, view, raised, path, record):
    """The bar of the selected rows adds a tag to those that lack it, and one undo takes it back."""
    numbers = [raised(world, f"Several {place}") for place in "ab"]
    name = tag(world, f"many {view}")["name"]
    read = lambda: [names_of_tags(world, number, path, record) for number in numbers]
    with world.desk("sue", f"#/{view}") as desk:
        page = desk.page
        for number in numbers:
            page.locator(f"[data-select='{number}']").check()
        page.get_by_role("group", name="Selected").get_by_role("button", name="Tags").click()
        page.get_by_role("menuitem", name=name).click()
        desk.until(lambda: read() == [[name], [name]], "the tag of both")
        page.get_by_role("button", name="Undo").click()
        desk.until(lambda: read() == [[], []], "no tag of both")


def finds_words(world):
    """Each word begins a word of the title. The address keeps them, over a reload and back."""
    title = f"Déjà {world.mark} vu"
    api = world.api("mia")
    task = api.call("POST", "/api/tasks", {"title": title, "projectId": 1})["id"]
    numbers = {"tasks": task, "tickets": tickets.ticket(world, title), "requests": requests.request(world, title)}
    for view, number in numbers.items():
        with world.desk("sue", f"#/{view}") as desk:
            page = desk.page
            words = page.get_by_label("Words")
            words.press_sequentially(f"deja {world.mark}")
            page.locator(".columns > li:only-child").get_by_text(title).wait_for()
            page.locator("#said").get_by_text("1 ").wait_for()
            assert words.evaluate("one => one === document.activeElement")
            page.reload()
            desk.settled()
            assert words.input_value() == f"deja {world.mark}"
            page.locator(".columns > li:only-child").get_by_role("link", name=title).click()
            page.get_by_role("heading", name=title).wait_for()
            page.go_back()
            page.locator(".columns > li:only-child").get_by_text(title).wait_for()
            assert words.input_value() == f"deja {world.mark}"
            # The end of a word is not its beginning. Without a letter, nothing is looked for.
            words.fill("éjà")
            page.get_by_text("Nothing matches.").wait_for()
            words.fill("–")
            rows(page).nth(1).wait_for()
            desk.looks(f"{view}-words")
    # What others raise meanwhile waits above the list only if it has the words.
    with world.desk("sue", f"#/tickets?query={world.mark}%20late") as desk:
        tickets.ticket(world, f"Another {world.mark}")
        tickets.ticket(world, f"Later, {world.mark}")
        desk.sees(desk.page.get_by_role("button", name="Show 1 new ticket"))


def finds_projects(world):
    title = f"Words {world.mark}"
    made = world.api("max").call("POST", "/api/projects", {"title": title})
    with world.desk("mia", "#/projects") as desk:
        desk.page.get_by_label("Words").fill(title)
        desk.page.locator(".columns > li:only-child").get_by_text(title).wait_for()
    world.api("max").call("PATCH", f"/api/projects/{made['id']}", {"status": "archived"})


def waits_for_the_typing(world):
    """Keys in a row ask once, and Enter asks at once. A view that is left sets no filter of the next one."""
    with world.desk("sue", "#/tickets") as desk:
        page = desk.page
        asked = lambda: [one["query"] for method, url in desk.requests for one in [parse_qs(urlsplit(url).query)]
                         if "/tickets?" in url and "query" in one]
        page.get_by_label("Words").press_sequentially("abcdef", delay=20)
        page.wait_for_url("**query=abcdef")
        page.get_by_text("Nothing matches.").wait_for()
        assert asked() == [["abcdef"]], asked()
        page.get_by_label("Words").fill("abc")
        page.keyboard.press("Enter")
        page.wait_for_url("**query=abc")
        page.get_by_label("Words").press_sequentially("d")
        page.evaluate("location.hash = '#/requests'")
        page.get_by_role("heading", name="Requests").wait_for()
        page.wait_for_timeout(500)
        assert page.url.endswith("#/requests"), page.url


def filters_while_it_opens(world):
    """A filter that is set while the first rows are read is not lost."""
    with world.desk("sue") as desk:
        page = desk.page
        held = []
        page.route("**/api/managed-services/tickets?*", lambda route: held.append(route), times=1)
        page.goto(f"{world.base}#/tickets")
        page.get_by_label("Words").press_sequentially("abcdef")
        page.wait_for_url("**query=abcdef")
        desk.until(lambda: held, "the first question")
        held[0].continue_()
        page.get_by_text("Nothing matches.").wait_for()

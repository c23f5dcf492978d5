"""Search: as one types, by keyboard, never an old answer"""

import re


def check(world):
    finds_as_one_types(world)
    shows_no_old_answer(world)
    outlives_failures(world)


def finds_as_one_types(world):
    with world.desk("mia", "#/search") as desk:
        page = desk.page
        words = page.get_by_label("Words")
        assert words.evaluate("it => it === document.activeElement")
        desk.requests.clear()
        page.keyboard.type("invoi", delay=20)
        page.get_by_role("heading", name="Tickets").wait_for()
        page.wait_for_url("**#/search?q=invoi")
        asked = [url for _, url in desk.requests if "/api/search" in url]
        assert len(asked) == 1, asked
        page.keyboard.press("ArrowDown")
        first = page.evaluate("document.activeElement.textContent")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.textContent") != first
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        assert words.evaluate("it => it === document.activeElement")
        desk.looks("search")
        page.get_by_label("Type").select_option("ticket_message")
        page.wait_for_url("**type=ticket_message")
        page.get_by_role("heading", name="Tickets").wait_for(state="detached")
        page.get_by_role("link", name=re.compile("A usage batch got stuck")).click()
        page.get_by_role("heading", name="Usage of October is missing from the invoice").wait_for()
        page.go_back()
        page.get_by_role("link", name=re.compile("A usage batch got stuck")).wait_for()
        assert words.input_value() == "invoi"
        words.fill("nothing has these words")
        page.locator("main").get_by_text("Nothing found.").wait_for()
        words.fill("...")
        page.locator("main").get_by_text("Nothing found.").wait_for(state="detached")
    with world.desk("mia", "#/search?q=wrong+invoice&type=ticket", width=390) as desk:
        page = desk.page
        page.get_by_role("link", name="Wrong address on an invoice").wait_for()
        page.get_by_label("Words").press("Enter")
        page.get_by_role("heading", name="Wrong address on an invoice").wait_for()


def shows_no_old_answer(world):
    """The answer to other words comes late, and is not shown."""
    with world.desk("mia", "#/search") as desk:
        page = desk.page
        held = []
        page.route(re.compile("query=portal"), lambda route: held.append(route))
        words = page.get_by_label("Words")
        words.fill("portal")
        page.wait_for_url("**q=portal")
        words.fill("kestrel")
        page.get_by_role("link", name=re.compile("Test invoices for Kestrel Air")).wait_for()
        for route in held:
            route.continue_()
        page.wait_for_timeout(300)
        assert page.get_by_text("Customer portal").count() == 0


def outlives_failures(world):
    refused = {401, 429, 500, 503, "ERR_CONNECTION_RESET"}
    with world.desk("mia", "#/search", refused=refused) as desk:
        page = desk.page
        words = page.get_by_label("Words")
        desk.fails("GET", "/api/search", 503, None, 429)
        words.fill("kestrel")
        page.get_by_role("link", name=re.compile("Test invoices")).wait_for()
        desk.fails("GET", "/api/search", 500)
        words.fill("portal")
        page.get_by_role("alert").get_by_role("button", name="Try again").click()
        page.get_by_role("link", name=re.compile("Customer portal")).wait_for()
        desk.ends_before("/api/search")
        words.fill("kestrel")
        desk.signs_in()
        page.get_by_role("link", name=re.compile("Test invoices")).wait_for()
        assert words.input_value() == "kestrel"

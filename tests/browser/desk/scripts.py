"""Input methods, scripts from the right, odd addresses, years of five digits, a slow clock"""

ADDRESSES = ("#/tasks/%E0%A4%A", "#/50%", "#/settings/%zz", "#/%", "#/tasks/%", "#/tickets/%C3", "#/a/b/c/d", "#//")
NAME = "Maël Roux"
# What the API finds behind an "@", and what is none.
MENTIONS = ["@ma", "Ask @ma", "交给@ma", "お願い＠ma", "김@ma", "ถาม@ma", "(@ma"]
NO_MENTIONS = ["mail@ma", "9@ma", "ä@ma"]


def check(world):
    leads_to_a_page(world)
    leaves_keys_to_input_methods(world)
    offers_names_as_the_service_finds_them(world)
    takes_no_year_of_five_digits(world)
    knows_the_servers_time(world)
    runs_from_the_right(world)


def leads_to_a_page(world):
    """A cut link says that there is no such page, and the page works on."""
    for address in ADDRESSES:
        with world.desk("mia", address, refused={400, 404}) as desk:
            page = desk.page
            page.locator("main h1").wait_for()
            assert page.locator("main").inner_text().strip(), address
            page.get_by_role("link", name="Tickets").click()
            page.get_by_role("heading", name="Tickets").wait_for()
            desk.settled()
            page.evaluate("address => (location.hash = address)", address)
            page.get_by_role("heading", name="Tickets").wait_for(state="detached")


def composes(page, text):
    """Writes by an input method, and leaves its composition open."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
    return devtools


def presses(devtools, key, code):
    """A key that the input method takes: browsers mark it by the code 229."""
    event = {"key": key, "code": key, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code}
    devtools.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **event})
    devtools.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})


def leaves_keys_to_input_methods(world):
    task = world.api("mia").call("POST", "/api/tasks", {"title": f"IME {world.mark}", "projectId": 1})["id"]
    with world.desk("mia", f"#/tasks/{task}") as desk:
        page = desk.page
        area = page.get_by_label("Comment", exact=True)
        area.click()
        page.keyboard.type("@ma")
        page.get_by_role("listbox", name="People").wait_for()
        # Enter ends the composition, and takes no name.
        devtools = composes(page, "交给")
        presses(devtools, "Enter", 229)
        presses(devtools, "Escape", 229)
        assert "@ma" in area.input_value() and "@max " not in area.input_value(), area.input_value()
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        # The board's keys, the search and the title's Escape.
        page.goto(f"{world.base}#/search?q=a")
        desk.settled()
        page.get_by_label("Words").click()
        devtools = composes(page, "計画")
        presses(devtools, "Enter", 229)
        presses(devtools, "ArrowDown", 229)
        assert "#/search" in page.url, page.url
        assert page.evaluate("document.activeElement.name") == "q"


def offers_names_as_the_service_finds_them(world):
    ada = world.api("ada")
    user = {"username": f"mael{world.mark}", "fullName": NAME, "role": "member", "password": "words of mael roux"}
    ada.call("POST", "/api/users", user)
    task = world.api("mia").call("POST", "/api/tasks", {"title": f"Names {world.mark}", "projectId": 1})["id"]
    with world.desk("mia", f"#/tasks/{task}") as desk:
        page = desk.page
        area, names = page.get_by_label("Comment", exact=True), page.get_by_role("listbox", name="People")
        for text in MENTIONS:
            area.fill("")
            area.press_sequentially(text)
            names.get_by_text(NAME).wait_for()
        for text in NO_MENTIONS:
            area.fill("")
            area.press_sequentially(text)
            page.wait_for_timeout(100)
            assert not names.is_visible(), text
        area.fill("")
        area.press_sequentially("交给＠ｍａｅｌ")
        names.get_by_text(NAME).click()
        assert area.input_value() == f"交给＠mael{world.mark} ", area.input_value()
        area.fill("")


def takes_no_year_of_five_digits(world):
    task = world.api("mia").call("POST", "/api/tasks", {"title": f"Years {world.mark}", "projectId": 1})["id"]
    with world.desk("mia", f"#/tasks/{task}") as desk:
        page = desk.page
        page.get_by_role("button", name="Due: None").click()
        due = page.get_by_label("Due", exact=True)
        for year in ("20260", "275760"):
            due.evaluate("(one, value) => (one.value = value)", f"{year}-05-06")
            page.get_by_role("button", name="Save", exact=True).click()
            page.get_by_text("Send a year of four digits").wait_for()
        due.fill("2031-05-06")
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("button", name="Due: 6 May 2031").wait_for()


def knows_the_servers_time(world):
    """A clock that is four minutes slow, and one that is an hour fast: what happened just now was just now."""
    task = world.api("mia").call("POST", "/api/tasks", {"title": f"Clock {world.mark}", "projectId": 1})["id"]
    for minutes in (-4, 60):
        with world.desk("mia") as desk:
            page = desk.page
            shift = f"{{ const now = Date.now; Date.now = () => now() + {minutes * 60_000}; }}"
            page.add_init_script(shift)
            desk.open(f"#/tasks/{task}")
            page.get_by_label("Comment", exact=True).fill(f"By a clock {minutes} minutes off")
            page.get_by_role("button", name="Comment", exact=True).click()
            row = page.get_by_role("listitem").filter(has_text=f"{minutes} minutes off")
            row.get_by_text("just now").wait_for()
            assert "in " not in row.locator("time").inner_text()


def runs_from_the_right(world):
    """A text runs from the side of its own script; words of the page around it keep their order."""
    title = "עברית (2026): דחוף!"
    api = world.api("mia")
    task = api.call("POST", "/api/tasks", {"title": title, "description": title, "projectId": 1})["id"]
    api.call("POST", f"/api/tasks/{task}/comments", {"content": title})
    # The left edge of the last character against that of the first one.
    side = """element => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const text = walker.nextNode();
        const at = index => {
            const range = document.createRange();
            range.setStart(text, index);
            range.setEnd(text, index + 1);
            return range.getBoundingClientRect().left;
        };
        return at(0) - at(text.length - 1);
    }"""
    with world.desk("mia", f"#/tasks/{task}") as desk:
        page = desk.page
        for element in (page.locator("h1"), page.locator(".described .text"), page.locator(".thread .text")):
            assert element.evaluate(side) > 0, element.inner_text()
        page.get_by_role("button", name="Edit title").click()
        assert page.get_by_label("Title").evaluate("one => getComputedStyle(one).direction") == "rtl"
        page.get_by_role("button", name="Cancel").click()
        desk.looks("right-to-left")
        desk.open("#/projects/1")
        assert page.locator(".card > a", has_text="עברית").first.evaluate(side) > 0
    api.call("PATCH", f"/api/tasks/{task}", {"status": "cancelled"})

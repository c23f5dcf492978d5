"""The board: cards move by mouse, keyboard and list; changes of others appear; open work comes first"""

import concurrent.futures

# The place of the first card in the view, and the most that may be above it, in pixels.
FIRST_CARD = """document.querySelector(".card").getBoundingClientRect().top
    - document.querySelector("main").getBoundingClientRect().top"""
MOST_ABOVE_CARDS = 110


def check(world):
    project = a_project(world, "Board of tests")
    looks_and_filters(world, project)
    adds(world, project)
    moves_in_both_browsers(world, project)
    moves_by_keyboard_and_list(world, project)
    refuses(world, project)
    counts_milestones_whatever_is_shown(world, project)
    shows_open_work_first(world)
    changes_what_it_is_made_of(world)
    adds_many(world)
    lists_projects(world, project)
    world.api("max").call("PATCH", f"/api/projects/{project['id']}", {"status": "archived"})


def a_project(world, title):
    """Makes a project with phases, milestones and tasks. Returns the ids of all."""
    api = world.api("max")
    title = f"{title} {world.mark}"
    project = api.call("POST", "/api/projects", {"title": title})["id"]
    phase = api.call("POST", f"/api/projects/{project}/phases", {"title": "Prepare"})["id"]
    milestone = {"projectId": project, "startDate": "2026-10-01T00:00:00Z", "dueDate": "2027-02-01T00:00:00Z"}
    milestone = api.call("POST", "/api/milestones", {"title": "Pilot", **milestone})["id"]
    made = [
        {"title": "Write the plan", "status": "todo", "phaseId": phase, "assigneeId": 4},
        {"title": "Ask the customers", "status": "todo", "priority": "urgent", "milestoneId": milestone},
        {"title": "Choose the pilot", "status": "in_progress", "dueDate": "2026-01-31T12:00:00Z"},
    ]
    tasks = [api.call("POST", "/api/tasks", {"projectId": project, **one})["id"] for one in made]
    ids = {"id": project, "phase": phase, "milestone": milestone, "tasks": tasks}
    return {"title": title, "address": f"#/projects/{project}", **ids}


def cards(page, status):
    return page.get_by_role("list", name=status, exact=True).locator(".card > a").all_inner_texts()


def wait_for_cards(page, status, titles):
    """Waits until a column has exactly these cards."""
    page.wait_for_function(
        """([status, titles]) => {
            const found = document.querySelectorAll(`.cards[aria-label="${status}"] .card > a`);
            return JSON.stringify([...found].map(one => one.textContent)) === JSON.stringify(titles);
        }""",
        arg=[status, titles],
    )


def unfolds(page, status):
    page.get_by_role("button", name=status, exact=True).click()


def looks_and_filters(world, project):
    with world.desk("mia", project["address"]) as desk:
        page = desk.page
        wait_for_cards(page, "Todo", ["Write the plan", "Ask the customers"])
        page.get_by_text("3 tasks, 0 done").wait_for()
        top = page.evaluate(FIRST_CARD)
        assert top <= MOST_ABOVE_CARDS, f"the cards begin {top} px below the top"
        desk.looks("board")
        page.get_by_label("Milestone", exact=True).select_option("Pilot")
        wait_for_cards(page, "Todo", ["Ask the customers"])
        assert f"milestone={project['milestone']}" in page.url
        page.reload()
        desk.settled()
        wait_for_cards(page, "Todo", ["Ask the customers"])
        page.get_by_label("Milestone", exact=True).select_option("All milestones")
        page.get_by_label("Phase", exact=True).select_option("Prepare")
        wait_for_cards(page, "Todo", ["Write the plan"])


def adds(world, project):
    with world.desk("mia", project["address"], refused=(503,)) as desk:
        page = desk.page
        name = page.get_by_label("Add a task")
        name.fill("Invite the pilots")
        page.reload()
        desk.settled()
        assert name.input_value() == "Invite the pilots"
        # The create is done, and its answer is lost: there is one task.
        desk.refused.update({"ERR_CONNECTION_RESET"})
        desk.is_answered_too_late("POST", "/api/tasks$")
        name.press("Enter")
        wait_for_cards(page, "Todo", ["Write the plan", "Ask the customers", "Invite the pilots"])
        page.wait_for_function("() => document.querySelector('.quick-add input').value === ''")
        listed = world.api("mia").call("GET", f"/api/projects/{project['id']}/tasks")
        assert len(listed) == 4, listed
        name.press("Enter")
        page.get_by_text("Fill this in.").wait_for()


def moves_in_both_browsers(world, project):
    """A card that is dragged in one browser appears in the other."""
    with world.desk("mia", project["address"]) as desk, world.desk("sue", project["address"], width=390) as other:
        page = desk.page
        card = page.locator(".card", has_text="Ask the customers")
        card.drag_to(page.locator(".card", has_text="Choose the pilot"), target_position={"x": 40, "y": 5})
        moved = ["Ask the customers", "Choose the pilot"]
        wait_for_cards(page, "In progress", moved)
        wait_for_cards(other.page, "In progress", moved)
        # Into an empty column.
        page.locator(".card", has_text="Ask the customers").drag_to(page.get_by_role("region", name="Blocked"))
        blocked = other.page.get_by_role("list", name="Blocked", exact=True)
        other.sees(blocked.get_by_role("link", name="Ask the customers"))
        # Back by the list of the card, on a phone.
        other.page.get_by_label("Move Ask the customers").click()
        other.page.get_by_role("menuitem", name="In review").click()
        desk.sees(page.get_by_role("list", name="In review").get_by_role("link", name="Ask the customers"))
        # A deleted task disappears.
        gone = world.api("max").call("POST", "/api/tasks", {"title": "A mistake", "projectId": project["id"]})["id"]
        other.sees(other.page.get_by_role("link", name="A mistake"))
        world.api("max").call("DELETE", f"/api/tasks/{gone}", expect=204)
        other.looks_up()
        other.page.get_by_role("link", name="A mistake").wait_for(state="detached")


def moves_by_keyboard_and_list(world, project):
    with world.desk("mia", project["address"]) as desk:
        page = desk.page
        wait_for_cards(page, "Todo", ["Write the plan", "Invite the pilots"])
        page.get_by_role("link", name="Write the plan").focus()
        page.keyboard.press("Alt+ArrowDown")
        wait_for_cards(page, "Todo", ["Invite the pilots", "Write the plan"])
        page.keyboard.press("Alt+ArrowRight")
        wait_for_cards(page, "In progress", ["Choose the pilot", "Write the plan"])
        page.keyboard.press("Alt+ArrowUp")
        wait_for_cards(page, "In progress", ["Write the plan", "Choose the pilot"])
        page.get_by_text("Write the plan: In progress, 1 of 2").wait_for()
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.textContent") == "Choose the pilot"
        page.keyboard.press("ArrowLeft")
        assert page.evaluate("document.activeElement.textContent") == "Invite the pilots"
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Move Invite the pilots"
        # A key on the button moves nothing.
        page.keyboard.press("b")
        page.keyboard.press("Enter")
        # Moves are sent one after the other: this one is the last.
        with page.expect_response(lambda one: one.request.method == "PATCH"):
            page.keyboard.press("d")
        # Columns of what is over are folded at first.
        assert cards(page, "Done") == []
        unfolds(page, "Done")
        wait_for_cards(page, "Done", ["Invite the pilots"])
        # The service has the same order.
        rows = world.api("mia").call("GET", f"/api/projects/{project['id']}/tasks?status=in_progress,done")
        assert [row["title"] for row in rows if row["status"] == "in_progress"] == ["Write the plan", "Choose the pilot"]
        assert [row["title"] for row in rows if row["status"] == "done"] == ["Invite the pilots"]


def refuses(world, project):
    """A move that fails goes back and says so; a viewer cannot move."""
    with world.desk("mia", project["address"], refused=(429, 500)) as desk:
        page = desk.page
        desk.fails("POST", r"/tasks/\d+/move", 429, 500)
        page.get_by_role("link", name="Write the plan").focus()
        page.keyboard.press("Alt+ArrowDown")
        page.get_by_text("Write the plan was not moved.").wait_for()
        wait_for_cards(page, "In progress", ["Write the plan", "Choose the pilot"])
        page.get_by_role("button", name="Try again").click()
        wait_for_cards(page, "In progress", ["Choose the pilot", "Write the plan"])
        page.get_by_text("was not moved").wait_for(state="detached")
    with world.desk("vic", project["address"]) as desk:
        page = desk.page
        page.get_by_text("Members and above may do this.").wait_for()
        assert page.get_by_role("button", name="Add").get_attribute("aria-disabled") == "true"
        assert page.locator("[draggable=true]").count() == 0
        desk.looks("board-of-a-viewer")


def lists_projects(world, project):
    title = f"A project by a page {world.mark}"
    with world.desk("max", "#/projects") as desk:
        page = desk.page
        page.get_by_role("link", name=project["title"]).wait_for()
        desk.looks("projects")
        page.get_by_role("button", name="New project").click()
        page.get_by_role("dialog").get_by_label("Title").fill(title)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=title).wait_for()
        page.get_by_text("This project has no tasks yet.").wait_for()
        made = int(page.url.rsplit("/", 1)[1])
        page.go_back()
        page.get_by_role("link", name=title).wait_for()
        world.api("max").call("PATCH", f"/api/projects/{made}", {"status": "archived"})
        page.get_by_label("Status").select_option("archived")
        page.get_by_role("link", name=title).wait_for()
        page.get_by_role("link", name=project["title"]).wait_for(state="detached")


def counts_milestones_whatever_is_shown(world, project):
    """A milestone counts all of its tasks, also those that a filter leaves out."""
    api = world.api("max")
    of = {"projectId": project["id"], "milestoneId": project["milestone"]}
    tasks = [api.call("POST", "/api/tasks", {"title": f"Part {number}", **of})["id"] for number in range(3)]
    api.call("PATCH", f"/api/tasks/{tasks[0]}", {"status": "done", "phaseId": project["phase"]})
    with world.desk("mia", f"{project['address']}?phase={project['phase']}") as desk:
        page = desk.page
        page.get_by_role("button", name="Milestones", exact=True).click()
        page.locator(".timeline").get_by_text("1 of 4 done").wait_for()
        api.call("PATCH", f"/api/tasks/{tasks[1]}", {"status": "done"})
        desk.sees(page.locator(".timeline").get_by_text("2 of 4 done"))
        api.call("DELETE", f"/api/tasks/{tasks[2]}", expect=204)
        desk.sees(page.locator(".timeline").get_by_text("2 of 3 done"))
    for task in tasks[:2]:
        api.call("DELETE", f"/api/tasks/{task}", expect=204)


def changes_what_it_is_made_of(world):
    """Title, status, description, phases, milestones and tags, where they are seen. What another one changes stays."""
    project = a_project(world, "Parts of tests")
    api = world.api("max")
    with world.desk("max", project["address"], refused=(412,)) as desk:
        page = desk.page
        page.get_by_role("button", name="Project parts").click()
        section = lambda name: page.locator(".setup section").filter(has=page.get_by_role("heading", name=name))
        own, phases, milestones = section("Project"), section("Phases"), section("Milestones")
        own.get_by_role("button", name="Title: ").click()
        own.get_by_label("Title").fill(f"Renamed {world.mark}")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=f"Renamed {world.mark}").wait_for()
        own.get_by_role("button", name="Status: Active").click()
        own.get_by_label("Status").select_option("on_hold")
        own.get_by_role("button", name="Status: On hold").wait_for()
        own.get_by_role("button", name="Add a description").click()
        own.get_by_label("Description").fill("In **two** parts.")
        page.keyboard.press("Control+Enter")
        own.locator("strong", has_text="two").wait_for()
        # The second is typed and sent while the first is under way.
        held, path = [], "**/api/projects/*/phases"
        page.route(path, lambda route: held.append(route) if route.request.method == "POST" and not held
                   else route.continue_())
        phases.get_by_label("Add a phase").fill("Move")
        with page.expect_request(lambda request: request.method == "POST"):
            page.keyboard.press("Enter")
        phases.get_by_label("Add a phase").fill("Look after")
        page.keyboard.press("Enter")
        held[0].continue_()
        for title in ("Move", "Look after"):
            phases.get_by_role("button", name=f"Title: {title}").wait_for()
        page.unroute(path)
        phases.get_by_role("button", name="Move up: Look after").click()
        page.get_by_text("Look after: 2 of 3").wait_for()
        titles = [one["title"] for one in api.call("GET", f"/api/projects/{project['id']}/phases")]
        assert titles == ["Prepare", "Look after", "Move"], titles
        phases.get_by_role("button", name="Title: Move").click()
        phases.get_by_label("Title").fill("Move all")
        page.keyboard.press("Enter")
        phases.get_by_role("button", name="Title: Move all").wait_for()
        milestones.get_by_label("Add a milestone").fill("Sprint 12")
        milestones.get_by_label("Due", exact=True).fill("2030-03-01")
        page.keyboard.press("Enter")
        row = milestones.get_by_role("listitem").filter(has_text="Sprint 12")
        row.get_by_role("button", name="Due: 1 Mar 2030").wait_for()
        row.get_by_role("button", name="Status: Pending").click()
        row.get_by_label("Status").select_option("in_progress")
        row.get_by_role("button", name="Status: In progress").wait_for()
        page.get_by_role("button", name="Milestones", exact=True).click()
        page.locator(".timeline").get_by_text("Sprint 12").wait_for()
        desk.looks("board-setup")
        # Another one changes the same field just before.
        phases.get_by_role("button", name="Title: Prepare").click()
        phases.get_by_label("Title").fill("Mine")
        api.call("PATCH", f"/api/phases/{project['phase']}", {"title": "Theirs"})
        page.keyboard.press("Enter")
        phases.get_by_role("alert").get_by_text("Theirs", exact=True).nth(1).wait_for()
        phases.get_by_role("button", name="Save yours").click()
        phases.get_by_role("button", name="Title: Mine").wait_for()
        # A deletion can be taken back.
        phases.get_by_role("button", name="Delete Move all").click()
        phases.get_by_role("button", name="Title: Move all").wait_for(state="detached")
        page.get_by_role("button", name="Undo").click()
        phases.get_by_role("button", name="Title: Move all").wait_for()
        tags = section("Tags of the organization")
        tags.get_by_label("Add a tag").fill(f"tag {world.mark}")
        page.keyboard.press("Enter")
        tags.get_by_role("button", name=f"Name: tag {world.mark}").wait_for()
    with world.desk("vic", project["address"]) as desk:
        page = desk.page
        page.get_by_role("button", name="Project parts").click()
        page.locator(".setup").get_by_text("Sprint 12").wait_for()
        assert page.locator(".setup li button:not([aria-disabled])").count() == 0
    api.call("PATCH", f"/api/projects/{project['id']}", {"status": "archived"})


def adds_many(world):
    """Enter takes the next title at once. One that fails stays, and those behind it, also over a reload."""
    project = a_project(world, "Many of tests")
    with world.desk("mia", project["address"], refused=(500,)) as desk:
        page = desk.page
        name = page.get_by_label("Add a task")
        name.click()
        for title in ("One", "Two", "Three"):
            page.keyboard.type(title)
            page.keyboard.press("Enter")
        wait_for_cards(page, "Todo", ["Write the plan", "Ask the customers", "One", "Two", "Three"])
        desk.fails("POST", "/api/tasks$", 500)
        name.fill("Four")
        page.keyboard.press("Enter")
        page.keyboard.type("Five")
        page.keyboard.press("Enter")
        page.get_by_text("Four was not added.").wait_for()
        page.reload()
        desk.settled()
        page.get_by_text("2 tasks were not added").wait_for()
        page.get_by_role("button", name="Add now").click()
        wait_for_cards(page, "Todo", ["Write the plan", "Ask the customers", "One", "Two", "Three", "Four", "Five"])
        page.get_by_text("were not added").wait_for(state="detached")
    world.api("max").call("PATCH", f"/api/projects/{project['id']}", {"status": "archived"})


DONE, OPEN_TASKS, SHOWN = 1_010, 50, 50


def shows_open_work_first(world):
    """A project of many years: 1,010 tasks are done, and 50 open ones come after them."""
    api = world.api("max")
    project = api.call("POST", "/api/projects", {"title": f"Many years {world.mark}"})["id"]

    def makes(number):
        status = "done" if number < DONE else ("todo", "in_progress")[number % 2]
        api.call("POST", "/api/tasks", {"title": f"Task {number}", "projectId": project, "status": status})

    # The done ones have the lower orders.
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(makes, range(DONE)))
        list(pool.map(makes, range(DONE, DONE + OPEN_TASKS)))
    with world.desk("mia", f"#/projects/{project}") as desk:
        page = desk.page
        page.get_by_text(f"{DONE + OPEN_TASKS:,} tasks, {DONE:,} done").wait_for()
        column = lambda name: page.get_by_role("region", name=name, exact=True)
        for name, number in (("Todo", OPEN_TASKS // 2), ("In progress", OPEN_TASKS // 2)):
            assert column(name).locator(".card").count() == number, name
            assert column(name).locator(".count").inner_text() == str(number), name
        done = column("Done")
        assert done.locator(".count").inner_text() == f"{DONE:,}"
        assert done.locator(".card").count() == 0
        unfolds(page, "Done")
        assert done.locator(".card").count() == SHOWN
        desk.looks("board-old")
        # A task that another one ends counts at once, and none is counted twice.
        first = column("Todo").locator(".card > a").first.get_attribute("href").rsplit("/", 1)[1]
        api.call("PATCH", f"/api/tasks/{first}", {"status": "done"})
        desk.sees(page.get_by_text(f"{DONE + OPEN_TASKS:,} tasks, {DONE + 1:,} done"))
        done.get_by_role("button", name="Show all").click()
        desk.until(lambda: done.locator(".card").count() == DONE + 1, "all that is done")
        done.get_by_role("button", name="Show all").wait_for(state="detached")
    api.call("PATCH", f"/api/projects/{project}", {"status": "archived"})

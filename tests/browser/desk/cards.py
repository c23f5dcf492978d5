"""Cards: filters of a board, columns that fold, a task beside its board, drag by a finger"""

import board


def check(world):
    project = board.a_project(world, "Cards of tests")
    filters(world, project)
    folds(world, project)
    opens_beside_the_board(world, project)
    drags_by_a_finger(world, project)
    keeps_files_out(world, project)
    world.api("max").call("PATCH", f"/api/projects/{project['id']}", {"status": "archived"})


def filters(world, project):
    """By person, me, priority, tag and words; the address has them; what is added under them is seen."""
    api = world.api("max")
    tag = api.call("POST", "/api/tags", {"name": f"pilot {world.mark}"})
    api.call("POST", f"/api/tasks/{project['tasks'][2]}/tags", {"tagId": tag["id"]}, expect=204)
    with world.desk("mia", project["address"]) as desk:
        page = desk.page
        card = page.locator(".card", has_text="Choose the pilot")
        card.get_by_text(f"#{project['tasks'][2]}", exact=True).wait_for()
        card.get_by_text(tag["name"], exact=True).wait_for()
        page.get_by_label("Assignee", exact=True).select_option("Me")
        board.wait_for_cards(page, "Todo", ["Write the plan"])
        board.wait_for_cards(page, "In progress", [])
        page.locator("#said").get_by_text("1 task, 0 done.").wait_for()
        assert "assigneeId=me" in page.url, page.url
        page.get_by_label("Add a task").fill("Mine at once")
        page.keyboard.press("Enter")
        board.wait_for_cards(page, "Todo", ["Write the plan", "Mine at once"])
        page.get_by_label("Priority", exact=True).select_option("Urgent")
        board.wait_for_cards(page, "Todo", [])
        page.get_by_label("Assignee", exact=True).select_option("Anyone")
        board.wait_for_cards(page, "Todo", ["Ask the customers"])
        page.reload()
        desk.settled()
        board.wait_for_cards(page, "Todo", ["Ask the customers"])
        page.get_by_role("button", name="Clear filters").click()
        page.get_by_label("Words").fill("PLAN wri")
        board.wait_for_cards(page, "Todo", ["Write the plan"])
        assert page.get_by_label("Words").evaluate("one => one === document.activeElement")
        page.get_by_label("Words").fill(f"#{project['tasks'][1]}")
        board.wait_for_cards(page, "Todo", ["Ask the customers"])
        page.get_by_role("button", name="Clear filters").click()
        assert page.get_by_label("Words").input_value() == ""
        page.get_by_label("Tag", exact=True).select_option(tag["name"])
        board.wait_for_cards(page, "Todo", [])
        board.wait_for_cards(page, "In progress", ["Choose the pilot"])
        desk.looks("board-filtered")
    # A person who is in the address and in no list any more is still a choice.
    with world.desk("mia", f"{project['address']}?assigneeId=999999") as desk:
        assert desk.page.get_by_label("Assignee", exact=True).input_value() == "999999"


def folds(world, project):
    """Done and Cancelled are folded at first. The browser keeps what was folded."""
    with world.desk("mia", project["address"]) as desk:
        page = desk.page
        head = lambda name: page.get_by_role("button", name=name, exact=True)
        for name, is_open in (("Todo", "true"), ("Done", "false"), ("Cancelled", "false")):
            assert head(name).get_attribute("aria-expanded") == is_open, name
        head("Todo").click()
        head("Done").press("Enter")
        board.wait_for_cards(page, "Todo", [])
        desk.looks("board-folded")
        page.reload()
        desk.settled()
        assert head("Todo").get_attribute("aria-expanded") == "false"
        assert head("Done").get_attribute("aria-expanded") == "true"
        # A folded column takes cards.
        page.locator(".card", has_text="Choose the pilot").drag_to(page.get_by_role("region", name="Cancelled"))
        board.wait_for_cards(page, "In progress", [])
        head("Cancelled").click()
        board.wait_for_cards(page, "Cancelled", ["Choose the pilot"])
        page.get_by_role("link", name="Choose the pilot").focus()
        page.keyboard.press("s")
        page.get_by_role("menuitem", name="In progress").click()
        board.wait_for_cards(page, "In progress", ["Choose the pilot"])
        head("Todo").click()
        board.wait_for_cards(page, "Todo", ["Write the plan", "Ask the customers", "Mine at once"])


def opens_beside_the_board(world, project):
    """A card opens over the board: fields change there, drafts are those of the page, and the place is kept."""
    task = project["tasks"][0]
    with world.desk("mia", project["address"]) as desk:
        page = desk.page
        panel = page.get_by_role("group", name="Task")
        card = page.get_by_role("link", name="Write the plan")
        card.press("Enter")
        panel.get_by_role("heading", name="Write the plan").wait_for()
        assert f"task={task}" in page.url, page.url
        panel.get_by_role("button", name="Priority: Medium").wait_for()
        desk.looks("board-panel")
        # A key of a field acts on the open task.
        page.keyboard.press("p")
        panel.get_by_label("Priority", exact=True).select_option("High")
        panel.get_by_role("button", name="Priority: High").wait_for()
        page.locator(".card", has_text="Write the plan").get_by_text("High").wait_for()
        panel.get_by_label("Comment", exact=True).fill("Half a thought")
        # Another card takes its place, with its own draft.
        page.get_by_role("link", name="Choose the pilot").click(position={"x": 5, "y": 5})
        panel.get_by_role("heading", name="Choose the pilot").wait_for()
        assert panel.get_by_label("Comment", exact=True).input_value() == ""
        page.keyboard.press("Escape")
        panel.wait_for(state="hidden")
        page.wait_for_function("() => document.activeElement.textContent === 'Choose the pilot'")
        assert "task=" not in page.url, page.url
        card.click()
        panel.get_by_role("heading", name="Write the plan").wait_for()
        assert panel.get_by_label("Comment", exact=True).input_value() == "Half a thought"
        # The address opens it, and the page of the task has the same draft.
        page.reload()
        desk.settled()
        panel.get_by_role("heading", name="Write the plan").wait_for()
        panel.get_by_role("link", name="Open the page").click()
        page.get_by_role("heading", name="Write the plan", level=1).wait_for()
        assert page.get_by_label("Comment", exact=True).input_value() == "Half a thought"
        page.get_by_role("button", name="Discard").click()
        page.go_back()
        panel.get_by_role("heading", name="Write the plan").wait_for()
        panel.get_by_role("button", name="Close").click()
        panel.wait_for(state="hidden")
    gone = world.api("max").call("POST", "/api/tasks", {"title": "A slip", "projectId": project["id"]})["id"]
    with world.desk("max", project["address"]) as desk:
        page = desk.page
        page.get_by_role("link", name="A slip").click()
        page.get_by_role("group", name="Task").get_by_role("button", name="Delete").click()
        page.get_by_role("group", name="Task").wait_for(state="hidden")
        page.get_by_role("link", name="A slip").wait_for(state="detached")
        page.get_by_role("button", name="Undo").click()
        page.get_by_role("link", name="A slip").wait_for()
    world.api("max").call("DELETE", f"/api/tasks/{gone}", expect=204)


def drags_by_a_finger(world, project):
    """A long press lifts a card. A short one opens it, and a move before scrolls."""
    with world.desk("mia", project["address"], width=390) as desk:
        page = desk.page
        devtools = page.context.new_cdp_session(page)
        devtools.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
        card = page.locator(".card", has_text="Write the plan")
        card.scroll_into_view_if_needed()

        def touch(kind, *points):
            devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        middle = lambda box: {"x": box["x"] + box["width"] / 2, "y": box["y"] + 8}
        start = middle(card.bounding_box())
        other = page.locator(".card", has_text="Mine at once")
        touch("touchStart", start)
        page.wait_for_selector(".card.lifted")
        box = other.bounding_box()
        end = {"x": start["x"], "y": box["y"] + box["height"] - 4}
        touch("touchMove", {"x": start["x"], "y": (start["y"] + end["y"]) / 2})
        touch("touchMove", end)
        page.wait_for_selector(".lands, .lands-last")
        touch("touchEnd")
        board.wait_for_cards(page, "Todo", ["Ask the customers", "Mine at once", "Write the plan"])
        page.wait_for_selector(".card.lifted", state="detached")
        assert page.url.endswith(project["address"]), page.url
        rows = lambda: world.api("mia").call("GET", f"/api/projects/{project['id']}/tasks?status=todo")
        desk.until(lambda: [row["title"] for row in rows()][-1] == "Write the plan", "the move")


def keeps_files_out(world, project):
    """A file that is dropped on the page does not replace it."""
    with world.desk("mia", project["address"]) as desk:
        taken = desk.page.evaluate("""() => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["x"], "x.txt"));
            const at = { dataTransfer, bubbles: true, cancelable: true };
            return ["dragover", "drop"].map(type => !document.body.dispatchEvent(new DragEvent(type, at)));
        }""")
        assert taken == [True, True], taken

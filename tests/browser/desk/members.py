"""Members: a project that its members alone see"""

import re


def check(world):
    number = creates_one(world)
    members_come_and_go(world, number)
    opens_it(world, number)


def title(world):
    return f"Secret {world.mark}"


def setup(page):
    page.get_by_role("button", name=re.compile("milestones|Setup|parts", re.I)).first.click()
    page.locator(".setup details > summary").get_by_text("Members").click()


def creates_one(world):
    """Its creator sees who is a member. Others do not find it."""
    with world.desk("max", "#/projects") as desk, world.desk("vic", "#/projects", refused={404}) as other:
        page = desk.page
        page.get_by_role("button", name="New project").click()
        page.get_by_label("Title").fill(title(world))
        page.get_by_label("Seen by").select_option(label="Members alone")
        page.get_by_role("button", name="Create").click()
        page.wait_for_url(re.compile(r"#/projects/\d+"))
        number = int(page.url.rsplit("/", 1)[1])
        setup(page)
        page.locator(".setup details li").get_by_text("Max Okafor").first.wait_for()
        desk.looks("project-members")
        page.goto(f"{world.base}#/projects")
        row = page.locator(".columns > li").filter(has_text=title(world))
        row.get_by_text("Members alone").wait_for()
        desk.looks("projects-restricted")
        other.page.get_by_role("link", name="Billing migration").wait_for()
        assert other.page.get_by_text(title(world)).count() == 0
        other.page.goto(f"{world.base}#/projects/{number}")
        other.page.get_by_text("There is no such project.").wait_for()
    return number


def members_come_and_go(world, number):
    """Who is added sees the project with the next read, and no longer once removed."""
    address = f"#/projects/{number}"
    with world.desk("max", address) as desk:
        page = desk.page
        setup(page)
        page.get_by_label("Add a member").select_option(label="Vic Almeida (vic)")
        member = page.locator(".setup details li").filter(has_text="Vic Almeida")
        member.get_by_role("button", name="Remove Vic Almeida").wait_for()
        with world.desk("vic", "#/projects") as other:
            other.page.get_by_role("link", name=title(world)).click()
            other.page.get_by_role("heading", name=title(world)).wait_for()
            setup(other.page)
            other.page.locator(".setup details li").get_by_text("Vic Almeida").first.wait_for()
            assert other.page.get_by_role("button", name=re.compile("^Remove")).count() == 0
        member.get_by_role("button", name="Remove Vic Almeida").click()
        member.wait_for(state="detached")
    with world.desk("vic", "#/projects") as other:
        other.page.get_by_role("link", name="Billing migration").wait_for()
        assert other.page.get_by_text(title(world)).count() == 0


def opens_it(world, number):
    """The visibility is changed in its place."""
    with world.desk("max", f"#/projects/{number}") as desk:
        page = desk.page
        setup(page)
        page.get_by_role("button", name=re.compile("Seen by: ")).click()
        page.get_by_label("Seen by").select_option(label="All users")
        read = lambda: world.api("max").call("GET", f"/api/projects/{number}")["visibility"]
        desk.until(lambda: read() == "organization", "the visibility")
    with world.desk("vic", "#/projects") as other:
        other.sees(other.page.get_by_role("link", name=title(world)))

"""Customers: the list, one with what it has, and the customer of tickets and projects"""

import re


def check(world):
    number = creates_one(world)
    changes_it(world, number)
    tickets_name_it(world, number)
    projects_name_it(world, number)
    archives_it(world, number)
    names_one_once(world)


def name(world):
    return f"Kestrel {world.mark}"


def stored(world, number):
    return world.api("max").call("GET", f"/api/customers/{number}")


def rows(page):
    return page.locator(".columns > li")


def creates_one(world):
    """A manager creates a customer, and lands on its page. A viewer may not."""
    with world.desk("vic", "#/customers") as desk:
        page = desk.page
        page.get_by_role("link", name="Ferro Robotics").wait_for()
        assert page.get_by_role("button", name="New customer").get_attribute("aria-disabled") == "true"
    with world.desk("max", "#/customers") as desk:
        page = desk.page
        page.get_by_role("link", name="Ferro Robotics").wait_for()
        desk.looks("customers")
        page.get_by_role("button", name="New customer").click()
        page.get_by_label("Name").fill(name(world))
        page.get_by_label("Domains").fill(f"{world.mark}.example, Mail.{world.mark}.example")
        page.get_by_role("button", name="Create").click()
        page.wait_for_url(re.compile(r"#/customers/\d+"))
        page.get_by_role("heading", name=name(world)).wait_for()
        page.get_by_text("No open tickets.").wait_for()
        desk.looks("customer")
        number = int(page.url.rsplit("/", 1)[1])
    domains = [f"mail.{world.mark}.example", f"{world.mark}.example"]
    assert stored(world, number)["domains"] == sorted(domains), stored(world, number)
    return number


def changes_it(world, number):
    """Its domains are changed in place, and another browser sees them."""
    address = f"#/customers/{number}"
    with world.desk("max", address) as desk, world.desk("vic", address) as other:
        page = desk.page
        page.get_by_role("button", name="Domains: ").click()
        page.get_by_label("Domains", exact=True).fill(f"{world.mark}.test")
        page.get_by_role("button", name="Save").click()
        desk.until(lambda: stored(world, number)["domains"] == [f"{world.mark}.test"], "the domains")
        other.sees(other.page.get_by_label("Fields").get_by_text(f"{world.mark}.test"))
        assert other.page.get_by_role("button", name="Domains: ").count() == 0


def tickets_name_it(world, number):
    """A ticket is raised for it, stands on its page, and is found by it."""
    title = f"Of a customer {world.mark}"
    with world.desk("sue", "#/tickets") as desk:
        page = desk.page
        page.get_by_role("button", name="Raise a ticket").click()
        page.get_by_label("Title").fill(title)
        page.get_by_label("Customer", exact=True).last.select_option(label=name(world))
        page.get_by_role("dialog").get_by_role("button", name="Raise a ticket").click()
        page.get_by_role("button", name=f"Customer: {name(world)}").wait_for()
        desk.looks("ticket-of-customer")
        page.goto(f"{world.base}#/customers/{number}")
        page.get_by_role("link", name=re.compile(title)).wait_for()
        page.get_by_role("link", name="All tickets of the customer").click()
        page.wait_for_url(f"**customerId={number}")
        rows(page).get_by_text(name(world)).wait_for()
        assert rows(page).count() == 1


def projects_name_it(world, number):
    """A project gets the customer in its place, and the list has the filter."""
    project = world.api("max").call("POST", "/api/projects", {"title": f"For one {world.mark}"})
    with world.desk("max", f"#/projects/{project['id']}") as desk:
        page = desk.page
        page.get_by_role("button", name=re.compile("milestones|Setup|parts", re.I)).first.click()
        page.get_by_role("button", name="Customer: None").click()
        page.get_by_label("Customer", exact=True).select_option(label=name(world))
        read = lambda: world.api("max").call("GET", f"/api/projects/{project['id']}")["customerId"]
        desk.until(lambda: read() == number, "the customer of the project")
        page.goto(f"{world.base}#/projects?customerId={number}")
        rows(page).get_by_text(name(world)).wait_for()
        assert rows(page).count() == 1


def archives_it(world, number):
    """An archived customer leaves the list and the choices. Its records stay."""
    with world.desk("max", f"#/customers/{number}") as desk:
        page = desk.page
        page.get_by_role("button", name="State: Present").click()
        page.get_by_label("State").select_option(label="Archived")
        page.get_by_role("button", name="State: Archived: gets no new records").wait_for()
        page.goto(f"{world.base}#/customers")
        page.get_by_role("link", name="Ferro Robotics").wait_for()
        assert page.get_by_role("link", name=name(world)).count() == 0
        page.get_by_label("Customers").select_option(label="Archived")
        page.get_by_role("link", name=name(world)).wait_for()


def names_one_once(world):
    """A name that another customer has is refused, and what was typed stays."""
    with world.desk("max", "#/customers", refused={409}) as desk:
        page = desk.page
        page.get_by_role("button", name="New customer").click()
        page.get_by_label("Name").fill("ferro robotics")
        page.get_by_role("button", name="Create").click()
        page.get_by_role("alert").get_by_text("Another customer has this name.").wait_for()
        assert page.get_by_label("Name").input_value() == "ferro robotics"

/** The projects of the organization. `#/projects?status=active` */
/** @import { Project } from "workdesk" @import { Context } from "../../kit.js" */
import {
  ask, button, denied, go, input, named, node, post, PROJECT_STATUSES, quiet, state, store, time,
  to,
} from "../../kit.js";
import {
  customerChoices, customerFilter, customerName, list,
} from "../../record/record.js";
import { seenBy, visibilityInput } from "./members.js";

export function view(/** @type {Context} */ context) {
  context.header.append(button("New project", create, { reason: denied("manage_directory") }));
  return list(context, { type: "project", list: "/api/projects", noun: "project", line,
    read: customerChoices,
    filters: (_, customers = []) => [["Status", "status", [["", "All but archived"],
      ...named(PROJECT_STATUSES)]], customerFilter(customers)] });
}

function line(/** @type {Project} */ project) {
  const { id, title, description, status, customerId, updatedAt } = project;
  return node("li",
    node("div.grow", node("a", { href: to(`/projects/${id}`) }, title),
      node("p.quiet.text", description)),
    seenBy(project), quiet(customerId && customerName(customerId)), state(status),
    quiet("changed ", time(updatedAt)));
}

async function create() {
  const customers = await customerChoices().catch(() => []);
  ask("New project", {
    fields: [input("Title", "title", { required: true }),
      input("Description", "description", { rows: 3 }),
      customers.length > 0
        && input("Customer", "customerId", { options: [["", "None"], ...customers] }),
      visibilityInput()],
    submit: "Create", draft: "project",
    act: async ({ title = "", description, customerId, visibility }) => {
      const { data } = await post("/api/projects", {}, { title, description: description || null,
        customerId: customerId ? Number(customerId) : null,
        visibility: /** @type {any} */ (visibility) });
      store("project", data);
      go(`/projects/${data.id}`);
    },
  });
}

/** The projects of the organization. `#/projects?status=active` */
/** @import { Project } from "workdesk" @import { Context } from "../../kit.js" */
import {
  ask, button, denied, go, input, named, node, post, PROJECT_STATUSES, quiet, state, store, time,
  to,
} from "../../kit.js";
import { list } from "../../record/record.js";

export function view(/** @type {Context} */ context) {
  context.header.append(button("New project", create, { reason: denied("manage_directory") }));
  return list(context, { type: "project", list: "/api/projects", noun: "project", line,
    filters: () => [["Status", "status", [["", "All but archived"],
      ...named(PROJECT_STATUSES)]]] });
}

function line(/** @type {Project} */ { id, title, description, status, updatedAt }) {
  return node("li",
    node("div.grow", node("a", { href: to(`/projects/${id}`) }, title),
      node("p.quiet.text", description)),
    state(status), quiet("changed ", time(updatedAt)));
}

function create() {
  ask("New project", {
    fields: [input("Title", "title", { required: true }),
      input("Description", "description", { rows: 3 })],
    submit: "Create", draft: "project",
    act: async ({ title = "", description }) => {
      const { data } = await post("/api/projects", {}, { title, description: description || null });
      store("project", data);
      go(`/projects/${data.id}`);
    },
  });
}

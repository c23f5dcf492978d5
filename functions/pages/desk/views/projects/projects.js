/** The projects of the organization. `#/projects?status=active` */

/** @import { Project } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, post } from "../../api/client.js";
import { put, record, watch } from "../../api/records.js";
import { button, dialog, empty, field, form, node, rows, select, state, time, words } from "../../elements.js";
import { go, to } from "../../frame/router.js";
import { denied } from "../../frame/session.js";

/** @type {Project["status"][]} */
const STATUSES = ["active", "on_hold", "completed", "archived"];

/** @param {Context} context */
export async function view({ header, body, query, signal, filter }) {
  const list = node("ul", { class: "list" });
  const none = empty("There is no such project.");
  const status = select("status", [["", "All but archived"], ...STATUSES.map(named)], query.get("status") ?? "", {
    "aria-label": "Status", onchange: () => filter({ status: status.value }),
  });
  header.append(status, button("New project", create, { reason: denied("manage_directory") }));
  body.append(list);
  /** @type {Set<number>} */
  let ids = new Set();
  const show = () => {
    const found = [...ids].flatMap((id) => record("project", id) ?? []);
    rows(list, found, ({ id }) => id, row);
    none.remove();
    if (found.length === 0) body.append(none);
  };
  const read = async () => {
    const chosen = STATUSES.filter((one) => one === status.value);
    const { data } = await get("/api/projects", chosen.length ? { status: chosen } : {}, { signal });
    ids = new Set(put("project", data).map(({ id }) => id));
    show();
  };
  watch(signal, {
    wants: ({ type, recordId }) => type === "project" && (ids.has(recordId) || !query.get("status")),
    changed: (keys) => {
      const added = [...keys].filter((key) => key.startsWith("project:")).map((key) => Number(key.slice(8)));
      for (const id of added) ids.add(id);
      if (added.length) show();
    },
  });
  await read();
  return (/** @type {URLSearchParams} */ changed) => {
    status.value = changed.get("status") ?? "";
    void read();
  };
}

/** @param {string} value @returns {[string, string]} */
function named(value) {
  return [value, words(value)];
}

/** @param {Project} project */
function row({ id, title, description, status, updatedAt }) {
  return node("li", {},
    node("a", { class: "grow", href: to(`/projects/${id}`) }, title),
    state(status), node("span", { class: "quiet" }, "changed ", time(updatedAt)),
    description && node("p", { class: "quiet whole text" }, description));
}

function create() {
  const title = node("input", { name: "title", required: true });
  const description = node("textarea", { name: "description" });
  const over = dialog("New project", [form({
    fields: [field("Title", title), field("Description", description)],
    submit: "Create", draft: "project", cancel: () => over.close(),
    act: async () => {
      const { data } = await post("/api/projects", {}, { title: title.value, description: description.value || null });
      put("project", data);
      over.close();
      go(`/projects/${data.id}`);
    },
  })]);
}

/** What a project is made of, changed where it is seen: its texts and status, phases, milestones, tags. All of it
 * is loaded when its fold is opened. */
/** @import { Child, Records } from "../../kit.js" @import { Edited, Field } from "../../record/fields.js" */
import {
  all, button, day, denied, draw, empty, form, get, input, keyed, MILESTONE_STATUSES, named, node, patch,
  post, PROJECT_STATUSES, put, record, say, section, state, store, typedIn, words, written,
} from "../../kit.js";
import { fact, text } from "../../record/fields.js";
import { deleteLater } from "../../record/undo.js";
import { LOOKS } from "./timeline.js";

/** @typedef {"project" | "phase" | "milestone" | "tag"} Part */
/** A part of the page that shows a record again. @typedef {{ element: HTMLElement, show: () => void }} Shown */
/** The path of each kind of record, what it is called, who may change it. */
const KINDS = /** @type {const} */ ({
  project: { path: "/api/projects/{id}", name: "title", permission: "manage_directory", write: patch },
  phase: { path: "/api/phases/{id}", name: "title", permission: "manage_directory", write: patch },
  milestone: { path: "/api/milestones/{id}", name: "title", permission: "manage_milestones", write: put },
  tag: { path: "/api/tags/{id}", name: "name", permission: "manage_directory", write: patch },
});

/** @type {Field} */
const TITLE = { label: "Title", name: "title", type: "text", shown: ({ title }) => node("bdi", title) };
const dayOf = (/** @type {string | null} */ instant) => instant && day(new Date(instant));
/** @type {Record<Part, Field[]>} */
const FIELDS = {
  project: [TITLE, { label: "Status", name: "status", choices: () => named(PROJECT_STATUSES),
    shown: ({ status }) => state(status) }],
  phase: [TITLE],
  milestone: [TITLE, { label: "Status", name: "status", choices: () => named(MILESTONE_STATUSES),
    shown: ({ status }) => state(status, words(status), LOOKS.get(status)) },
  { label: "Start", name: "startDate", shown: ({ startDate }) => dayOf(startDate) },
  { label: "Due", name: "dueDate", shown: ({ dueDate }) => dayOf(dueDate) }],
  tag: [{ label: "Name", name: "name", type: "text", shown: ({ name }) => node("bdi", name) }],
};

/** The lists that read a record without a read of its own. @param {number} id @returns {{ [type in Part]?: string }} */
const listsOf = (id) => ({ phase: `/api/projects/${record("phase", id)?.projectId}/phases`, tag: "/api/tags" });

/** A record that is edited in place. @param {Part} type @param {number} id @returns {Edited} */
function edited(type, id) {
  const { path, permission, write } = KINDS[type];
  return { read: () => record(type, id), reason: denied(permission),
    keep: (row) => store(type, { ...record(type, id), ...row }),
    patch: (change, match) => /** @type {any} */ (write)(path, { id }, change, { match, list: listsOf(id)[type] }) };
}

/** @param {HTMLElement} place @param {number} projectId @param {{ phase: () => Records["phase"][], milestone: () => Records["milestone"][],
 *   keep: (type: "phase" | "milestone", rows: any[]) => unknown }} parts of the project that the board keeps
 * @param {AbortSignal} signal */
export function setupOf(place, projectId, { keep, ...kept }, signal) {
  /** What shows each record, made once. @type {Map<string, Shown[]>} */
  const editors = new Map();
  let tags = /** @type {number[]} */ ([]);

  const editorsOf = (/** @type {Part} */ type, /** @type {number} */ id) => {
    const key = `${type} ${id}`;
    const known = edited(type, id);
    const description = () => text(known, { label: "Description", name: "description",
      draft: `${key} description`, none: "No description.", shown: written });
    const made = editors.get(key) ?? [...FIELDS[type].map((field) => fact(known, field)),
      ...(type === "project" || type === "milestone" ? [description()] : [])];
    editors.set(key, made);
    for (const one of made) one.show();
    return made.map(({ element }) => element);
  };
  const deletion = (/** @type {Part} */ type, /** @type {any} */ row) => {
    const { path, name, permission } = KINDS[type];
    const act = () => deleteLater({ type, row: record(type, row.id), name: node("bdi", row[name]), path,
      on: { id: row.id } });
    const options = { kind: /** @type {const} */ ("plain"), name: `Delete ${row[name]}` };
    return denied(permission) ? null : button("Delete", act, options);
  };
  const phases = () => kept.phase().sort((one, other) => one.order - other.order || one.id - other.id);
  /** Moves a phase before the one above it. @param {Records["phase"]} row @param {number} at */
  const raise = async (row, at) => {
    const [above, before] = [phases()[at - 1], phases()[at - 2]];
    if (!above) return;
    const order = before ? (before.order + above.order) / 2 : above.order - 1;
    store("phase", (await patch("/api/phases/{id}", { id: row.id }, { order }, { match: row })).data);
    say(`${row.title}: ${at} of ${phases().length}`);
  };

  const phase = (/** @type {Records["phase"]} */ row, /** @type {number} */ at) => node("li.short", { key: row.id },
    editorsOf("phase", row.id), node("span.acts",
      at > 0 && !denied("manage_directory")
        && button("Move up", () => raise(row, at), { kind: "plain", name: `Move up: ${row.title}` }),
      deletion("phase", row)));
  const one = (/** @type {"milestone" | "tag"} */ type) => (/** @type {any} */ row) =>
    node(type === "tag" ? "li.short" : "li", { key: row.id }, editorsOf(type, row.id), node("span.acts", deletion(type, row)));
  /** @param {string} title @param {HTMLElement[]} rows @param {string} none @param {HTMLElement} add */
  const part = (title, rows, none, add) => keyed(title, section(title,
    rows.length > 0 ? node("ul.list", rows) : empty(none), add));

  function show() {
    if (!record("project", projectId)) return;
    draw(place, keyed("project", section("Project", editorsOf("project", projectId))),
      part("Phases", phases().map(phase), "The project has no phases.", adders.phase),
      part("Milestones", kept.milestone().map(one("milestone")), "The project has no milestones.", adders.milestone),
      part("Tags of the organization", tags.flatMap((id) => record("tag", id) ?? []).map(one("tag")),
        "The organization has no tags.", adders.tag));
  }
  const adders = {
    phase: adder("phase", [input("Add a phase", "title", { required: true, autocomplete: "off" })],
      async (body) => keep("phase", [(await post("/api/projects/{projectId}/phases", { projectId }, body)).data])),
    milestone: adder("milestone", [input("Add a milestone", "title", { required: true, autocomplete: "off" }),
      input("Due", "dueDate", { type: "date", max: "9998-12-31" })], async ({ title, dueDate }) => {
      const due = dueDate && new Date(`${dueDate}T23:59:59.999`).toISOString();
      keep("milestone", [(await post("/api/milestones", {}, { title, dueDate: due, projectId })).data]);
    }),
    tag: adder("tag", [input("Add a tag", "name", { required: true, autocomplete: "off" })], async (body) =>
      tags.push(...store("tag", (await post("/api/tags", {}, body)).data).map(({ id }) => id))),
  };
  /** A form that adds a row and takes the next one. @param {"phase" | "milestone" | "tag"} type
   * @param {Child} fields @param {(values: any) => Promise<unknown>} add */
  function adder(type, fields, add) {
    const made = form({ fields, submit: `Add ${type}`, draft: `new ${type}`,
      reason: denied(KINDS[type].permission),
      act: async (values, own) => {
        const sent = typedIn(own);
        await add(values);
        // The user may have typed the next one meanwhile.
        if (typedIn(own) === sent) own.reset();
        show();
        /** @type {HTMLElement | null} */ (own.querySelector("input"))?.focus();
        say(`Added ${values.title ?? values.name}`);
      } });
    made.classList.add("in-line");
    return made;
  }

  const read = async () => {
    const [project, rows] = await Promise.all([
      get("/api/projects/{id}", { id: projectId }, { signal }), all("/api/tags", {}, { signal })]);
    store("project", project.data);
    tags = store("tag", rows ?? []).map(({ id }) => id);
    show();
  };
  return { show, read, wants: (/** @type {string} */ type, /** @type {number} */ id) =>
    (type === "project" && id === projectId) || (type === "tag" && tags.includes(id)) };
}

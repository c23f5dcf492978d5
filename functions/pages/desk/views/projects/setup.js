/** What a project is made of, changed where it is seen: its texts and status, phases, milestones,
 * tags. All of it is loaded when its fold is opened. */
/** @import { Child, Records } from "../../kit.js"
 * @import { Edited, Field } from "../../record/fields.js" */
import {
  all, button, day, denied, draw, empty, everyCustomer, form, get, input, keyed,
  MILESTONE_STATUSES, named, node, patch, post, PROJECT_STATUSES, put, record, say, section, state,
  store, typedIn, words, written,
} from "../../kit.js";
import { CUSTOMER } from "../../record/customers.js";
import { fact, text } from "../../record/fields.js";
import { deleteLater } from "../../record/undo.js";
import { membersOf, VISIBILITY } from "./members.js";
import { phasesOf, raise } from "./phases.js";
import { LOOKS } from "./timeline.js";

/** @typedef {"project" | "phase" | "milestone" | "tag"} Part */
/** A part of the page that shows a record again.
 * @typedef {{ element: HTMLElement, show: () => void }} Shown */
/** The path of each kind of record, what it is called, who may change it. */
const KINDS = /** @type {const} */ ({
  project: { path: "/api/projects/{id}", name: "title", permission: "manage_directory",
    write: patch },
  phase: { path: "/api/phases/{id}", name: "title", permission: "manage_directory", write: patch },
  milestone: { path: "/api/milestones/{id}", name: "title", permission: "manage_milestones",
    write: put },
  tag: { path: "/api/tags/{id}", name: "name", permission: "manage_directory", write: patch },
});

/** @type {Field} */
const TITLE = { label: "Title", name: "title", type: "text",
  shown: ({ title }) => node("bdi", title) };
const dayOf = (/** @type {string | null} */ instant) => instant && day(new Date(instant));
/** @type {Record<Part, Field[]>} */
const FIELDS = {
  project: [TITLE, { label: "Status", name: "status", choices: () => named(PROJECT_STATUSES),
    shown: ({ status }) => state(status) }, CUSTOMER, VISIBILITY],
  phase: [TITLE],
  milestone: [TITLE, { label: "Status", name: "status", choices: () => named(MILESTONE_STATUSES),
    shown: ({ status }) => state(status, words(status), LOOKS.get(status)) },
  { label: "Start", name: "startDate", shown: ({ startDate }) => dayOf(startDate) },
  { label: "Due", name: "dueDate", shown: ({ dueDate }) => dayOf(dueDate) }],
  tag: [{ label: "Name", name: "name", type: "text", shown: ({ name }) => node("bdi", name) }],
};

/** The lists that read a record without a read of its own. @param {number} id
 * @returns {{ [type in Part]?: string }} */
const listsOf = (id) => ({ phase: `/api/projects/${record("phase", id)?.projectId}/phases`,
  tag: "/api/tags" });

/** A record that is edited in place. @param {Part} type @param {number} id @returns {Edited} */
function edited(type, id) {
  const { path, permission, write } = KINDS[type];
  return { read: () => record(type, id), reason: denied(permission),
    keep: (row) => store(type, { ...record(type, id), ...row }),
    patch: (change, match) => /** @type {any} */ (write)(path, { id }, change,
      { match, list: listsOf(id)[type] }) };
}

/** @typedef {ReturnType<typeof editors>} Editors */
/** Parts of the project that the board keeps.
 * @typedef {{ phase: () => Records["phase"][], milestone: () => Records["milestone"][],
 *   keep: (type: "phase" | "milestone", rows: any[]) => unknown }} Kept */

/** @param {HTMLElement} place @param {number} projectId @param {Kept} kept
 * @param {AbortSignal} signal */
export function setupOf(place, projectId, kept, signal) {
  const editorsOf = editors();
  const tags = /** @type {Set<number>} */ (new Set());
  const members = membersOf(projectId, signal);
  const adders = addersOf(projectId, kept, tags, () => show());

  function show() {
    if (!record("project", projectId)) return;
    draw(place, keyed("project", section("Project", editorsOf("project", projectId),
      members.element)),
      part("Phases", phasesOf(kept).map((row, at) => phaseLine(row, at, kept, editorsOf)),
        "The project has no phases.", adders.phase),
      part("Milestones", kept.milestone().map((row) => line("milestone", row, editorsOf)),
        "The project has no milestones.", adders.milestone),
      part("Tags of the organization", [...tags].flatMap((id) => record("tag", id) ?? [])
        .map((row) => line("tag", row, editorsOf)), "The organization has no tags.", adders.tag));
  }
  const read = async () => {
    const [project, rows] = await Promise.all([
      get("/api/projects/{id}", { id: projectId }, { signal }), all("/api/tags", {}, { signal }),
      everyCustomer().catch(() => [])]);
    store("project", project.data);
    tags.clear();
    for (const { id } of store("tag", rows ?? [])) tags.add(id);
    show();
    await members.read();
  };
  return { show, read, wants: (/** @type {string} */ type, /** @type {number} */ id) =>
    (type === "project" && id === projectId) || (type === "tag" && tags.has(id)) };
}

/** What edits each record: made once, and shown again. */
function editors() {
  /** @type {Map<string, Shown[]>} */
  const made = new Map();
  return (/** @type {Part} */ type, /** @type {number} */ id) => {
    const key = `${type} ${id}`;
    const shown = made.get(key) ?? editorsOf(type, id, key);
    made.set(key, shown);
    for (const one of shown) one.show();
    return shown.map(({ element }) => element);
  };
}

/** @param {Part} type @param {number} id @param {string} key @returns {Shown[]} */
function editorsOf(type, id, key) {
  const known = edited(type, id);
  const description = () => text(known, { label: "Description", name: "description",
    draft: `${key} description`, none: "No description.", shown: written });
  return [...FIELDS[type].map((field) => fact(known, field)),
    ...(type === "project" || type === "milestone" ? [description()] : [])];
}

/** @param {string} title @param {HTMLElement[]} rows @param {string} none
 * @param {HTMLElement} add */
const part = (title, rows, none, add) => keyed(title, section(title,
  rows.length > 0 ? node("ul.list", rows) : empty(none), add));

/** What deletes a part, unless the user takes it back within five seconds.
 * @param {Part} type @param {any} row */
function deletion(type, row) {
  const { path, name, permission } = KINDS[type];
  if (denied(permission)) return null;
  const act = () => deleteLater({ type, row: record(type, row.id), name: node("bdi", row[name]),
    path, on: { id: row.id } });
  return button("Delete", act, { kind: "plain", name: `Delete ${row[name]}` });
}

/** @param {"milestone" | "tag"} type @param {any} row @param {Editors} editorsOf */
const line = (type, row, editorsOf) => node(type === "tag" ? "li.short" : "li", { key: row.id },
  editorsOf(type, row.id), node("span.acts", deletion(type, row)));

/** @param {Records["phase"]} row @param {number} at @param {Kept} kept
 * @param {Editors} editorsOf */
function phaseLine(row, at, kept, editorsOf) {
  const up = at > 0 && !denied("manage_directory") && button("Move up", () => raise(row, at, kept),
    { kind: "plain", name: `Move up: ${row.title}` });
  return node("li.short", { key: row.id }, editorsOf("phase", row.id),
    node("span.acts", up, deletion("phase", row)));
}

/** The forms that add a phase, a milestone and a tag. @param {number} projectId @param {Kept} kept
 * @param {Set<number>} tags @param {() => void} show */
function addersOf(projectId, { keep }, tags, show) {
  const named = { required: true, autocomplete: "off" };
  const addPhase = async (/** @type {any} */ body) => {
    const { data } = await post("/api/projects/{projectId}/phases", { projectId }, body);
    keep("phase", [data]);
  };
  const addMilestone = async (/** @type {any} */ { title, dueDate }) => {
    const due = dueDate && new Date(`${dueDate}T23:59:59.999`).toISOString();
    const { data } = await post("/api/milestones", {}, { title, dueDate: due, projectId });
    keep("milestone", [data]);
  };
  const addTag = async (/** @type {any} */ body) => {
    const { data } = await post("/api/tags", {}, body);
    for (const { id } of store("tag", data)) tags.add(id);
  };
  return {
    phase: adder("phase", [input("Add a phase", "title", named)], addPhase, show),
    milestone: adder("milestone", [input("Add a milestone", "title", named),
      input("Due", "dueDate", { type: "date", max: "9998-12-31" })], addMilestone, show),
    tag: adder("tag", [input("Add a tag", "name", named)], addTag, show),
  };
}

/** A form that adds a row and takes the next one. @param {"phase" | "milestone" | "tag"} type
 * @param {Child} fields @param {(values: any) => Promise<unknown>} add @param {() => void} show */
function adder(type, fields, add, show) {
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

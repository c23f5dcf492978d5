/** The fields of a task. Each is edited in place, and saved with the version that is shown. */

/** @import { JoinedTask, TaskUpdate } from "workdesk" */
/** @import { Child, Choice } from "../../elements.js" */
import { all, Problem } from "../../api/client.js";
import { everyone, put, record } from "../../api/records.js";
import { button, choice, conflict, due, field, form, node, person, state, words } from "../../elements.js";
import { denied } from "../../frame/session.js";
import { STATUSES } from "../projects/columns.js";

/**
 * @typedef {object} Part
 * @property {string} label
 * @property {"status" | "priority" | "assigneeId" | "dueDate" | "milestoneId" | "phaseId"} name
 * @property {(task: JoinedTask) => Child} shown nothing where there is no value
 * @property {(task: JoinedTask) => Choice[] | Promise<Choice[]>} [choices] a date has none
 */

/** @type {JoinedTask["priority"][]} */
const PRIORITIES = ["low", "medium", "high", "urgent"];
const ENDED = new Set(["done", "cancelled"]);
/** @type {Choice} */
const NONE = ["", "None"];

/** @type {Part[]} */
const PARTS = [
  { label: "Status", name: "status", shown: ({ status }) => state(status), choices: () => STATUSES.map(named) },
  { label: "Priority", name: "priority", shown: ({ priority }) => state(priority), choices: () => PRIORITIES.map(named) },
  {
    label: "Assignee", name: "assigneeId", shown: ({ assignee }) => assignee && person(assignee),
    choices: async () => [NONE, ...(await everyone()).map((one) => choiceOf(one.id, one.fullName))],
  },
  { label: "Due", name: "dueDate", shown: ({ dueDate, status }) => dueDate && due(dueDate, !ENDED.has(status), "") },
  {
    label: "Milestone", name: "milestoneId", shown: ({ milestone }) => milestone?.title,
    choices: async ({ projectId }) => [NONE, ...(projectId ? await milestonesOf(projectId) : [])],
  },
  {
    label: "Phase", name: "phaseId", shown: ({ phaseId }) => phaseId && (record("phase", phaseId)?.title ?? `Phase ${phaseId}`),
    choices: async ({ projectId }) => [NONE, ...(projectId ? await readPhases(projectId) : [])],
  },
];

/** @param {string} value @returns {Choice} */
function named(value) {
  return [value, words(value)];
}

/** @param {number} id @param {string} label @returns {Choice} */
function choiceOf(id, label) {
  return [String(id), label];
}

/** @param {number} projectId */
async function milestonesOf(projectId) {
  const rows = await all("/api/projects/{projectId}/milestones", { projectId });
  return rows.map(({ id, title }) => choiceOf(id, title));
}

/** Reads the phases of a project, also for their names. @param {number} projectId */
export async function readPhases(projectId) {
  const rows = put("phase", await all("/api/projects/{projectId}/phases", { projectId }));
  return rows.map(({ id, title }) => choiceOf(id, title));
}

/**
 * @param {number} id @param {(changes: TaskUpdate, match: { version: number }) => Promise<void>} save
 * @param {{ element: HTMLElement, show: (task: JoinedTask) => void }[]} further
 */
export function fieldsOf(id, save, further) {
  const task = {
    read: () => record("task", id), save, keep: (/** @type {JoinedTask} */ current) => put("task", current),
    reason: denied("update_task"),
  };
  const parts = [...PARTS.map((one) => fact({ ...one, ...task })), ...further];
  const element = node("aside", { class: "fields", "aria-label": "Fields" }, ...parts.map((one) => one.element));
  return { element, show: (/** @type {JoinedTask} */ task) => parts.forEach((one) => one.show(task)) };
}

/**
 * A field of a record: its value, and in its place a control that saves it with the version that was read.
 * @template R
 * @param {object} options
 * @param {string} options.label @param {string} options.name
 * @param {(record: R) => Child} options.shown @param {(record: R) => Choice[] | Promise<Choice[]>} [options.choices]
 * @param {() => R | undefined} options.read the newest known
 * @param {(changes: any, match: any) => Promise<unknown>} options.save
 * @param {(current: R) => unknown} options.keep what a 412 showed
 * @param {string} options.reason why the user may not save it
 */
export function fact({ label, name, shown, choices, read, save, keep, reason }) {
  const value = node("div", {});
  let editing = false;

  /** @param {R | undefined} row */
  function show(row) {
    if (editing || !row) return;
    const text = shown(row) || node("span", { class: "quiet" }, "None");
    if (reason) return value.replaceChildren(node("span", { title: reason }, text));
    const change = button("", open, { kind: "plain" });
    change.firstElementChild?.append(node("span", { class: "only-read" }, `${label}: `), node("span", {}, text));
    value.replaceChildren(change);
  }

  function close() {
    editing = false;
    show(read());
    value.querySelector("button")?.focus();
  }

  async function open() {
    const row = read();
    if (!row) return;
    const now = String(valueOf(row) ?? "");
    const set = (/** @type {string} */ chosen) => send(chosen, row);
    const made = choices ? choice({ label, options: await choices(row), value: now, save: set })
      : dateForm(label, now, set, close);
    /** @type {HTMLElement} */ (made).addEventListener("keydown", (event) => event.key === "Escape" && close());
    editing = true;
    value.replaceChildren(made);
    const control = made.querySelector("select") ?? made.querySelector("input");
    control?.focus();
    if (control instanceof HTMLSelectElement) openList(control);
  }

  /** @param {R} row */
  function valueOf(row) {
    return /** @type {any} */ (row)[name];
  }

  /** @param {string} chosen @param {R} match the record as the user saw it @returns {Promise<void>} */
  async function send(chosen, match) {
    const sent = chosen === "" ? null : name.endsWith("Id") ? Number(chosen) : chosen;
    try {
      await save({ [name]: sent }, match);
      close();
    } catch (problem) {
      if (!(problem instanceof Problem && problem.status === 412 && problem.current)) throw problem;
      const { current } = problem;
      keep(current);
      // Only another field was changed.
      if (valueOf(current) === valueOf(match)) return send(chosen, current);
      const text = (/** @type {R} */ one) => node("span", {}, shown(one) || "None").textContent ?? "";
      const mine = value.querySelector("select")?.selectedOptions[0]?.label ?? text({ ...current, [name]: sent });
      value.replaceChildren(conflict(label, mine, text(current), () => send(chosen, current), close));
    }
  }

  return { element: node("div", { class: "fact" }, node("span", { class: "quiet" }, label), value), show };
}

/** Opens a select's list, so that an arrow does not choose at once. @param {HTMLSelectElement} control */
function openList(control) {
  try {
    control.showPicker();
  } catch {
    // Some browsers want a gesture of the user that is still going on.
  }
}

/** A form for a day. Work is due at its end, at the user's place.
 * @param {string} label @param {string} now @param {(value: string) => Promise<void>} set @param {() => void} cancel */
function dateForm(label, now, set, cancel) {
  const date = now ? new Date(now) : null;
  const day = date && [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((one) => String(one).padStart(2, "0")).join("-");
  const input = node("input", { type: "date", name: "dueDate", value: day });
  return form({
    fields: [field(label, input)], submit: "Save", cancel,
    act: () => set(input.value ? new Date(`${input.value}T23:59:59.999`).toISOString() : ""),
  });
}

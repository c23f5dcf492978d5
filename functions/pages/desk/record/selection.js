/** Several rows at once: a box for each, and a bar that changes all that are chosen, one request after the other.
 * One undo takes all of it back. */
/** @import { Choice, Records } from "../kit.js" */
import {
  button, counted, denied, draw, menu, node, notice, patch, record, say, store, trouble,
} from "../kit.js";
import { setTag } from "./tags.js";

/** @typedef {"task" | "service_request" | "ticket"} Type */
const KINDS = /** @type {const} */ ({
  task: { path: "/api/tasks/{id}", of: "id", permission: "update_task", noun: "task" },
  service_request: { path: "/api/service-requests/{id}", of: "id", permission: "update_service_request",
    noun: "request" },
  ticket: { path: "/api/managed-services/ticket/{ticketId}", of: "ticketId", permission: "manage_tickets",
    noun: "ticket" },
});

/** Changes a field of a record as it is known now. @param {Type} type @param {number} id @param {any} change */
export async function changeOne(type, id, change) {
  const { path, of } = KINDS[type];
  const known = /** @type {any} */ (record(type, id));
  const { data } = await /** @type {any} */ (patch)(path, { [of]: id }, change, { match: known });
  store(type, { ...known, ...data });
}

/** A change of one row, and what takes it back. @typedef {{ id: number, act: () => Promise<unknown>,
 *   undo: () => Promise<unknown> }} Step */

/** What the bar changes: the choices of each field by its name; `tagIds` has all tags.
 * @typedef {Record<string, () => Choice[] | Promise<Choice[]>>} Fields */
const LABELS = /** @type {Record<string, string>} */ ({ assigneeId: "Assignee", milestoneId: "Milestone",
  tagIds: "Tags", status: "Status", priority: "Priority" });

/** @param {Type} type @param {() => number[]} ids of the rows in their order @param {Fields} fields */
export function selectionOf(type, ids, fields) {
  const chosen = /** @type {Set<number>} */ (new Set());
  const { permission } = KINDS[type];
  const [element, problems] = [node("div.selection", { role: "group", "aria-label": "Selected" }), node("div")];
  let last = 0;

  const show = () => {
    for (const id of chosen) if (!record(type, id)) chosen.delete(id);
    for (const one of document.querySelectorAll("input[data-select]")) {
      /** @type {HTMLInputElement} */ (one).checked = chosen.has(Number(one.getAttribute("data-select")));
    }
    draw(element, chosen.size > 0 && [node("strong", { role: "status" }, `${chosen.size} selected`),
      ...Object.keys(fields).map(fieldButton),
      button("Clear", clear, { kind: "plain" })], problems);
  };
  const clear = () => {
    chosen.clear();
    show();
  };
  const fieldButton = (/** @type {string} */ name) => {
    const label = LABELS[name] ?? name;
    const onclick = async (/** @type {any} */ { currentTarget }) => {
      const known = fields[name]?.() ?? [];
      // The next key may choose: what is known is shown at once.
      const choices = known instanceof Promise ? await known : known;
      const isTags = name === "tagIds";
      menu(currentTarget, label, isTags ? tagChoices(choices) : choices, (value) =>
        changeAll(isTags ? tagSteps(value) : fieldSteps(name, value)));
    };
    const key = label.charAt(0).toLowerCase();
    return node("button", { type: "button", key: name, "aria-keyshortcuts": key, onclick }, label);
  };
  const rows = () => [...chosen].flatMap((id) => /** @type {any} */ (record(type, id)) ?? []);

  /** @param {string} name @param {string} choice @returns {Step[]} */
  function fieldSteps(name, choice) {
    const value = name.endsWith("Id") ? Number(choice) || null : choice;
    return rows().map((row) => ({ id: row.id, act: () => changeOne(type, row.id, { [name]: value }),
      undo: () => changeOne(type, row.id, { [name]: row[name] }) }));
  }

  const hasTag = (/** @type {any} */ row, /** @type {number} */ tag) =>
    row.tags.some((/** @type {{ id: number }} */ { id }) => id === tag);
  /** A tag is added where a row lacks it, else removed. @param {Choice[]} tags @returns {Choice[]} */
  function tagChoices(tags) {
    const all = rows();
    return tags.map(([id, name]) => (all.every((row) => hasTag(row, Number(id)))
      ? [`-${id}`, `Remove ${name}`] : [id, name]));
  }
  /** @param {string} choice @returns {Step[]} */
  function tagSteps(choice) {
    const [tagId, isAdded] = [Math.abs(Number(choice)), !choice.startsWith("-")];
    const set = (/** @type {number} */ id, /** @type {boolean} */ adds) => () => setTag(type, id, tagId, adds);
    return rows().filter((row) => hasTag(row, tagId) !== isAdded)
      .map(({ id }) => ({ id, act: set(id, isAdded), undo: set(id, !isAdded) }));
  }

  /** Changes rows one after the other, with one undo of all. @param {Step[]} steps */
  async function changeAll(steps) {
    draw(problems);
    const done = await each(steps);
    if (done.length === 0) return;
    const back = done.map(({ id, act, undo }) => ({ id, act: undo, undo: act }));
    notice(`Changed ${nounOf(done.length)}.`, "Undo", () => void each(back));
  }
  /** @param {Step[]} steps @returns {Promise<Step[]>} those that are done */
  async function each(steps) {
    const done = /** @type {Step[]} */ ([]);
    for (const step of steps) {
      try {
        await step.act();
        done.push(step);
      } catch (problem) {
        const left = steps.slice(done.length);
        draw(problems, node("p", `${nounOf(left.length)} not changed. `,
          trouble(problem, () => changeAll(left))));
        break;
      }
    }
    show();
    return done;
  }
  const nounOf = (/** @type {number} */ count) => counted(count, KINDS[type].noun);

  /** The box of a row. With Shift, all from the last one on. @param {Records[Type]} row */
  const box = ({ id, title }) => (denied(permission) ? null : node("input.select", { type: "checkbox",
    "data-select": id, "aria-label": `Select ${title}`, "aria-keyshortcuts": "x Shift+X",
    checked: chosen.has(id),
    onclick: (/** @type {any} */ { target, shiftKey }) => {
      const all = ids();
      const [from, to] = [all.indexOf(shiftKey && last ? last : id), all.indexOf(id)];
      const range = from < 0 ? [id] : all.slice(Math.min(from, to), Math.max(from, to) + 1);
      for (const one of range) chosen[target.checked ? "add" : "delete"](one);
      last = id;
      show();
      say(`${chosen.size} selected`);
    } }));

  return { element, box, show };
}

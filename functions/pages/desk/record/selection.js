/** Several rows at once: a box for each, and a bar that changes all that are chosen, one request after the other.
 * One undo takes all of it back. */
/** @import { Choice, Records } from "../kit.js" */
import {
  button, counted, denied, draw, menu, node, notice, patch, record, say, store, trouble,
} from "../kit.js";

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

/** @param {Type} type @param {() => number[]} ids of the rows in their order
 * @param {() => Promise<Record<string, [label: string, Choice[]]>>} fields that the bar changes, by their names */
export function selectionOf(type, ids, fields) {
  const chosen = /** @type {Set<number>} */ (new Set());
  const { permission, noun } = KINDS[type];
  const [element, problems] = [node("div.selection", { role: "group", "aria-label": "Selected" }), node("div")];
  let last = 0;

  const show = () => {
    for (const id of chosen) if (!record(type, id)) chosen.delete(id);
    for (const one of document.querySelectorAll("input[data-select]")) {
      /** @type {HTMLInputElement} */ (one).checked = chosen.has(Number(one.getAttribute("data-select")));
    }
    draw(element, chosen.size > 0 && [node("strong", { role: "status" }, `${chosen.size} selected`),
      ...["Status", "Priority", "Assignee", "Milestone"].map(fieldButton),
      button("Clear", clear, { kind: "plain" })], problems);
  };
  const clear = () => {
    chosen.clear();
    show();
  };
  const names = /** @type {Record<string, string>} */ (
    { Status: "status", Priority: "priority", Assignee: "assigneeId", Milestone: "milestoneId" });
  const fieldButton = (/** @type {string} */ label) => (label === "Milestone" && type !== "task" ? null
    : node("button", { type: "button", key: label,
      "aria-keyshortcuts": label[0]?.toLowerCase(), onclick: async (/** @type {any} */ { currentTarget }) => {
        const name = names[label] ?? "";
        const [, choices] = (await fields())[name] ?? ["", []];
        menu(currentTarget, label, choices, (value) =>
          changeAll(name, name.endsWith("Id") ? Number(value) || null : value));
      } }, label));

  /** @param {string} name @param {unknown} value */
  async function changeAll(name, value) {
    const before = [...chosen].flatMap((id) => record(type, id) ?? [])
      .map((row) => ({ id: row.id, value: /** @type {any} */ (row)[name] }));
    draw(problems);
    const done = await changeEach(before.map(({ id }) => ({ id, value })), name);
    const count = counted(done.length, noun);
    if (done.length === 0) return;
    notice(`Changed ${count}.`, "Undo", () => changeEach(before.filter(({ id }) => done.includes(id)), name));
  }
  /** @param {{ id: number, value: unknown }[]} changes @param {string} name @returns {Promise<number[]>} */
  async function changeEach(changes, name) {
    const done = [];
    for (const { id, value } of changes) {
      try {
        await changeOne(type, id, { [name]: value });
        done.push(id);
      } catch (problem) {
        const left = changes.slice(done.length);
        draw(problems, node("p", `${counted(left.length, noun)} not changed. `,
          trouble(problem, () => changeEach(left, name).then(() => draw(problems)))));
        break;
      }
    }
    show();
    return done;
  }

  /** The box of a row. With Shift, all from the last one on. @param {Records[Type]} row */
  const box = ({ id, title }) => (denied(permission) ? null : node("input.select", { type: "checkbox",
    "data-select": id, "aria-label": `Select ${title}`, "aria-keyshortcuts": "x", checked: chosen.has(id),
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

/** The fields and texts of a request or a ticket, edited in their places. */

/** @import { User } from "workdesk" */
/** @import { Choice } from "../../elements.js" */
import { Problem } from "../../api/client.js";
import { button, node, person, quiet, state } from "../../elements.js";
import { draftOf } from "../../frame/drafts.js";
import { writer } from "../../thread.js";
import { fact } from "../tasks/fields.js";
import { PRIORITIES, statusesFrom } from "./states.js";

/** @typedef {(change: Record<string, any>, known: { version: number }) => Promise<unknown>} Save */
/**
 * @typedef {object} Edited
 * @property {() => any} read the newest known
 * @property {Save} save @property {(current: any) => unknown} keep
 * @property {string} reason why the user may not save
 */

/**
 * Sends a change of some fields. Sends it again for the record as it is now if only other fields changed meanwhile.
 * @param {Save} save @param {Record<string, any>} change @param {any} known
 * @returns {Promise<unknown>}
 */
export async function update(save, change, known) {
  try {
    return await save(change, known);
  } catch (problem) {
    if (!(problem instanceof Problem && problem.current)) throw problem;
    const now = problem.current.ticket ?? problem.current;
    const same = (/** @type {any} */ other) => Object.keys(change).every((name) => now[name] === other[name]);
    if (same(change) || same(known)) return update(save, change, now);
    problem.current = now;
    throw problem;
  }
}

/**
 * Status, priority and assignee.
 * @param {Edited} record @param {User[]} people @param {HTMLElement[]} further
 */
export function fieldsOf({ read, save, keep, reason }, people, further) {
  const known = {
    read, keep, reason, save: (/** @type {any} */ change, /** @type {any} */ match) => update(save, change, match),
  };
  const users = people.map(({ id, fullName }) => /** @type {Choice} */ ([String(id), fullName]));
  const assignee = (/** @type {number | null} */ id) =>
    id && (person(people.find((one) => one.id === id), `User ${id}`));
  const parts = [
    fact({ ...known, label: "Status", name: "status", shown: ({ status }) => state(status),
      choices: ({ status }) => statusesFrom(status) }),
    fact({ ...known, label: "Priority", name: "priority", shown: ({ priority }) => state(priority),
      choices: () => PRIORITIES }),
    fact({ ...known, label: "Assignee", name: "assigneeId", shown: ({ assigneeId }) => assignee(assigneeId),
      choices: () => [["", "None"], ...users] }),
  ];
  const element = node("aside", { class: "fields", "aria-label": "Fields" },
    ...parts.map((one) => one.element), ...further);
  return { element, show: () => parts.forEach((one) => one.show(read())) };
}

/** A row of the fields that is not edited. @param {string} label @param {...(Node | string | null)} value */
export function fixed(label, ...value) {
  return node("div", { class: "fact" }, quiet(label), node("div", {}, ...value));
}

/**
 * A text of the record, edited in its place.
 * @param {Edited} record
 * @param {object} options
 * @param {string} options.label @param {string} options.name of the field
 * @param {boolean} [options.line] a text of one line @param {boolean} [options.optional] may be empty
 * @param {(text: string) => Node} [options.shown] shows the text; a title is shown as the heading
 * @param {string} [options.none] shown without a text
 */
export function textOf({ read, save, reason }, { label, name, line = false, optional = !line, shown, none = "" }) {
  const element = node("div", { class: "described" });
  let writing = false;
  const edit = () => {
    writing = true;
    const known = read();
    const made = writer({
      label, submit: "Save", draft: name, value: known[name] ?? "", match: known, line, optional,
      textOf: (current) => current[name] ?? "",
      save: (text, match) => update(save, { [name]: text || null }, match),
      cancel: () => {
        writing = false;
        show();
        element.querySelector("button")?.focus();
      },
    });
    element.classList.add("whole");
    element.replaceChildren(made);
    /** @type {HTMLElement | null} */ (made.querySelector("[name]"))?.focus();
  };
  const show = () => {
    if (writing) return;
    const text = read()[name];
    const change = button(`${text ? "Edit" : "Add a"} ${label.toLowerCase()}`, edit, { kind: "plain" });
    element.classList.remove("whole");
    const value = text && shown ? shown(text) : none && !text ? quiet(none) : "";
    element.replaceChildren(value, ...(reason ? [] : [change]));
    element.hidden = element.childElementCount === 0;
  };
  if (draftOf(name) !== null && !reason) edit();
  else show();
  return { element, show };
}

/** Changes of several records: one request after the other, and one undo of all. */
/** @import { Choice } from "../kit.js" @import { Type } from "./selection.js" */
import { counted, draw, node, notice, patch, record, store, trouble } from "../kit.js";
import { setTag } from "./tags.js";

export const KINDS = /** @type {const} */ ({
  task: { path: "/api/tasks/{id}", of: "id", permission: "update_task", noun: "task" },
  service_request: { path: "/api/service-requests/{id}", of: "id",
    permission: "update_service_request", noun: "request" },
  ticket: { path: "/api/managed-services/ticket/{ticketId}", of: "ticketId",
    permission: "manage_tickets", noun: "ticket" },
});

/** A change of one row, and what takes it back. @typedef {{ id: number,
 *   act: () => Promise<unknown>, undo: () => Promise<unknown> }} Step */

/** Changes a field of a record as it is known now.
 * @param {Type} type @param {number} id @param {any} change */
export async function changeOne(type, id, change) {
  const { path, of } = KINDS[type];
  const known = /** @type {any} */ (record(type, id));
  const { data } = await /** @type {any} */ (patch)(path, { [of]: id }, change, { match: known });
  store(type, { ...known, ...data });
}

/** The steps that set a field. @param {Type} type @param {any[]} rows @param {string} name
 * @param {string} choice @returns {Step[]} */
export function fieldSteps(type, rows, name, choice) {
  const value = name.endsWith("Id") ? Number(choice) || null : choice;
  return rows.map((row) => ({ id: row.id,
    act: () => changeOne(type, row.id, { [name]: value }),
    undo: () => changeOne(type, row.id, { [name]: row[name] }) }));
}

/** @param {any} row @param {number} tag */
const hasTag = (row, tag) =>
  row.tags.some((/** @type {{ id: number }} */ { id }) => id === tag);

/** What may be done with tags: one is added where a row lacks it, else removed.
 * @param {any[]} rows @param {Choice[]} tags @returns {Choice[]} */
export const tagActs = (rows, tags) => tags.map(([id, name]) =>
  (rows.every((row) => hasTag(row, Number(id))) ? [`-${id}`, `Remove ${name}`] : [id, name]));

/** The steps of such an act. @param {Type} type @param {any[]} rows @param {string} choice
 * @returns {Step[]} */
export function tagSteps(type, rows, choice) {
  const [tagId, isAdded] = [Math.abs(Number(choice)), !choice.startsWith("-")];
  return rows.filter((row) => hasTag(row, tagId) !== isAdded).map(({ id }) => ({ id,
    act: () => setTag(type, id, tagId, isAdded),
    undo: () => setTag(type, id, tagId, !isAdded) }));
}

/** What takes the steps. @param {string} noun of the records @param {Element} problems shows what
 * was not done @param {() => void} show called after the last step */
export function stepper(noun, problems, show) {
  /** @param {Step[]} steps @returns {Promise<Step[]>} those that are done */
  async function each(steps) {
    const done = /** @type {Step[]} */ ([]);
    for (const step of steps) {
      try {
        await step.act();
        done.push(step);
      } catch (problem) {
        const left = steps.slice(done.length);
        draw(problems, node("p", `${counted(left.length, noun)} not changed. `,
          trouble(problem, () => all(left))));
        break;
      }
    }
    show();
    return done;
  }
  /** @param {Step[]} steps */
  async function all(steps) {
    draw(problems);
    const done = await each(steps);
    if (done.length === 0) return;
    const back = done.map(({ id, act, undo }) => ({ id, act: undo, undo: act }));
    notice(`Changed ${counted(done.length, noun)}.`, "Undo", () => void each(back));
  }
  return all;
}

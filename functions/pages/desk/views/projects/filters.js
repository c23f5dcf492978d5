/** The filters of a board, in its address. */
/** @import { JoinedTask, User } from "workdesk" @import { Choice, Context } from "../../kit.js" */
import {
  button, choicesOf, draw, input, keyed, myId, named, PRIORITIES, words as capitalized,
} from "../../kit.js";

/** Names of the filters in the address. */
const NAMES = ["phase", "milestone", "tagId", "assigneeId", "priority", "query"];

/** What the filters leave; null where one is not set. `words`: of the title, or `#` and a number.
 * @typedef {object} Wanted
 * @property {number | null} phaseId @property {number | null} milestoneId
 * @property {number | null} tagId
 * @property {string | null} assigneeId "me", "none" or an id @property {string | null} priority
 * @property {string | null} words */

/** @param {URLSearchParams} query @returns {Wanted} */
export function wantedOf(query) {
  const idOf = (/** @type {string} */ name) => Number(query.get(name)) || null;
  return { phaseId: idOf("phase"), milestoneId: idOf("milestone"), tagId: idOf("tagId"),
    assigneeId: query.get("assigneeId"), priority: query.get("priority"),
    words: query.get("query") };
}

const folded = (/** @type {string} */ text) => text.normalize("NFKC").toLowerCase();

/** Do the filters leave a task? @param {JoinedTask} task @param {Wanted} wanted */
export function fits(task, { phaseId, milestoneId, tagId, assigneeId, priority, words }) {
  const user = assigneeId === "me" ? myId() : assigneeId === "none" ? null : Number(assigneeId);
  const title = folded(`${task.title} #${task.id}`);
  return (!phaseId || task.phaseId === phaseId)
    && (!milestoneId || task.milestoneId === milestoneId)
    && (!assigneeId || task.assigneeId === user) && (!priority || task.priority === priority)
    && (!tagId || task.tags.some(({ id }) => id === tagId))
    && (!words || folded(words).split(/\s+/).every((word) => title.includes(word)));
}

/** What a task has that is added under the filters, so that they leave it.
 * @param {Wanted} wanted */
export function startOf({ phaseId, milestoneId, assigneeId, priority }) {
  const user = assigneeId === "me" ? myId() : Number(assigneeId) || null;
  return { phaseId, milestoneId, ...(user && { assigneeId: user }),
    ...(priority && { priority: /** @type {any} */ (priority) }) };
}

/** Shows the filters. @param {Element} place @param {Pick<Context, "query" | "filter">} address
 * @param {{ people: User[], tasks: JoinedTask[], phase: { id: number, title: string }[],
 *   milestone: { id: number, title: string }[] }} known */
export function showFilters(place, { query, filter }, { people, tasks, ...parts }) {
  const names = new Map(tasks.flatMap((task) => task.tags).map((tag) => [tag.id, tag.name]));
  const tags = choicesOf([...names].map(([id, name]) => ({ id, name }))
    .sort((one, other) => one.name.localeCompare(other.name)));
  const one = (/** @type {string} */ label, /** @type {string} */ name,
      /** @type {Choice[]} */ choices) => {
    const value = query.get(name) ?? "";
    if (!choices.some(([choice]) => choice === value)) choices.push([value, value]);
    const onchange = (/** @type {any} */ { target }) => filter({ [name]: target.value });
    return keyed(name, input(label, name, { options: choices, value, onchange }));
  };
  const part = (/** @type {"phase" | "milestone"} */ name) => parts[name].length > 0
    && one(capitalized(name), name, [["", `All ${name}s`], ...choicesOf(parts[name])]);
  const others = choicesOf(people.filter(({ id }) => id !== myId()));
  const isSet = Object.values(wantedOf(query)).some((value) => value !== null);
  const clear = () => filter(Object.fromEntries(NAMES.map((name) => [name, null])));
  draw(place,
    one("Assignee", "assigneeId", [["", "Anyone"], ["me", "Me"], ["none", "Nobody"], ...others]),
    one("Priority", "priority", [["", "Any"], ...named(PRIORITIES.toReversed())]),
    (tags.length > 0 || query.has("tagId")) && one("Tag", "tagId", [["", "Any"], ...tags]),
    part("phase"), part("milestone"),
    keyed("query", input("Words", "query", { value: query.get("query") ?? "", maxlength: 100,
      autocomplete: "off",
      oninput: (/** @type {any} */ { target }) => filter(
        { query: target.value.trim() || null }) })),
    isSet && keyed("clear", button("Clear filters", clear, { kind: "plain" })));
}

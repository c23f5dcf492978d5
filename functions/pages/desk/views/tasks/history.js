/** The history of a record, newest first, read when it is opened. */

/** @import { HistoryEntry } from "workdesk" */
import { day, empty, node, person, rows, time, trouble, words } from "../../elements.js";

/** Fields with ids or long texts: only their names are shown. */
const UNTOLD = new Set(["assigneeId", "milestoneId", "phaseId", "tagIds", "projectId", "description", "order"]);
/** @type {Record<string, string>} */
const NAMES = { assigneeId: "assignee", milestoneId: "milestone", phaseId: "phase", tagIds: "tags", dueDate: "due date" };

/** @param {AbortSignal} signal @param {() => Promise<{ data: HistoryEntry[] }>} get the newest changes */
export function historyOf(signal, get) {
  const list = node("ol", { class: "list" });
  const place = node("div", {}, list);
  const read = async () => {
    try {
      const { data } = await get();
      rows(list, data, (entry) => entry.id, row);
      place.replaceChildren(data.length ? list : empty("No change yet."));
    } catch (problem) {
      if (!signal.aborted) place.replaceChildren(trouble(problem, read));
    }
  };
  /** @type {HTMLDetailsElement} */
  const element = node("details", { ontoggle: () => element.open && read() }, node("summary", {}, "History"), place);
  return { element, changed: () => void (element.open && read()) };
}

/** @param {HistoryEntry} entry */
function row({ actor, at, what, changes }) {
  const told = changes.map(({ field, from, to }) => {
    const name = NAMES[field] ?? words(field).toLowerCase();
    return UNTOLD.has(field) ? name : `${name} from ${value(from)} to ${value(to)}`;
  });
  const text = what === "updated" ? `changed ${told.join("; ")}` : `${what} it`;
  return node("li", {}, node("span", { class: "grow" }, person(actor, "The service"), ` ${text}`), time(at));
}

/** @param {unknown} one */
function value(one) {
  if (one === null || one === undefined || one === "") return "none";
  if (typeof one === "string" && /^\d{4}-\d\d-\d\dT/.test(one)) return day(new Date(one));
  return typeof one === "string" && /^[a-z_]+$/.test(one) ? words(one) : `“${one}”`;
}

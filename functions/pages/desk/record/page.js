/** The page of one record: heading, texts and fields edited in place, what is said on it, its history. */
/** @import { HistoryEntry, Permission, User } from "workdesk" */
/** @import { Child, Choice, Context } from "../kit.js" @import { Field } from "./fields.js" */
/** @import { talk } from "./talk.js" */
import {
  addressOf, attempt, button, choicesOf, day, denied, draw, empty, everyone, fold, get, go, node, patch, person,
  record, section, state, store, time, watch, words, written,
} from "../kit.js";
import { fact, text } from "./fields.js";
import { deleteLater } from "./undo.js";

export const TICKET = "/api/managed-services/ticket/{ticketId}";
/** `on`: parameters of the path. `permission`: to change it. `talk` reads the record and what is said on it,
 * below the heading `said`. `about`: who raised it, where it is. `erase`: why the user may not delete it, and
 * the path after that.
 * @typedef {object} Kind
 * @property {"task" | "service_request" | "ticket"} type @property {string} noun @property {number} id
 * @property {"/api/tasks/{id}" | "/api/service-requests/{id}" | typeof TICKET} path
 * @property {any} on @property {Permission} permission @property {string} said
 * @property {() => Promise<Pick<ReturnType<typeof talk>, "element" | "show" | "wants"> & { row?: any }>} talk
 * @property {(record: any, people: User[]) => Child} about @property {(people: User[]) => Field[]} fields
 * @property {(record: any) => Child} [further] @property {boolean} [described] has a description
 * @property {(record: any) => { reason: string, path: string }} [erase] */

/** @param {Context & { leave?: () => void }} context `leave` closes what shows the record beside another view
 * @param {Kind} kind */
export async function page({ header, body, title, signal, leave }, { type, noun, id, path, on, erase, ...kind }) {
  title(record(type, id)?.title ?? words(noun));
  const [talk, people] = await Promise.all([kind.talk(), everyone().catch(() => [])]);
  const known = { read: () => /** @type {any} */ (record(type, id)),
    keep: (/** @type {any} */ row) => store(type, { ...known.read(), ...row }),
    patch: (/** @type {any} */ change, /** @type {any} */ match) => patch(path, on, change, { match }),
    reason: denied(kind.permission) };
  const heading = text(known, { label: "Title", name: "title", line: true, draft: draftsOf(type, id)("title") });
  const described = kind.described && text(known, { label: "Description", name: "description",
    draft: draftsOf(type, id)("description"), none: "No description.", shown: written });
  const fields = kind.fields(people).map((one) => fact(known, one));
  const { element: history, read: readHistory } = historyOf(path, on, signal);
  const place = node("p.quiet.whole");
  const show = () => {
    const row = known.read();
    if (!row) return void (signal.aborted || draw(body, empty(`This ${noun} was deleted.`)));
    title(row.title);
    draw(place, node("span", kind.about(row, people), ", changed ", time(row.updatedAt)));
    for (const part of [heading, described, ...fields, talk]) if (part) part.show();
  };
  const may = erase?.(talk.row);
  const options = { kind: /** @type {const} */ ("plain"), reason: may?.reason };
  const act = may && node("span.push", button("Delete", undoable, options));
  header.append(heading.element, act || "", place);
  body.append(node("div.task",
    node("div.column",
      described && section("Description", described.element), section(kind.said, talk.element), history),
    node("aside.fields", { "aria-label": "Fields" }, fields.map(({ element }) => element),
      kind.further?.(talk.row),
      known.reason && node("p.quiet", known.reason.replace("do this", `change a ${noun}`)))));
  show();
  watch(signal, {
    wants: (change) => talk.wants(change) || (change.type === type && change.recordId === id),
    changed: (keys) => {
      if (keys.has(`${type}:${id}`) && history.open) void readHistory();
      show();
    },
  });

  /** Deletes the record, unless the user takes it back within five seconds. */
  function undoable() {
    const row = known.read();
    deleteLater({ type, row, name: node("bdi", row.title), path, on, open: () => go(`${addressOf(type, id)}`) });
    if (leave) leave();
    else go(erase?.(row).path ?? "/");
  }
}

/** Names of the drafts of a record, the same beside a board and on its own page.
 * @param {"task" | "service_request" | "ticket"} type @param {number} id */
export const draftsOf = (type, id) => (/** @type {string} */ name) => `${addressOf(type, id)} ${name}`;

/** The history of a record, newest first, read when it is opened.
 * @param {Kind["path"]} path @param {any} on @param {AbortSignal} signal */
function historyOf(path, on, signal) {
  const place = node("div");
  const read = () => attempt(place, async () => {
    const { data } = await get(/** @type {const} */ (`${path}/history`), { ...on, limit: 100 }, { signal });
    draw(place, data.length ? node("ol.list", data.map(changeOf)) : empty("No change yet."));
  });
  return { element: /** @type {HTMLDetailsElement} */ (fold("history", "History", place, read)), read };
}

/** Fields with ids or long texts, whose values are not told. */
const UNTOLD = ["assigneeId", "milestoneId", "phaseId", "tagIds", "projectId", "description", "order"];

/** Fields whose values are names of the API. */
const NAMED = ["status", "priority"];

function changeOf(/** @type {HistoryEntry} */ { actor, at, what, changes }) {
  const told = changes.map(({ field, from, to }, place) => {
    const name = words(field.replace(/Ids?$/, "").replace(/[A-Z]/g, " $&")).toLowerCase();
    return [place > 0 && "; ", name, !UNTOLD.includes(field) && [" from ", valueOf(from, NAMED.includes(field)), " to ", valueOf(to, NAMED.includes(field))]];
  });
  const text = what === "updated" ? ["changed ", told] : `${what} it`;
  return node("li", node("span.grow", person(actor, "The service"), " ", text), time(at));
}

/** @param {unknown} one @param {boolean} isName a name of the API, and no text of people @returns {Child} */
function valueOf(one, isName) {
  if (typeof one !== "string" || one === "") return one ? `“${one}”` : "none";
  if (/^\d{4}-\d\d-\d\dT/.test(one)) return day(new Date(one));
  return isName && /^[a-z_]+$/.test(one) ? words(one) : ["“", node("bdi", one), "”"];
}

/** @param {User[]} people @returns {Field} */
export const assignee = (people) => ({
  label: "Assignee", name: "assigneeId", key: "a", choices: () => [["", "None"], ...choicesOf(people)],
  shown: ({ assigneeId, assignee: joined }) =>
    assigneeId && person(joined ?? people.find(({ id }) => id === assigneeId), `User ${assigneeId}`),
});

/** @param {"status" | "priority"} name @param {(record: any) => Choice[]} choices @returns {Field} */
export const stateField = (name, choices) =>
  ({ label: words(name), name, key: name.charAt(0), choices, shown: (row) => state(row[name]) });

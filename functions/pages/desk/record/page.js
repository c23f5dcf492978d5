/** The page of one record: heading, texts and fields edited in place, what is said on it, its
 * history. */
/** @import { Permission, User } from "workdesk" */
/** @import { Child, Choice, Context } from "../kit.js"
 * @import { Edited, Field } from "./fields.js" */
/** @import { Names } from "./history.js" */
/** @import { talk } from "./talk.js" */
import {
  addressOf, button, choicesOf, denied, draw, empty, everyone, go, inbox, markRead, myId, node,
  patch, person, record, section, state, store, time, watch, words, written,
} from "../kit.js";
import { fact, save, text } from "./fields.js";
import { historyOf } from "./history.js";
import { deleteLater } from "./undo.js";

const READ_MS = 1_000; // After which what is open counts as read.
export const TICKET = "/api/managed-services/ticket/{ticketId}";
/** `on`: parameters of the path. `permission`: to change it. `talk` reads the record and what is
 * said on it, below the heading `said`. `about`: who raised it, where it is. `erase`: why the user
 * may not delete it, and the path after that.
 * @typedef {object} Kind
 * @property {"task" | "service_request" | "ticket"} type @property {string} noun
 * @property {number} id
 * @property {"/api/tasks/{id}" | "/api/service-requests/{id}" | typeof TICKET} path
 * @property {any} on @property {Permission} permission @property {string} said
 * @property {() => Promise<Pick<ReturnType<typeof talk>, "element" | "show" | "wants">
 *   & { row?: any }>} talk
 * @property {(record: any, people: User[]) => Child} about
 * @property {(people: User[]) => Field[]} fields
 * @property {(record: any) => Promise<Names>} [names] of what the history has by ids
 * @property {(record: any) => Child} [further] @property {boolean} [described] has a description
 * @property {(record: any) => { reason: string, path: string }} [erase] */

/** @param {Context & { leave?: () => void }} context `leave` closes what shows the record beside
 * another view @param {Kind} kind */
export async function page({ header, body, title, signal, leave }, kind) {
  const { type, noun, id, erase } = kind;
  title(record(type, id)?.title ?? words(noun));
  const [talk, people] = await Promise.all([kind.talk(), everyone().catch(() => [])]);
  const known = knownOf(kind);
  const { heading, described, fields, history } = partsOf(known, kind, people, signal);
  const [mine, place] = [node("div"), node("p.quiet.whole")];
  const show = () => {
    const row = known.read();
    if (!row) return void (signal.aborted || draw(body, empty(`This ${noun} was deleted.`)));
    title(row.title);
    draw(place, node("span", kind.about(row, people), ", changed ", time(row.updatedAt)));
    for (const part of [heading, described, ...fields, talk]) if (part) part.show();
    draw(mine, mayTake(known) && button("Assign to me", () => take(known), { kind: "plain" }));
  };
  header.append(heading.element,
    erase ? deletion(kind, erase(talk.row), known, leave) : "", place);
  const column = node("div.column", described && section("Description", described.element),
    section(kind.said, talk.element), history.element);
  body.append(node("div.task", column,
    node("aside.fields", { "aria-label": "Fields" }, fields.map(({ element }) => element), mine,
      kind.further?.(talk.row),
      known.reason && node("p.quiet", known.reason.replace("do this", `change a ${noun}`)))));
  show();
  reads(type, id, signal);
  watch(signal, {
    wants: (change) => {
      const isOwn = change.type === type && change.recordId === id;
      if (isOwn) for (const part of [heading, described, ...fields]) if (part) part.changed(change);
      return talk.wants(change) || isOwn;
    },
    changed: (keys) => {
      if (keys.has(`${type}:${id}`) && history.element.open) void history.read();
      show();
    },
  });
}

/** The record as it is edited in place. @param {Kind} kind @returns {Edited} */
function knownOf({ type, id, path, on, permission }) {
  const known = { read: () => /** @type {any} */ (record(type, id)),
    keep: (/** @type {any} */ row) => store(type, { ...known.read(), ...row }),
    patch: (/** @type {any} */ change, /** @type {any} */ match) =>
      patch(path, on, change, { match }),
    reason: denied(permission) };
  return known;
}

/** The texts, the fields and the history. @param {Edited} known @param {Kind} kind
 * @param {User[]} people @param {AbortSignal} signal */
function partsOf(known, { type, id, path, on, names, ...kind }, people, signal) {
  const draft = draftsOf(type, id);
  const heading = text(known, { label: "Title", name: "title", line: true, draft: draft("title") });
  const described = kind.described && text(known, { label: "Description", name: "description",
    draft: draft("description"), none: "No description.", shown: written });
  const fields = kind.fields(people).map((one) => fact(known, one));
  const history = historyOf(path, on, signal, people, names && (() => names(known.read())));
  return { heading, described, fields, history };
}

/** May the user take the record over? @param {Edited} known */
const mayTake = (known) => !known.reason && known.read().assigneeId !== myId();
const take = (/** @type {Edited} */ known) => save(known, { assigneeId: myId() }, known.read());

/** What deletes the record, unless the user takes it back within five seconds.
 * @param {Kind} kind @param {{ reason: string }} may @param {Edited} known
 * @param {() => void} [leave] */
function deletion({ type, id, path, on, erase }, { reason }, known, leave) {
  const act = () => {
    const row = known.read();
    deleteLater({ type, row, name: node("bdi", row.title), path, on,
      open: () => go(`${addressOf(type, id)}`) });
    if (leave) leave();
    else go(erase?.(row).path ?? "/");
  };
  return node("span.push", button("Delete", act, { kind: "plain", reason }));
}

/** Names of the drafts of a record, the same beside a board and on its own page.
 * @param {"task" | "service_request" | "ticket"} type @param {number} id */
export const draftsOf = (type, id) => (/** @type {string} */ name) =>
  `${addressOf(type, id)} ${name}`;

/** What the inbox has of a record is read, once it was open for a moment.
 * @param {string} type @param {number} id @param {AbortSignal} signal */
function reads(type, id, signal) {
  let isOpen = false;
  let unread = /** @type {string[]} */ ([]);
  const read = () => void (isOpen && unread.length > 0 && !document.hidden
    && markRead({ ids: unread }).catch(() => {}));
  const timer = setTimeout(() => {
    isOpen = true;
    read();
  }, READ_MS);
  signal.addEventListener("abort", () => clearTimeout(timer));
  inbox(signal, (rows) => {
    unread = rows.filter(({ subject }) => subject.type === type && subject.id === id)
      .map((row) => row.id);
    read();
  });
}

/** @param {User[]} people @returns {Field} */
export const assignee = (people) => ({
  label: "Assignee", name: "assigneeId", key: "a",
  choices: () => [["", "None"], ...choicesOf(people)],
  shown: ({ assigneeId, assignee: joined }) =>
    assigneeId && person(joined ?? people.find(({ id }) => id === assigneeId),
      `User ${assigneeId}`),
});

/** @param {"status" | "priority"} name @param {(record: any) => Choice[]} choices
 * @returns {Field} */
export const stateField = (name, choices) =>
  ({ label: words(name), name, key: name.charAt(0), choices, shown: (row) => state(row[name]) });

/** What is said on a record: comments, or the messages of a ticket. The newest are read first;
 * oldest stand first, replies under what they reply to. */
/** @import { Change } from "workdesk" @import { Answer } from "../kit.js" */
/** @import { Writing } from "./writer.js" */
import { button, draftOf, draw, more, node, quiet, record, store, time, written } from "../kit.js";
import { writer } from "./writer.js";

export const LIMIT = 50; // Read at once.
const LONG = 8; // Entries of a thread that is too long to see its end.
/** @typedef {object} Entry
 * @property {string} author @property {string} at @property {string | null} text null: deleted
 * @property {string} [label] such as "Internal note"
 * @property {boolean} [support] written by support
 * @property {boolean} [aside] set off from the others, as internal notes are
 * @property {boolean} [edited] @property {boolean} [own] the user may edit and delete it
 * @property {boolean} [final] the service takes no change of it any more
 * @property {number | null} [parentId] */
/** `on` and `id`: type and id of the record; `write`: what is written at the end.
 * @typedef {object} Talk
 * @property {"comment" | "ticket_message"} type @property {string} on @property {number} id
 * @property {(name: string) => string} [drafts] their names, where they are not those of the
 * address
 * @property {(record: any, all: any[]) => Entry} entry `all` has all known ones
 * @property {Writing | null} write
 * @property {(text: string, parentId: number) => unknown} [reply]
 * @property {(record: any, text: string, match: any) => unknown} [edit]
 * @property {(record: any) => unknown} [remove] */

/** @param {Answer<any>} first page @param {Talk} talk */
export function talk(first, { type, on, id, entry, write, drafts = (name) => name, ...acts }) {
  const ids = /** @type {Set<number>} */ (new Set());
  const [above, list] = [node("div"), node("ol.thread")];
  let earlier = /** @type {string | null} */ (null);
  const line = liner(type, entry, writersOf(acts, type, drafts, () => show()));
  const rows = () => [...ids].flatMap((one) => record(type, one) ?? []);
  const take = (/** @type {any} */ taken) => store(type, taken).forEach((one) => ids.add(one.id));
  /** Shows them; with a page, also its rows. @param {typeof first} [page] */
  const show = (page) => {
    if (page) {
      take(page.data.messages ?? page.data);
      earlier = page.next;
    }
    draw(above, earlier && button("Show earlier", async () => show(await more(earlier ?? ""))),
      ids.size > LONG && button("Newest", () => toNewest(list), { kind: "plain" }));
    const all = rows();
    draw(list, inOrder(all, entry).map((one) => line(one, all)));
  };
  const wants = (/** @type {Change} */ change) => {
    const own = change.type === type && change.parent?.type === on && change.parent.recordId === id;
    if (own) ids.add(change.recordId);
    return own;
  };
  show(first);
  // A reader of the screen hears what is added.
  const log = node("div", { role: "log" }, node("div.threaded", list, write && writer(write)));
  return { element: node("div.threaded", above, log), show, take, wants, rows };
}

/** What makes the line of an entry, among all. @param {Talk["type"]} type
 * @param {Talk["entry"]} entry @param {ReturnType<typeof writersOf>} writers */
const liner = (type, entry, { actsOf, isEdited }) =>
  (/** @type {any} */ known, /** @type {any[]} */ all) => {
    const { author, at, text, label, aside, support, edited, parentId, ...may } = entry(known, all);
    const content = text === null ? node("p.quiet", `This ${nounOf(type)} was deleted.`)
      : written(text);
    content.hidden = isEdited(known.id);
    const kinds = [parentId && "reply", aside && "aside", support && "support"];
    return node("li", { key: known.id, class: kinds.filter(Boolean).join(" ") || null },
      node("p.by", node("b", node("bdi", author)), label && quiet(label), time(at),
        edited && quiet("edited")),
      content, node("div.entry-acts", text !== null && actsOf(known, author, text, may)));
  };

/** @param {Talk["type"]} type */
const nounOf = (type) => (type === "comment" ? "comment" : "message");

/** @param {Element} list */
function toNewest(list) {
  const newest = /** @type {HTMLElement | null} */ (list.lastElementChild);
  newest?.setAttribute("tabindex", "-1");
  newest?.focus({ preventScroll: true });
  newest?.scrollIntoView({ block: "center" });
}

/** Oldest first, replies under what they reply to. @param {any[]} rows
 * @param {Talk["entry"]} entry */
function inOrder(rows, entry) {
  const known = new Map(rows.map((one) => [one.id, one]));
  const order = (/** @type {any} */ one, top = one) => {
    for (let next = one; next; next = known.get(entry(next, []).parentId ?? 0)) top = next;
    return `${entry(top, []).at} ${String(top.id).padStart(16)} ${entry(one, []).at}`;
  };
  return rows.sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

/** The buttons of each entry, and the writers that they open: of a reply, or of another text of
 * one's own. A kept draft opens its writer.
 * @param {Pick<Talk, "reply" | "edit" | "remove">} may @param {Talk["type"]} type
 * @param {(name: string) => string} drafts @param {() => void} show */
function writersOf({ reply, edit, remove }, type, drafts, show) {
  const { write, open } = opener(show);
  /** Entries whose drafts were looked for. @type {Set<number>} */
  const seen = new Set();
  const noun = nounOf(type);
  /** @param {any} known @param {string} text */
  const change = (known, text) => write(known.id, true, {
    label: type === "comment" ? "Comment" : "Your message", submit: "Save",
    draft: drafts(`edit ${known.id}`), value: text, match: known,
    textOf: (current) => current.content, save: (changed, match) => edit?.(known, changed,
      match) });
  /** @param {any} known @param {string} author */
  const answer = ({ id }, author) => write(id, false, { label: `Reply to ${author}`,
    submit: "Reply", draft: drafts(`reply ${id}`), save: (text) => reply?.(text, id) });
  const focused = (/** @type {HTMLElement} */ made) => {
    show();
    made.querySelector("textarea")?.focus();
  };
  /** @param {any} known @param {string} author @param {string} text
   * @param {Pick<Entry, "own" | "final">} entry */
  const actsOf = (known, author, text, { own, final }) => {
    const { id } = known;
    if (!seen.has(id)) {
      seen.add(id);
      if (own && draftOf(drafts(`edit ${id}`)) !== null) change(known, text);
      else if (reply && draftOf(drafts(`reply ${id}`)) !== null) answer(known, author);
    }
    const isOwn = own && !final;
    return open.get(id)?.made ?? [
      reply && act("Reply", `Reply to ${author}`, () => focused(answer(known, author))),
      edit && isOwn && act("Edit", `Edit your ${noun}`, () => focused(change(known, text))),
      remove && isOwn && act("Delete", `Delete your ${noun}`, () => remove(known)),
    ];
  };
  return { actsOf, isEdited: (/** @type {number} */ id) => open.get(id)?.isEdit ?? false };
}

/** @param {string} label @param {string} name @param {() => unknown} does */
const act = (label, name, does) => button(label, does, { kind: "plain", name });

/** What opens the writer of an entry, and the open ones by the ids of entries.
 * @param {() => void} show */
function opener(show) {
  /** @type {Map<number, { made: HTMLElement, isEdit: boolean }>} */
  const open = new Map();
  const write = (/** @type {number} */ id, /** @type {boolean} */ isEdit,
    /** @type {Writing} */ writing) => {
    const cancel = () => {
      open.delete(id);
      show();
    };
    const made = writer({ ...writing, cancel });
    open.set(id, { made, isEdit });
    return made;
  };
  return { write, open };
}

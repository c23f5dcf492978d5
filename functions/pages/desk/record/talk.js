/** What is said on a record: comments, or the messages of a ticket. The newest are read first; oldest stand
 * first, replies under what they reply to. */
/** @import { Change, Comment, Permission } from "workdesk" @import { Answer } from "../kit.js" */
/** @import { Writing } from "./record.js" */
import {
  button, denied, draftOf, get, may, more, myId, node, now, patch, post, quiet, record, remove, rows, store,
  time,
} from "../kit.js";
import { writer } from "./record.js";

export const LIMIT = 50; // Read at once.
/** @typedef {object} Entry
 * @property {string} author @property {string} at @property {string | null} text null: deleted
 * @property {string} [label] such as "Internal note" @property {boolean} [support] written by support
 * @property {boolean} [aside] set off from the others, as internal notes are
 * @property {boolean} [edited] @property {boolean} [own] may be edited and deleted
 * @property {number | null} [parentId] */
/** `on` and `id`: type and id of the record; `write`: what is written at the end.
 * @typedef {object} Talk
 * @property {"comment" | "ticket_message"} type @property {string} on @property {number} id
 * @property {(record: any) => Entry} entry @property {Writing | null} write
 * @property {(text: string, parentId: number) => unknown} [reply]
 * @property {(record: any, text: string, match: any) => unknown} [edit]
 * @property {(record: any) => unknown} [remove] */

/** @param {Answer<any>} first page @param {Talk} talk */
export function talk(first, { type, on, id, entry, write, reply, edit, remove }) {
  const ids = /** @type {Set<number>} */ (new Set());
  /** Comments whose change is being saved: their drafts are still kept. @type {Set<number>} */
  const saving = new Set();
  const [above, list] = [node("div"), node("ol.thread")];

  const row = (/** @type {any} */ known) => {
    const { author, at, text, label, aside, support, edited, own, parentId } = entry(known);
    const place = node("div.entry-acts");
    const content = node(text === null ? "p.quiet" : "p.text", text ?? "This comment was deleted.");
    const open = (/** @type {Writing} */ writing) => {
      const cancel = () => {
        place.replaceChildren(...acts);
        content.hidden = false;
      };
      place.replaceChildren(writer({ ...writing, cancel }));
      return place.querySelector("textarea");
    };
    const change = () => {
      content.hidden = true;
      return open({
        label: "Comment", submit: "Save", draft: `edit ${known.id}`, value: text ?? "", match: known,
        textOf: (current) => current.content,
        save: async (changed, match) => {
          saving.add(known.id);
          await Promise.resolve(edit?.(known, changed, match)).finally(() => saving.delete(known.id));
        },
      });
    };
    const answer = () => open({ label: `Reply to ${author}`, submit: "Reply", draft: `reply ${known.id}`,
      save: (written) => reply?.(written, known.id) });
    const kind = "plain";
    const acts = text === null ? [] : [
      reply && button("Reply", () => answer()?.focus(), { kind, name: `Reply to ${author}` }),
      edit && own && button("Edit", () => change()?.focus(), { kind, name: "Edit your comment" }),
      remove && own && button("Delete", () => remove(known), { kind, name: "Delete your comment" }),
    ].flatMap((one) => one || []);
    place.append(...acts);
    const kinds = [parentId && "reply", aside && "aside", support && "support"].filter(Boolean).join(" ");
    if (own && !saving.has(known.id) && draftOf(`edit ${known.id}`) !== null) change();
    else if (reply && draftOf(`reply ${known.id}`) !== null) answer();
    return node("li", { class: kinds || null },
      node("p.by", node("b", node("bdi", author)), label && quiet(label), time(at),
        edited && quiet("edited")),
      content, place);
  };

  const take = (/** @type {any} */ rows) => store(type, rows).forEach((one) => ids.add(one.id));
  /** Shows them; with a page, also its rows. @param {typeof first} [page] */
  const show = (page) => {
    if (page) {
      take(page.data.messages ?? page.data);
      const { next } = page;
      above.replaceChildren(next ? button("Show earlier", async () => show(await more(next))) : "");
    }
    const known = new Map([...ids].flatMap((one) => record(type, one) ?? []).map((one) => [one.id, one]));
    const order = (/** @type {any} */ one, top = one) => {
      for (let next = one; next; next = known.get(entry(next).parentId ?? 0)) top = next;
      return `${entry(top).at} ${String(top.id).padStart(16)} ${entry(one).at}`;
    };
    const sorted = [...known.values()].sort((one, other) => (order(one) < order(other) ? -1 : 1));
    rows(list, sorted, (one) => one.id, row);
  };
  const wants = (/** @type {Change} */ change) => {
    const own = change.type === type && change.parent?.type === on && change.parent.recordId === id;
    if (own) ids.add(change.recordId);
    return own;
  };
  show(first);
  // A reader of the screen hears what is added.
  const log = node("div", { role: "log" }, node("div.threaded", list, write && writer(write)));
  return { element: node("div.threaded", above, log), show, take, wants };
}

/** A task or a request with its comments. @param {"task" | "service_request"} on @param {number} id
 * @param {"/api/tasks/{taskId}/comments" | "/api/service-requests/{serviceRequestId}/comments"} list
 * @param {any} of parameters of the list @param {Permission} permission @param {AbortSignal} signal */
export async function commented(on, id, list, of, permission, signal) {
  const path = on === "task" ? "/api/tasks/{id}" : "/api/service-requests/{id}";
  const one = /** @type {"/api/tasks/{taskId}/comments/{commentId}"} */ (`${list}/{commentId}`);
  const keep = (/** @type {Comment} */ comment) => {
    made.take(comment);
    made.show();
  };
  const send = async (/** @type {string} */ content, /** @type {number | null} */ parentId) =>
    keep((await post(list, of, { content, parentId })).data);
  const [{ data: row }, page] = await Promise.all([get(path, { id }, { signal }),
    get(list, { ...of, sort: "-createdAt", limit: LIMIT }, { signal })]);
  store(on, /** @type {any} */ (row));
  const made = { row, ...talk(page, {
    type: "comment", on, id,
    entry: ({ user, userId, createdAt, updatedAt, deletedAt, content, parentId }) => ({
      author: user?.fullName ?? "A former user", at: createdAt, text: deletedAt ? null : content, parentId,
      edited: !deletedAt && updatedAt !== createdAt, own: userId === myId() || may("manage_directory") }),
    write: { label: "Comment", submit: "Comment", draft: "comment", reason: denied(permission),
      save: (content) => send(content, null) },
    ...(may(permission) && { reply: send }),
    edit: async (row, content, match) =>
      keep((await patch(one, { ...of, commentId: row.id }, { content }, { match })).data),
    remove: async (row) => {
      await remove(one, { ...of, commentId: row.id }, { match: row });
      keep({ ...row, content: "", deletedAt: new Date(now()).toISOString(), version: row.version + 1 });
    },
  }) };
  return made;
}

/** What is said on a record: comments, or the messages of a ticket. The newest are read first. */
/** @import { Change, Comment, Permission } from "workdesk" */
import { button, denied, get, may, more, myId, node, patch, post, record, remove, store } from "../kit.js";
import { thread } from "../thread.js";

/** How many are read at once. */
export const LIMIT = 50;
/** @typedef {"/api/tasks/{taskId}/comments" | "/api/service-requests/{serviceRequestId}/comments"} Path */

/** @param {"comment" | "ticket_message"} type @param {string} on type of the record @param {number} id of it
 * @param {{ data: any, next: string | null }} first @param {Parameters<typeof thread<any>>[0]} options */
export function talk(type, on, id, first, options) {
  const ids = /** @type {Set<number>} */ (new Set());
  const { element: list, show: showThread } = thread(options);
  const above = node("div");
  const take = (/** @type {any} */ rows) => store(type, rows).forEach((row) => ids.add(row.id));
  /** Shows them; with a page, also its rows. @param {typeof first} [page] */
  const show = (page) => {
    if (page) {
      take(page.data.messages ?? page.data);
      const { next } = page;
      above.replaceChildren(next ? button("Show earlier", async () => show(await more(next))) : "");
    }
    showThread([...ids].flatMap((one) => record(type, one) ?? []));
  };
  const wants = (/** @type {Change} */ change) => {
    const own = change.type === type && change.parent?.type === on && change.parent.recordId === id;
    if (own) ids.add(change.recordId);
    return own;
  };
  show(first);
  // A reader of the screen hears what is added.
  return { element: node("div.threaded", above, node("div", { role: "log" }, list)), show, take, wants };
}

/** The comments of a task or a request. @param {Path} path @param {any} on parameters of the path
 * @param {string} type @param {number} id @param {Permission} permission @param {AbortSignal} signal */
export async function comments(path, on, type, id, permission, signal) {
  const one = /** @type {"/api/tasks/{taskId}/comments/{commentId}"} */ (`${path}/{commentId}`);
  const keep = (/** @type {Comment} */ comment) => {
    made.take(comment);
    made.show();
  };
  const send = async (/** @type {string} */ content, /** @type {number | null} */ parentId) =>
    keep((await post(path, on, { content, parentId })).data);
  const page = await get(path, { ...on, sort: "-createdAt", limit: LIMIT }, { signal });
  const made = talk("comment", type, id, page, {
    entry,
    write: {
      label: "Comment", submit: "Comment", draft: "comment", reason: denied(permission),
      save: (content) => send(content, null),
    },
    ...(may(permission) && { reply: send }),
    edit: async (row, content, match) =>
      keep((await patch(one, { ...on, commentId: row.id }, { content }, { match })).data),
    remove: async (row) => {
      await remove(one, { ...on, commentId: row.id }, { match: row });
      keep({ ...row, content: "", deletedAt: new Date().toISOString(), version: row.version + 1 });
    },
  });
  return made;
}

function entry(/** @type {Comment} */ { user, userId, createdAt, updatedAt, deletedAt, content, parentId }) {
  return {
    author: user?.fullName ?? "A former user", at: createdAt, text: deletedAt ? null : content, parentId,
    edited: !deletedAt && updatedAt !== createdAt, own: userId === myId() || may("manage_directory"),
  };
}

/** A task or a request with its comments. */
/** @import { Comment, Permission } from "workdesk" */
import { denied, get, may, myId, now, patch, post, store } from "../kit.js";
import { draftsOf } from "./page.js";
import { LIMIT, talk } from "./talk.js";
import { deleteLater } from "./undo.js";

/** @param {"task" | "service_request"} on @param {number} id
 * @param {"/api/tasks/{taskId}/comments" | "/api/service-requests/{serviceRequestId}/comments"}
 * list
 * @param {any} of parameters of the list @param {Permission} permission
 * @param {AbortSignal} signal */
export async function commented(on, id, list, of, permission, signal) {
  const path = on === "task" ? "/api/tasks/{id}" : "/api/service-requests/{id}";
  const one = /** @type {"/api/tasks/{taskId}/comments/{commentId}"} */ (`${list}/{commentId}`);
  const keep = (/** @type {Comment} */ comment) => {
    made.take(comment);
    made.show();
  };
  const send = async (/** @type {string} */ content, /** @type {number | null} */ parentId) =>
    keep((await post(list, of, { content, parentId })).data);
  /** Deletes a comment, unless the user takes it back within five seconds. @param {Comment} row */
  const undoable = (row) => deleteLater({ type: "comment", row, name: "the comment", path: one,
    on: { ...of, commentId: row.id },
    gone: () => void store("comment", { ...row, content: "",
      deletedAt: new Date(now()).toISOString(),
      version: row.version + 1 }) });
  const [{ data: row }, page] = await Promise.all([get(path, { id }, { signal }),
    get(list, { ...of, sort: "-createdAt", limit: LIMIT }, { signal })]);
  store(on, /** @type {any} */ (row));
  const made = { row, ...talk(page, {
    type: "comment", on, id, drafts: draftsOf(on, id),
    entry: ({ user, userId, createdAt, updatedAt, deletedAt, content, parentId }) => ({
      author: user?.fullName ?? "A former user", at: createdAt, text: deletedAt ? null : content,
      parentId,
      edited: !deletedAt && updatedAt !== createdAt,
      own: userId === myId() || may("manage_directory") }),
    write: { label: "Comment", submit: "Comment", draft: draftsOf(on, id)("comment"), key: "r",
      reason: denied(permission), save: (content) => send(content, null) },
    ...(may(permission) && { reply: send }),
    edit: async (row, content, match) =>
      keep((await patch(one, { ...of, commentId: row.id }, { content }, { match })).data),
    remove: undoable,
  }) };
  return made;
}

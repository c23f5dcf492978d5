/** A task: its text, fields, tags, comments and history. `#/tasks/7` */

/** @import { Comment } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { all, get, patch, post, remove } from "../../api/client.js";
import { drop, hide, put, record, watch } from "../../api/records.js";
import { button, empty, node, time } from "../../elements.js";
import { draftOf } from "../../frame/drafts.js";
import { notice } from "../../frame/frame.js";
import { go, to } from "../../frame/router.js";
import { denied, may, me } from "../../frame/session.js";
import { thread, writer } from "../../thread.js";
import { fieldsOf, readPhases } from "./fields.js";
import { historyOf } from "./history.js";
import { tagsOf } from "./tags.js";

/** @param {Context} context @param {Record<string, string>} parameters */
export async function view({ header, body, signal, title }, parameters) {
  const id = Number(parameters["id"]);
  const known = record("task", id);
  if (known) title(known.title);
  const [task, comments] = await Promise.all([
    get("/api/tasks/{id}", { id }, { signal }),
    all("/api/tasks/{taskId}/comments", { taskId: id }, { signal }),
  ]);
  put("task", task.data);
  const { phaseId, projectId } = task.data;
  if (phaseId && projectId && !record("phase", phaseId)) await readPhases(projectId);
  const threadIds = new Set(put("comment", comments).map((comment) => comment.id));

  const place = node("p", { class: "quiet whole" });
  const heading = node("div", { class: "whole" });
  const description = node("div", { class: "described" });
  const fields = fieldsOf(id, save, [tagsOf(id)]);
  const history = historyOf(signal, () => get("/api/tasks/{id}/history", { id, limit: 100 }, { signal }));
  const talk = thread({
    entry,
    write: { label: "Comment", submit: "Comment", draft: "comment", save: (text) => comment(text, null), reason: denied("comment_activity") },
    ...(may("comment_activity") && { reply: comment }),
    edit: async (one, content, match) => {
      const path = { taskId: id, commentId: one.id };
      put("comment", (await patch("/api/tasks/{taskId}/comments/{commentId}", path, { content }, { match })).data);
    },
    remove: async (one) => {
      await remove("/api/tasks/{taskId}/comments/{commentId}", { taskId: id, commentId: one.id }, { match: one });
      put("comment", { ...one, content: "", deletedAt: new Date().toISOString(), version: one.version + 1 });
    },
  });
  header.append(
    node("span", { class: "push" },
      button("Edit title", () => edit("title", true), { reason: denied("update_task"), kind: "plain" }),
      button("Delete", erase, { reason: denied("delete_task"), kind: "plain" })),
    heading, place);
  body.append(node("div", { class: "task" },
    node("div", { class: "column" },
      node("section", {}, node("h2", {}, "Description"), description),
      node("section", {}, node("h2", {}, "Comments"), talk.element), history.element),
    fields.element));

  /** Saves fields of the task as it was read. @param {import("workdesk").TaskUpdate} changes
   * @param {{ version: number }} match */
  async function save(changes, match) {
    put("task", (await patch("/api/tasks/{id}", { id }, changes, { match })).data);
  }

  /** @param {string} content @param {number | null} parentId */
  async function comment(content, parentId) {
    const { data } = await post("/api/tasks/{taskId}/comments", { taskId: id }, { content, parentId });
    threadIds.add(data.id);
    put("comment", data);
  }

  /** Opens the writer of a text. @param {"title" | "description"} name @param {boolean} focus */
  function edit(name, focus) {
    const line = name === "title";
    const [where, label] = line ? [heading, "Title"] : [description, "Description"];
    const task = record("task", id);
    if (!task) return;
    const made = writer({
      label, submit: "Save", draft: name, value: task[name] ?? "", match: task, line,
      textOf: (current) => current[name] ?? "",
      save: (text, match) => save({ [name]: text || null }, match),
      cancel: () => {
        where.replaceChildren();
        show();
      },
    });
    where.replaceChildren(made);
    const control = /** @type {HTMLElement | null} */ (made.querySelector("[name=content]"));
    if (focus) control?.focus();
  }

  /** Deletes the task, unless the user takes it back within five seconds. */
  function erase() {
    const task = record("task", id);
    if (!task) return;
    const send = (/** @type {boolean} */ leaving) => {
      remove("/api/tasks/{id}", { id }, { match: task, keepalive: leaving }).then(
        () => drop("task", id),
        (problem) => {
          restore();
          notice(`${task.title} was not deleted. ${problem.detail}`, "Open it", () => go(`/tasks/${id}`));
        });
    };
    const restore = () => hide("task", id, false);
    hide("task", id, true);
    go(task.projectId ? `/projects/${task.projectId}` : "/");
    notice(`Deleted ${task.title}.`, "Undo", restore, send);
  }

  function show() {
    const task = record("task", id);
    if (!task) return void (signal.aborted || body.replaceChildren(empty("This task was deleted.")));
    title(task.title);
    place.replaceChildren(`Task ${id}`, ...(task.project ? [" in ", node("a", { href: to(`/projects/${task.project.id}`) }, task.project.title)] : []),
      ", changed ", time(task.updatedAt));
    if (!description.querySelector("form")) {
      const text = task.description ? node("p", { class: "text" }, task.description) : empty("No description.");
      const change = () => edit("description", true);
      description.replaceChildren(text, button("Edit description", change, { reason: denied("update_task"), kind: "plain" }));
    }
    fields.show(task);
    talk.show([...threadIds].flatMap((one) => /** @type {Comment | undefined} */ (record("comment", one)) ?? []));
  }

  show();
  for (const name of /** @type {const} */ (["title", "description"])) if (draftOf(name) !== null) edit(name, false);
  watch(signal, {
    wants: ({ type, recordId, parent }) => (type === "task" && recordId === id)
      || (type === "comment" && parent?.type === "task" && parent.recordId === id),
    changed: (keys) => {
      for (const key of keys) {
        const [type, one] = key.split(":");
        const found = type === "comment" && record("comment", Number(one));
        if (found && /** @type {any} */ (found).taskId === id) threadIds.add(Number(one));
      }
      if (keys.has(`task:${id}`)) history.changed();
      show();
    },
  });
}

/** @param {Comment} comment @returns {import("../../thread.js").Entry} */
function entry({ user, userId, createdAt, updatedAt, deletedAt, content, parentId }) {
  return {
    author: user?.fullName ?? "A former user", at: createdAt, text: deletedAt ? null : content, parentId,
    edited: !deletedAt && updatedAt !== createdAt, own: userId === me().user.id || may("manage_directory"),
  };
}

/** A request: its description, comments and fields. `#/requests/{id}` */

/** @import { Comment, ServiceRequest, ServiceRequestUpdate } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, more, patch, post, remove } from "../../api/client.js";
import { drop, everyone, put, record, watch } from "../../api/records.js";
import { button, dialog, empty, form, node, person, time } from "../../elements.js";
import { addressOf, go, to } from "../../frame/router.js";
import { denied, may, myId } from "../../frame/session.js";
import { thread } from "../../thread.js";
import { historyOf } from "../tasks/history.js";
import { fieldsOf, fixed, textOf } from "./fields.js";

const LIMIT = 50;
const COMMENT = "/api/service-requests/{serviceRequestId}/comments/{commentId}";

/** @param {Context} context @param {Record<string, string>} parameters */
export async function view({ header, body, title, signal }, parameters) {
  const id = Number(parameters["id"]);
  const on = { serviceRequestId: id };
  const [{ data: read }, page, people] = await Promise.all([
    get("/api/service-requests/{id}", { id }, { signal }),
    get("/api/service-requests/{serviceRequestId}/comments", { ...on, sort: "-createdAt", limit: LIMIT }, { signal }),
    everyone().catch(() => []),
  ]);
  put("service_request", read);
  /** @type {Map<number, Comment>} */
  const comments = new Map(put("comment", page.data).map((comment) => [comment.id, comment]));
  let earlier = page.next;

  const known = {
    read: () => record("service_request", id) ?? read,
    save: async (/** @type {ServiceRequestUpdate} */ change, /** @type {{ version: number }} */ match) =>
      put("service_request", (await patch("/api/service-requests/{id}", { id }, change, { match })).data),
    keep: (/** @type {ServiceRequest} */ current) => put("service_request", current),
    reason: denied("update_service_request"),
  };
  const heading = textOf(known, { label: "Title", name: "title", line: true });
  const description = textOf(known, { label: "Description", name: "description", none: "No description.",
    shown: (text) => node("p", { class: "text" }, text) });
  const category = textOf(known, { label: "Category", name: "category", line: true, optional: true, none: "None",
    shown: (text) => node("span", {}, text) });
  const facts = node("div", { class: "also" });
  const history = historyOf(signal, () => get("/api/service-requests/{id}/history", { id, limit: 100 }, { signal }));
  const fields = fieldsOf(known, people, [
    fixed("Category", category.element), facts,
    ...(known.reason ? [node("p", { class: "quiet" }, known.reason.replace("do this", "change a request"))] : []),
  ]);
  const place = node("p", { class: "quiet whole" });

  /** @param {Comment} comment */
  const keep = (comment) => {
    put("comment", comment);
    comments.set(comment.id, comment);
    show();
  };
  const comment = async (/** @type {string} */ content, /** @type {number | null} */ parentId) =>
    keep((await post("/api/service-requests/{serviceRequestId}/comments", on, { content, parentId })).data);
  const talk = thread({
    entry: (/** @type {Comment} */ { user, userId, content, createdAt, updatedAt, deletedAt, parentId }) => ({
      author: user?.fullName ?? "A former user", at: createdAt, text: deletedAt ? null : content, parentId,
      edited: !deletedAt && updatedAt !== createdAt, own: userId === myId() || may("manage_directory"),
    }),
    write: { label: "Comment", submit: "Comment", draft: "comment", reason: denied("comment_service_request"),
      save: (content) => comment(content, null) },
    ...(may("comment_service_request") ? { reply: comment } : {}),
    edit: async (old, content, match) => keep((await patch(COMMENT, { ...on, commentId: old.id }, { content }, { match })).data),
    remove: async (old) => {
      await remove(COMMENT, { ...on, commentId: old.id }, { match: old });
      keep({ ...old, content: "", deletedAt: new Date().toISOString(), version: old.version + 1 });
    },
  });
  const above = node("div");
  const readEarlier = async () => {
    const before = await more(earlier ?? "", { signal });
    earlier = before.next;
    for (const old of put("comment", before.data)) comments.set(old.id, old);
    show();
  };
  const show = () => {
    const request = known.read();
    title(request.title);
    place.replaceChildren(`Request ${id}, raised by `, person(creatorOf(request), `user ${request.creatorId}`), " ",
      time(request.createdAt), ", changed ", time(request.updatedAt));
    for (const one of [heading, description, category, fields]) one.show();
    above.replaceChildren(...(earlier ? [button("Earlier comments", readEarlier)] : []));
    talk.show([...comments.values()]);
    const action = request.agentAction;
    const project = request.referenceType === "project" && request.referenceId;
    facts.replaceChildren(
      ...(project ? [fixed("About", node("a", { class: "link", href: to(`/projects/${project}`) },
        record("project", project)?.title ?? `Project ${project}`))] : []),
      ...(action ? [fixed("From", node("a", { class: "link", href: addressOf("agent_session", action.sessionId) },
        "the agent’s session"))] : []));
  };
  const creatorOf = (/** @type {ServiceRequest} */ { creatorId }) => people.find((user) => user.id === creatorId);

  watch(signal, {
    wants: ({ type, recordId, parent }) => (type === "service_request" && recordId === id) ||
      (type === "comment" && parent?.type === "service_request" && parent.recordId === id),
    changed: (keys) => {
      for (const key of keys) {
        const [type, number] = key.split(":");
        const changed = type === "comment" && record("comment", Number(number));
        const here = changed && "serviceRequestId" in changed && changed.serviceRequestId === id;
        if (here) comments.set(changed.id, changed);
      }
      if (keys.has(`service_request:${id}`)) history.changed();
      const gone = keys.has(`service_request:${id}`) && !record("service_request", id);
      if (gone) body.replaceChildren(empty("This request was deleted."));
      else show();
    },
  });
  const reason = read.creatorId === myId() ? "" : denied("delete_service_request");
  const erase = button("Delete", () => ask(id, known.read().title), { kind: "plain", reason });
  header.append(heading.element, node("span", { class: "push" }, erase), place);
  body.append(node("div", { class: "task" },
    node("div", { class: "column" },
      node("section", {}, node("h2", {}, "Description"), description.element),
      node("section", {}, node("h2", {}, "Comments"), above, talk.element), history.element),
    fields.element));
  show();
}

/** @param {number} id @param {string} name */
function ask(id, name) {
  const over = dialog("Delete this request?", [
    node("p", {}, `“${name}” and its comments are deleted for good.`),
    form({ fields: [], submit: "Delete request", cancel: () => over.close(), act: async () => {
      await remove("/api/service-requests/{id}", { id });
      drop("service_request", id);
      over.close();
      go("/requests");
    } }),
  ]);
}

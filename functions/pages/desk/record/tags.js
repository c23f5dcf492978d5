/** The tags of tasks, requests and tickets: as chips, as a field, as choices. */
/** @import { TagRef } from "workdesk" @import { Choice } from "../kit.js" */
/** @import { Field } from "./fields.js" @import { Type } from "./selection.js" */
import {
  all, button, choicesOf, denied, empty, get, node, post, put, remove, store, trouble,
} from "../kit.js";

/** Paths of a record's tag, and the parameter with the record's id. */
const PATHS = /** @type {const} */ ({
  task: ["/api/tasks/{taskId}/tags/{tagId}", "taskId"],
  service_request: ["/api/service-requests/{id}/tags/{tagId}", "id"],
  ticket: ["/api/managed-services/tickets/{id}/tags/{tagId}", "id"],
});

/** Reads a record. @type {Record<Type, (id: number) => Promise<any>>} */
const READS = {
  task: async (id) => (await get("/api/tasks/{id}", { id })).data,
  service_request: async (id) => (await get("/api/service-requests/{id}", { id })).data,
  ticket: async (ticketId) =>
    (await get("/api/managed-services/ticket/{ticketId}", { ticketId, limit: 1 })).data.ticket,
};

/** Adds a tag to a record or removes it, and reads the record then.
 * @param {Type} type @param {number} id @param {number} tagId @param {boolean} adds */
export async function setTag(type, id, tagId, adds) {
  const [path, name] = PATHS[type];
  const on = /** @type {any} */ ({ [name]: id, tagId });
  if (!adds) await remove(path, on);
  else if (type === "task") await post("/api/tasks/{taskId}/tags", { taskId: id }, { tagId });
  else await put(/** @type {any} */ (path), on);
  store(type, await READS[type](id));
}

/** The tags of the organization as choices. @returns {Promise<Choice[]>} */
export const tagChoices = async () => choicesOf(await all("/api/tags", {}));

/** Tags as chips. @param {TagRef[]} tags */
export const chips = (tags) => tags.map(({ name }) => node("span.tag", node("bdi", name)));

/** The field of a record's page. @param {Type} type @returns {Field} */
export const tagField = (type) => ({ label: "Tags", name: "tags", reason: denied("tag_activity"),
  shown: ({ tags }) => tags.length > 0 && node("span.tags", chips(tags)),
  editor: (record, close) => tagBoxes(type, record, close) });

/** A box for each tag of the organization. @param {Type} type
 * @param {{ id: number, tags: TagRef[] }} record @param {() => void} close */
async function tagBoxes(type, { id, tags: attached }, close) {
  const tags = await all("/api/tags", {});
  const failed = node("div");
  const set = async (/** @type {any} */ box, /** @type {number} */ tagId) => {
    failed.replaceChildren();
    try {
      await setTag(type, id, tagId, box.checked);
    } catch (problem) {
      box.checked = !box.checked;
      failed.append(trouble(problem));
    }
  };
  const box = (/** @type {TagRef} */ tag) => node("label", node("input", { type: "checkbox",
    checked: attached.some((one) => one.id === tag.id),
    onchange: ({ target }) => set(target, tag.id) }), tag.name);
  return node("fieldset", node("legend.only-read", "Tags"), tags.map(box), failed,
    tags.length === 0 && empty("The organization has no tags."), button("Close", close));
}

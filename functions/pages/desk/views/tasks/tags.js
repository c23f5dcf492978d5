/** The tags of a task: a box for each tag of the organization, when they are edited. */

/** @import { JoinedTask } from "workdesk" */
import { all, get, post, remove } from "../../api/client.js";
import { put, record } from "../../api/records.js";
import { button, empty, node } from "../../elements.js";
import { denied } from "../../frame/session.js";

/** @param {number} id */
export function tagsOf(id) {
  const value = node("div", {});
  const element = node("div", { class: "fact" }, node("span", { class: "quiet" }, "Tags"), value);
  const reason = denied("tag_activity");
  let editing = false;

  /** @param {JoinedTask | undefined} task */
  function show(task) {
    if (editing || !task) return;
    const names = task.tags.map(({ name }) => name).join(", ") || node("span", { class: "quiet" }, "None");
    if (reason) return value.replaceChildren(node("span", { title: reason }, names));
    const change = button("", open, { kind: "plain" });
    change.firstElementChild?.append(node("span", { class: "only-read" }, "Tags: "), names);
    value.replaceChildren(change);
  }

  async function open() {
    const tags = await all("/api/tags", {});
    const attached = new Set(record("task", id)?.tags.map((tag) => tag.id));
    const boxes = tags.map((tag) => {
      const input = node("input", { type: "checkbox", checked: attached.has(tag.id) });
      const place = node("div", {}, node("label", {}, input, tag.name));
      const failed = node("div", {});
      input.addEventListener("change", async () => {
        failed.replaceChildren();
        await set(tag.id, input.checked).catch((problem) => {
          input.checked = !input.checked;
          failed.replaceChildren(node("span", { class: "trouble", role: "alert" }, problem.detail));
        });
      });
      place.append(failed);
      return place;
    });
    const close = () => {
      editing = false;
      show(record("task", id));
      value.querySelector("button")?.focus();
    };
    editing = true;
    const made = node("fieldset", { onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && close() },
      node("legend", { class: "only-read" }, "Tags"), ...boxes,
      tags.length === 0 && empty("The organization has no tags."), button("Close", close));
    value.replaceChildren(made);
    made.querySelector("input")?.focus();
  }

  /** @param {number} tagId @param {boolean} attach */
  async function set(tagId, attach) {
    if (attach) await post("/api/tasks/{taskId}/tags", { taskId: id }, { tagId });
    else await remove("/api/tasks/{taskId}/tags/{tagId}", { taskId: id, tagId });
    put("task", (await get("/api/tasks/{id}", { id })).data);
  }

  return { element, show };
}

/** The dialog in which a request or a ticket is raised. What is typed stays when it is closed. */

/** @import { Priority } from "workdesk" */
import { dialog, field, form, node, select } from "../../elements.js";
import { go } from "../../frame/router.js";
import { PRIORITIES } from "./states.js";

/** @typedef {{ title: string, description: string, priority: Priority }} Content */

/**
 * @param {string} heading @param {string} path of the pages @param {HTMLElement[]} fields further ones
 * @param {(content: Content) => Promise<{ id: number }>} send
 */
export function raise(heading, path, fields, send) {
  const title = node("input", { name: "title", required: true, maxlength: 255 });
  const description = node("textarea", { name: "description" });
  const priority = select("priority", PRIORITIES, "medium");
  const act = async () => {
    const { id } = await send({
      title: title.value, description: description.value, priority: /** @type {Priority} */ (priority.value),
    });
    over.close();
    go(`${path}/${id}`);
  };
  const over = dialog(heading, [
    form({
      fields: [field("Title", title), field("Description", description), field("Priority", priority), ...fields],
      submit: heading, act, cancel: () => over.close(), draft: "raise",
    }),
  ]);
  title.focus();
}

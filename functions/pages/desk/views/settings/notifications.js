/** Which notifications the user gets. `#/settings/notifications` */

/** @import { NotificationPreferences } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, put } from "../../api/client.js";
import { form, node } from "../../elements.js";
import { checks } from "./parts.js";

/** @type {Record<keyof NotificationPreferences, string>} */
const KINDS = {
  mentioned: "A comment, a message or a description names me",
  assigned: "I became the assignee of a task, a request or a ticket",
  action_needed: "A manual action of the agent was handed over to me",
  approval_needed: "A proposal of the agent awaits my approval",
  commented: "A comment or a message on what I created, am assigned to or commented on",
  due_soon: "My task is due within 24 hours",
  overdue: "My task is past its due date",
  webhook_disabled: "The service disabled a webhook",
  policy_loosened: "The agent’s policy allows more than before",
};

/** @param {Context} context */
export async function notifications({ body, signal }) {
  const { data: known } = await get("/api/notifications/preferences", {}, { signal });
  const names = /** @type {(keyof NotificationPreferences)[]} */ (Object.keys(KINDS));
  const kinds = checks("Notify me when", names.map((name) => [name, KINDS[name]]), names.filter((name) => known[name].inbox));
  const mails = checks("Send me a mail, too, when", names.map((name) => [name, KINDS[name]]), names.filter((name) => known[name].mail));
  mails.element.classList.add("long");
  kinds.element.classList.add("long");
  const done = node("p", { role: "status" });
  for (const { element } of [kinds, mails]) element.addEventListener("change", () => (done.textContent = ""));
  body.append(form({
    fields: [kinds.element, mails.element], submit: "Save",
    act: async () => {
      const channels = (/** @type {string} */ name) => {
        const inbox = kinds.values().includes(name);
        return { inbox, mail: inbox && mails.values().includes(name) };
      };
      const chosen = Object.fromEntries(names.map((name) => [name, channels(name)]));
      await put("/api/notifications/preferences", {}, chosen);
      done.textContent = "Saved.";
    },
  }), done);
}

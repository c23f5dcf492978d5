/** A webhook and its deliveries. `#/settings/webhooks/{id}` */

/** @import { DeliveryStatus, Webhook, WebhookDelivery } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, patch, post, remove } from "../../api/client.js";
import { button, form, node, quiet, state, time, words } from "../../elements.js";
import { go } from "../../frame/router.js";
import { update } from "../requests/fields.js";
import { confirm, paged, secret, send } from "./parts.js";
import { health, patternName, webhookFields } from "./webhooks.js";

/** @type {Record<DeliveryStatus, string>} */
const LOOKS = { pending: "pause warn", delivered: "check good", failed: "stop bad" };

/** @param {Context} context @param {string} address */
export async function webhook({ header, body, title, signal }, address) {
  const id = Number(address);
  const rows = get("/api/webhooks/{id}/deliveries", { id, limit: 50 }, { signal });
  const [{ data }, deliveries] = await Promise.all([
    get("/api/webhooks/{id}", { id }, { signal }),
    paged(rows, (row) => line(id, row), "No delivery within 7 days."),
  ]);
  title("Webhook");
  const place = node("div", { class: "stack" });
  const result = node("p", { role: "status" });
  const acts = node("span", { class: "action" });
  /** @param {Webhook} known */
  const show = (known) => {
    const save = async (/** @type {any} */ change, /** @type {{ version: number }} */ match) =>
      (await patch("/api/webhooks/{id}", { id }, change, { match })).data;
    const turn = async () => show(/** @type {Webhook} */ (await update(save, { enabled: !known.enabled }, known)));
    const test = async () => {
      const { status, statusCode, durationMs, error } = (await post("/api/webhooks/{id}/test", { id })).data;
      const text = error ?? `Status ${statusCode}`;
      result.replaceChildren(state(status, words(status), LOOKS[status]), ` ${text}, ${durationMs} ms`);
    };
    const rotate = async () => {
      const { data: rotated } = await post("/api/webhooks/{id}/rotate-secret", { id });
      show(rotated);
      body.prepend(secret(`New secret of ${rotated.url}`, rotated.secret));
    };
    const drop = async () => {
      await remove("/api/webhooks/{id}", { id });
      go("/settings/webhooks");
    };
    acts.replaceChildren(
      button("Send a test", test),
      button(known.enabled ? "Disable" : "Enable", turn),
      button("Rotate secret", () =>
        confirm("Rotate the secret?", "For 24 hours messages are signed with both.", "Rotate secret", rotate)),
      button("Delete", () =>
        confirm("Delete this webhook?", "Its deliveries are deleted, too.", "Delete webhook", drop)));
    const { fields, values } = webhookFields(known);
    const text = (/** @type {Pick<Webhook, "url" | "types" | "description">} */ one) =>
      [one.url, one.description ?? "", ...one.types.map(patternName)].join("\n");
    place.replaceChildren(
      node("p", { class: "end" }, ...health(known)), result,
      node("details", {}, node("summary", {}, "URL and events"), form({
        fields, submit: "Save webhook", draft: "webhook",
        act: (made) => send({ place: made, what: "The webhook", known, mine: text(values()), theirs: text, take: show,
          save: (match) => save(values(), match) }),
      })));
  };
  header.append(acts);
  body.append(node("p", { class: "quiet" }, data.url), place,
    node("section", {}, node("h2", {}, "Deliveries of 7 days"), deliveries.element));
  show(data);
}

/** @param {number} webhookId @param {WebhookDelivery} delivery */
function line(webhookId, { id, type, change, status, attempts, lastStatusCode, lastError, nextAttemptAt, createdAt }) {
  const done = node("span", { role: "status" });
  const again = async () => {
    await post("/api/webhooks/{id}/deliveries/{deliveryId}/redeliver", { id: webhookId, deliveryId: id });
    done.textContent = "Sent again.";
  };
  const result = lastError ?? (lastStatusCode ? `status ${lastStatusCode}` : "");
  return node("li", {},
    node("span", { class: "grow" }, patternName(type), quiet(` #${change.recordId}`)),
    state(status, words(status), LOOKS[status]),
    quiet([result, `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`].filter(Boolean).join(", ")),
    nextAttemptAt && quiet("next ", time(nextAttemptAt)),
    quiet(time(createdAt)),
    button("Send again", again, { kind: "plain", name: `Send again: ${type} of ${change.recordId}` }), done);
}

/** Webhooks: URLs that are called when records change; one of them, and its deliveries. `#/settings/webhooks/{id}` */

/** @import { DeliveryStatus, Webhook, WebhookCreate, WebhookDelivery } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, patch, post, remove } from "../../api/client.js";
import { button, counted, fold, form, input, node, quiet, state, time, words } from "../../elements.js";
import { go, to } from "../../frame/router.js";
import { save } from "../../record/fields.js";
import { asking, changing, checks, listed, shown, shownOnce } from "./parts.js";

/** All events of a type of record, or all. @type {WebhookCreate["types"]} */
const PATTERNS = ["*", "task.*", "milestone.*", "service_request.*", "ticket.*", "ticket_message.*", "activity.*",
  "project.*", "phase.*", "tag.*", "comment.*", "user.*", "alert.*", "agent_session.*", "notification.*"];
/** @type {Record<DeliveryStatus, string>} */
const LOOKS = { pending: "pause warn", delivered: "check good", failed: "stop bad" };
const REASONS = { gone: "Disabled: the receiver is gone", failing: "Disabled: it failed for five days" };

/** @param {Context} context */
export const webhooks = (context) => listed(context, {
  rows: (options) => get("/api/webhooks", { limit: 50 }, options), line, none: "No webhook.",
  create: "Create a webhook", secret: ({ url, secret }) => [`Secret of ${url}`, secret],
  form: () => {
    const { fields, values } = fieldsOf({ url: "", types: [], description: null });
    return { fields, draft: "webhook", act: async (typed) => (await post("/api/webhooks", {}, values(typed))).data };
  },
});

/** @param {Webhook} webhook */
function line(webhook) {
  const { id, url, description, types } = webhook;
  return node("li",
    node("div.grow", node("a", { href: to(`/settings/webhooks/${id}`) }, url),
      node("div.quiet", [description, types.map(nameOf).join(", ")].filter(Boolean).join(" · "))),
    health(webhook));
}

/** The state of a webhook, and its last success. @param {Webhook} webhook */
function health({ enabled, disabledReason, failingSince, lastSuccessAt }) {
  return [
    !enabled ? state("disabled", disabledReason ? REASONS[disabledReason] : "Disabled", "cross quiet")
      : failingSince ? state("failing", "Failing", "warning bad") : state("enabled", "Enabled", "full good"),
    quiet(failingSince ? ["since ", time(failingSince)]
      : lastSuccessAt ? ["last success ", time(lastSuccessAt)] : "no success yet"),
  ];
}

/** "task.*" as "Task (all)". @param {string} pattern */
function nameOf(pattern) {
  const [type = "", action = ""] = pattern.split(".");
  return pattern === "*" ? "All events" : `${words(type)} ${action === "*" ? "(all)" : action}`;
}

/** The fields of a webhook, and their values. @param {Pick<Webhook, "url" | "types" | "description">} known */
function fieldsOf({ url, description, types }) {
  const all = [...new Set([...PATTERNS, ...types])];
  const events = checks("Events", all.map((one) => /** @type {[typeof one, string]} */ ([one, nameOf(one)])), types);
  return {
    fields: [
      input("URL", "url", { type: "url", required: true, maxlength: 500, value: url, hint: "https, on a public host." }),
      input("Description", "description", { value: description }), events.element,
    ],
    values: (/** @type {Record<string, string>} */ typed) => ({
      url: typed["url"]?.trim() ?? "", description: typed["description"] || null, types: events.values(),
    }),
  };
}

/** @param {Context} context @param {string} address */
export async function webhook(context, address) {
  const { body, title, signal } = context;
  const on = { id: Number(address) };
  const result = node("p", { role: "status" });
  const test = async () => {
    const { status, statusCode, durationMs, error } = (await post("/api/webhooks/{id}/test", on)).data;
    const text = ` ${error ?? `Status ${statusCode}`}, ${durationMs} ms`;
    result.replaceChildren(state(status, words(status), LOOKS[status]), text);
  };
  const drop = async () => {
    await remove("/api/webhooks/{id}", on);
    go("/settings/webhooks");
  };
  const { data } = await get("/api/webhooks/{id}", on, { signal });
  title("Webhook");
  shown(context, data, (change, match) => patch("/api/webhooks/{id}", on, change, { match }), (known, record) => {
    const rotate = async () => {
      const { data: rotated } = await post("/api/webhooks/{id}/rotate-secret", on);
      record.keep(rotated);
      body.prepend(shownOnce(`New secret of ${rotated.url}`, rotated.secret));
    };
    return {
      acts: [
        button("Send a test", test),
        button(known.enabled ? "Disable" : "Enable", () => save(record, { enabled: !known.enabled }, known)),
        asking("Rotate secret", "Rotate the secret?", "For 24 hours messages are signed with both.", rotate),
        asking("Delete", "Delete this webhook?", "Its deliveries are deleted, too.", drop),
      ],
      parts: [
        node("p.quiet", known.url), node("p.end", health(known)), result,
        fold("form", "URL and events", form(changing({
          what: "The webhook", known, submit: "Save webhook", ...fieldsOf(known), save: record.patch, keep: record.keep,
        }))),
      ],
    };
  });
  await listed(context, {
    title: "Deliveries of 7 days", none: "No delivery within 7 days.", line: (row) => delivery(on.id, row),
    rows: (options) => get("/api/webhooks/{id}/deliveries", { ...on, limit: 50 }, options),
  });
}

/** @param {number} webhookId @param {WebhookDelivery} delivery */
function delivery(webhookId, { id, type, change, status, attempts, lastStatusCode, lastError, nextAttemptAt, createdAt }) {
  const done = node("span", { role: "status" });
  const again = async () => {
    await post("/api/webhooks/{id}/deliveries/{deliveryId}/redeliver", { id: webhookId, deliveryId: id });
    done.textContent = "Sent again.";
  };
  const result = lastError ?? (lastStatusCode && `status ${lastStatusCode}`);
  return node("li",
    node("span.grow", nameOf(type), quiet(` #${change.recordId}`)), state(status, words(status), LOOKS[status]),
    quiet([result, counted(attempts, "attempt")].filter(Boolean).join(", ")),
    nextAttemptAt && quiet("next ", time(nextAttemptAt)), quiet(time(createdAt)),
    button("Send again", again, { kind: "plain", name: `Send again: ${type} of ${change.recordId}` }), done);
}

/** Webhooks: URLs that are called when records change; one with its deliveries. `#/settings/webhooks/{id}` */
/** @import { DeliveryStatus, Webhook, WebhookCreate, WebhookDelivery } from "workdesk" */
/** @import { Context, View } from "../../frame/router.js" */
import { get, post, remove } from "../../api/client.js";
import { button, counted, fold, form, input, node, quiet, state, time, words } from "../../elements.js";
import { go, to } from "../../frame/router.js";
import { save } from "../../record/fields.js";
import { asking, changing, checks, listed, shown, shownOnce } from "./parts.js";

/** All events of a type of record, or all. @type {WebhookCreate["types"]} */
const PATTERNS = ["*", "task.*", "milestone.*", "service_request.*", "ticket.*", "ticket_message.*",
  "activity.*", "project.*", "phase.*", "tag.*", "comment.*", "user.*", "alert.*", "agent_session.*",
  "notification.*"];
/** @type {Record<DeliveryStatus, string>} */
const LOOKS = { pending: "pause warn", delivered: "check good", failed: "stop bad" };
const REASONS = { gone: "Disabled: the receiver is gone", failing: "Disabled: it failed for five days" };

export const webhooks = (/** @type {Context} */ context) => listed(context, {
  rows: (options) => get("/api/webhooks", { limit: 50 }, options), none: "No webhook.",
  line: (known) => node("li",
    node("div.grow", node("a", { href: to(`/settings/webhooks/${known.id}`) }, known.url),
      node("div.quiet", known.description && `${known.description} · `, known.types.map(nameOf).join(", "))),
    health(known)),
  create: "Create a webhook", secret: ({ url, secret }) => [`Secret of ${url}`, secret],
  form: () => {
    const { fields, values } = fieldsOf({ url: "", types: [], description: null });
    return { fields, act: async (typed) => (await post("/api/webhooks", {}, values(typed))).data };
  },
});

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

/** The fields of a webhook. @param {Pick<Webhook, "url" | "types" | "description">} known */
function fieldsOf({ url, description, types }) {
  const all = [...new Set([...PATTERNS, ...types])];
  const named = all.map((one) => /** @type {[typeof one, string]} */ ([one, nameOf(one)]));
  const events = checks("Events", named, types);
  const https = { type: "url", required: true, maxlength: 500, hint: "https, on a public host." };
  return {
    fields: [input("URL", "url", { ...https, value: url }),
      input("Description", "description", { value: description }), events.element],
    values: (/** @type {any} */ typed) => ({
      url: typed.url.trim(), description: typed.description || null, types: events.values(),
    }),
  };
}

/** @type {View} */
export async function webhook(context, { id }) {
  const on = { id: Number(id) };
  const result = node("p", { role: "status" });
  const test = async () => {
    const { status, statusCode, durationMs, error } = (await post("/api/webhooks/{id}/test", on)).data;
    const text = ` ${error ?? `Status ${statusCode}`}, ${durationMs} ms`;
    result.replaceChildren(state(status, words(status), LOOKS[status]), text);
  };
  const drop = () => remove("/api/webhooks/{id}", on).then(() => go("/settings/webhooks"));
  context.title("Webhook");
  await shown(context, "/api/webhooks/{id}", on, (known, record) => {
    const rotate = async () => {
      const { data } = await post("/api/webhooks/{id}/rotate-secret", on);
      record.keep(data);
      context.body.prepend(shownOnce(`New secret of ${data.url}`, data.secret));
    };
    const turn = () => save(record, { enabled: !known.enabled }, known);
    return {
      acts: [
        button("Send a test", test), button(known.enabled ? "Disable" : "Enable", turn),
        asking("Rotate secret", "Rotate the secret?", "For 24 hours messages are signed with both.", rotate),
        asking("Delete", "Delete this webhook?", "Its deliveries are deleted, too.", drop),
      ],
      parts: [
        node("p.quiet", known.url), node("p.end", health(known)), result,
        fold("form", "URL and events",
          form(changing("The webhook", known, record, "Save webhook", fieldsOf(known)))),
      ],
    };
  });
  const path = "/api/webhooks/{id}/deliveries";
  await listed(context, {
    title: "Deliveries of 7 days", none: "No delivery within 7 days.",
    rows: (options) => get(path, { ...on, limit: 50 }, options),
    line: (row) => delivery(row, () => post(`${path}/{deliveryId}/redeliver`, { ...on, deliveryId: row.id })),
  });
}

/** @param {WebhookDelivery} delivery @param {() => Promise<unknown>} redeliver */
function delivery({ type, change, status, attempts, createdAt, ...last }, redeliver) {
  const done = node("span", { role: "status" });
  const again = () => redeliver().then(() => done.replaceChildren("Sent again."));
  const result = last.lastError ?? (last.lastStatusCode && `status ${last.lastStatusCode}`);
  const name = `Send again: ${type} of ${change.recordId}`;
  return node("li",
    node("span.grow", nameOf(type), quiet(` #${change.recordId}`)),
    state(status, words(status), LOOKS[status]), quiet(result && `${result}, `, counted(attempts, "attempt")),
    last.nextAttemptAt && quiet("next ", time(last.nextAttemptAt)), quiet(time(createdAt)),
    button("Send again", again, { kind: "plain", name }), done);
}

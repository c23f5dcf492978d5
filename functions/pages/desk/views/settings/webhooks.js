/** Webhooks: URLs that are called when records change; one with its deliveries.
 * `#/settings/webhooks/{id}` */
/** @import { DeliveryStatus, Webhook, WebhookDelivery } from "workdesk" */
/** @import { Context, View } from "../../kit.js" */
import {
  asking, button, counted, fold, form, go, input, node, post, quiet, remove, state, time, to, words,
} from "../../kit.js";
import { save } from "../../record/record.js";
import { checks, listed, shown, shownOnce } from "./parts.js";
import { EVENT_PATTERNS } from "./sets.js";

/** All events of a type of record, or all. */
const PATTERNS = EVENT_PATTERNS.filter((one) => one.endsWith("*"));
/** @type {Record<DeliveryStatus, string>} */
const LOOKS = { pending: "pause warn", delivered: "check good", failed: "stop bad" };
const REASONS = { gone: "Disabled: the receiver is gone",
  failing: "Disabled: it failed for five days" };
const ONE = "/api/webhooks/{id}";
const result = (/** @type {DeliveryStatus} */ status) =>
  state(status, words(status), LOOKS[status]);

export const webhooks = (/** @type {Context} */ context) => listed(context, {
  path: "/api/webhooks", none: "No webhook.",
  line: (known) => node("li",
    node("div.grow", node("a", { href: to(`/settings/webhooks/${known.id}`) }, known.url),
      node("div.quiet", known.description && `${known.description} · `,
        known.types.map(nameOf).join(", "))),
    health(known)),
  create: "Create a webhook", secret: ({ url, secret }) => [`Secret of ${url}`, secret],
  form: () => {
    const { fields, values } = fieldsOf({ url: "", types: [], description: null });
    return { fields, act: (typed) => post("/api/webhooks", {}, values(typed)) };
  },
});

const health = (/** @type {Webhook} */ { enabled, disabledReason, failingSince,
    lastSuccessAt }) => [
  !enabled ? state("disabled", disabledReason ? REASONS[disabledReason] : "Disabled", "cross quiet")
    : failingSince ? state("failing", "Failing", "warning bad")
      : state("enabled", "Enabled", "full good"),
  quiet(failingSince ? ["since ", time(failingSince)]
    : lastSuccessAt ? ["last success ", time(lastSuccessAt)] : "no success yet"),
];

/** "task.*" as "Task (all)". @param {string} pattern */
function nameOf(pattern) {
  const [type = "", action = ""] = pattern.split(".");
  return pattern === "*" ? "All events" : `${words(type)} ${action === "*" ? "(all)" : action}`;
}

function fieldsOf(/** @type {Pick<Webhook, "url" | "types" | "description">} */ { url, description,
    types }) {
  const all = [...new Set([...PATTERNS, ...types])];
  const events = checks("Events", all.map((one) => [one, nameOf(one)]), types, "types");
  const https = { type: "url", required: true, maxlength: 500, hint: "https, on a public host.",
    value: url };
  return {
    fields: [input("URL", "url", https), input("Description", "description",
      { value: description }),
      events.element],
    values: (/** @type {any} */ typed) => ({ ...typed, types: events.values() }),
  };
}

/** @type {View} */
export async function webhook(context, { id }) {
  const on = { id: Number(id) };
  const tested = node("p", { role: "status" });
  const test = async () => {
    const { status, statusCode, durationMs, error } = (await post(`${ONE}/test`, on)).data;
    tested.replaceChildren(result(status), ` ${error ?? `Status ${statusCode}`}, ${durationMs} ms`);
  };
  const drop = () => remove(ONE, on).then(() => go("/settings/webhooks"));
  context.title("Webhook");
  await shown(context, "The webhook", ONE, on, (known, record, change) => {
    const rotate = async () => {
      const { data } = await post(`${ONE}/rotate-secret`, on);
      record.keep(data);
      context.body.prepend(shownOnce(`New secret of ${data.url}`, data.secret));
    };
    const turn = () => save(record, { enabled: !known.enabled }, known);
    return {
      acts: [button("Send a test", test), button(known.enabled ? "Disable" : "Enable", turn),
        asking("Rotate secret", "Rotate the secret?", "For 24 hours messages are signed with both.",
          rotate),
        asking("Delete", "Delete this webhook?", "Its deliveries are deleted, too.", drop)],
      parts: [node("p.quiet", known.url), node("p.end", health(known)), tested,
        fold("form", "URL and events", form(change("Save webhook", fieldsOf(known))))],
    };
  });
  await listed(context, { path: `${ONE}/deliveries`, on, title: "Deliveries of 7 days",
    none: "No delivery within 7 days.", line: (row) => deliveryLine(on, row) });
}

/** @param {{ id: number }} on the webhook @param {WebhookDelivery} delivery */
function deliveryLine(on, delivery) {
  const { id, type, change, status, attempts, createdAt, nextAttemptAt, ...last } = delivery;
  const path = `${ONE}/deliveries/{deliveryId}/redeliver`;
  const done = node("span", { role: "status" });
  const again = () => post(path, { ...on, deliveryId: id })
    .then(() => done.replaceChildren("Sent again."));
  const answer = last.lastError ?? (last.lastStatusCode && `status ${last.lastStatusCode}`);
  const name = `Send again: ${type} of ${change.recordId}`;
  return node("li", node("span.grow", nameOf(type), quiet(` #${change.recordId}`)), result(status),
    quiet(answer && `${answer}, `, counted(attempts, "attempt")),
    nextAttemptAt && quiet("next ", time(nextAttemptAt)), quiet(time(createdAt)),
    button("Send again", again, { kind: "plain", name }), done);
}

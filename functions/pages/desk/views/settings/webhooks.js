/** Webhooks: URLs that are called when records change. `#/settings/webhooks` */

/** @import { Webhook, WebhookCreate } from "workdesk" */
/** @import { Choice } from "../../elements.js" */
/** @import { Context } from "../../frame/router.js" */
import { get, post } from "../../api/client.js";
import { button, dialog, field, form, node, quiet, state, time, words } from "../../elements.js";
import { to } from "../../frame/router.js";
import { checks, paged, secret } from "./parts.js";

/** @typedef {WebhookCreate["types"]} Patterns */

/** All events of a type of record, or all. @type {Patterns} */
const PATTERNS = ["*", "task.*", "milestone.*", "service_request.*", "ticket.*", "ticket_message.*", "activity.*", "project.*",
  "phase.*", "tag.*", "comment.*", "user.*", "alert.*", "agent_session.*", "notification.*"];

/** @param {Context} context */
export async function webhooks({ header, body, signal }) {
  const list = await paged(get("/api/webhooks", { limit: 50 }, { signal }), line, "No webhook.");
  header.append(button("Create a webhook", () => create(list.prepend, body), { kind: "main" }));
  body.append(list.element);
}

/** @param {Webhook} webhook */
function line(webhook) {
  return node("li", {},
    node("div", { class: "grow" }, node("a", { href: to(`/settings/webhooks/${webhook.id}`) }, webhook.url),
      node("div", { class: "quiet" }, [webhook.description, webhook.types.map(patternName).join(", ")].filter(Boolean).join(" · "))),
    ...health(webhook));
}

/** The state of a webhook, and its last success. @param {Webhook} webhook */
export function health({ enabled, disabledReason, failingSince, lastSuccessAt }) {
  const reasons = { gone: "Disabled: the receiver is gone", failing: "Disabled: it failed for five days" };
  const shown = !enabled ? state("disabled", disabledReason ? reasons[disabledReason] : "Disabled", "cross quiet")
    : failingSince ? state("failing", "Failing", "warning bad") : state("enabled", "Enabled", "full good");
  const instant = failingSince ?? lastSuccessAt;
  return [shown, quiet(...(instant
    ? [failingSince ? "since " : "last success ", time(instant)] : ["no success yet"]))];
}

/** "task.*" as "Tasks: all". @param {string} pattern */
export function patternName(pattern) {
  const [type = "", action = ""] = pattern.split(".");
  return pattern === "*" ? "All events" : `${words(type)} ${action === "*" ? "(all)" : action}`;
}

/**
 * The fields of a webhook, and their values.
 * @param {Pick<Webhook, "url" | "types" | "description">} known
 */
export function webhookFields(known) {
  const url = node("input", { name: "url", type: "url", required: true, maxlength: 500, value: known.url });
  const description = node("input", { name: "description", value: known.description ?? "" });
  /** @type {Patterns} */
  const all = [...new Set([...PATTERNS, ...known.types])];
  const types = checks("Events", all.map((one) => /** @type {Choice} */ ([one, patternName(one)])), known.types);
  return {
    fields: [field("URL", url, { hint: "https, on a public host." }), field("Description", description), types.element],
    values: () => {
      const chosen = types.values();
      return { url: url.value.trim(), description: description.value || null, types: all.filter((one) => chosen.includes(one)) };
    },
  };
}

/** @param {(webhook: Webhook) => void} created @param {HTMLElement} place */
function create(created, place) {
  const { fields, values } = webhookFields({ url: "", types: [], description: null });
  const over = dialog("Create a webhook", [
    form({
      fields, submit: "Create webhook", draft: "webhook", cancel: () => over.close(),
      act: async () => {
        const { data } = await post("/api/webhooks", {}, values());
        over.close();
        created(data);
        place.prepend(secret(`Secret of ${data.url}`, data.secret));
      },
    }),
  ]);
}

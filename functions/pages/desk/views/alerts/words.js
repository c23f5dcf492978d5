/** The words of alerts, sessions, actions and journals. Pure: no DOM, no requests. */

/** @import * as api from "workdesk" */

/** Shape and tone of states that `state` does not know. @type {Record<string, string>} */
export const LOOKS = {
  true: "check good", false: "cross", unknown: "dash warn",
  queued: "pause", waiting: "ring quiet", running: "half accent", succeeded: "check good", skipped: "cross quiet",
  done: "check good", done_before: "check good", refused: "stop bad", not_now: "pause warn", unclear: "warning warn",
  not_done: "stop bad", not_sent: "cross quiet", waived: "cross quiet", handed_over: "half accent", manual: "ring",
  pending: "pause", effective: "check good", ineffective: "stop bad", critical: "up bad", high: "up warn",
};

/** @type {Record<api.MoneyDirection, string>} */
export const DIRECTIONS = {
  customer_owes_less: "less owed by the customer",
  customer_owes_more: "more owed by the customer",
  customer_pays: "taken from the customer",
  customer_is_repaid: "paid back to the customer",
  customer_is_billed_later: "billed to the customer later",
};

/** @type {Record<api.Risk, string>} */
export const RISKS = {
  low: "no harm that matters",
  medium: "harm that is easily fixed",
  high: "a customer notices",
  critical: "cannot be undone",
};

/** @type {Record<string, string>} */
export const STEPS = {
  waiting: "Not begun", running: "Under way", done: "Done", done_before: "Done before", refused: "Refused",
  not_now: "Not accepted yet", unclear: "Possibly done", not_done: "Not done", not_sent: "Not sent",
};

/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {string} text */
const spaced = (text) => text.replaceAll("_", " ");

/** A value that was read. @param {unknown} value */
export const fact = (value) => (typeof value === "string" ? value : value === null ? "unknown" : JSON.stringify(value));

/**
 * Splits a text of the agent: ids between backticks, instants, and the words between them.
 * @param {string} text @returns {{ kind: "text" | "code" | "time", text: string }[]}
 */
export function pieces(text) {
  const parts = text.split(/(`[^`]+`|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/);
  return parts.filter(Boolean).map((part) =>
    part.startsWith("`") && part.length > 2 ? { kind: "code", text: part.slice(1, -1) }
    : /^\d{4}-.*Z$/.test(part) ? { kind: "time", text: part } : { kind: "text", text: part });
}

/** What an entry of the journal says, after its actor. @param {api.JournalEntry} entry @returns {string} */
export function says({ what, to, detail }) {
  const of = /** @type {Record<string, any>} */ (detail ?? {});
  const because = tail(of["note"] ?? of["reason"] ?? of["error"] ?? of["problem"]);
  const count = counted(Object.keys(of["actions"] ?? {}).length, "action");
  switch (what) {
    case "opened": return "opened the session";
    case "analysis_begun": return "began the analysis";
    case "proposed": return `proposed ${count}`;
    case "analysis_failed": return `could not analyse the alert${because}`;
    case "approved": return `approved ${count}${of["again"] ? " again" : ""}${because}`;
    case "rejected": return `rejected the proposal${because}`;
    case "cancelled": return `cancelled the session${because}`;
    case "lapsed": return "ended the session, since its time was over";
    case "settled": return `found that all actions ended: the session is ${spaced(to ?? "")}`;
    case "done_by_hand": return `did it by hand${because}`;
    case "waived": return `waived it${because}`;
    case "handed_over": return `handed it over${because}`;
    case "hand_over_reopened": return "opened the handover's service request again";
    case "hand_over_withdrawn": return "deleted the handover's service request";
    case "claimed": return `claimed it, attempt ${of["attempt"] ?? 1}`;
    case "answered": {
      const answer = of["response"] ? `answered ${of["response"].status}` : "no answer";
      return `sent step ${of["step"]}: ${answer}, ${(STEPS[of["effect"]] ?? fact(of["effect"])).toLowerCase()}${because}`;
    }
    case "released": return `put it off${of["notBefore"] ? `, next attempt ${of["notBefore"]}` : ""}${because}`;
    case "ended": return `ended it: ${spaced(to ?? "")}${because}`;
    case "looked": return `read its records${because}`;
    case "verified": return `checked the effect: ${spaced(of["status"] ?? "")}${because}`;
    case "reconciled": return `checked the outcome: ${spaced(of["status"] ?? "")}${because}`;
    case "alert_resolved": return "resolved the alert";
    case "verdict": return `settled it as ${spaced(of["outcome"] ?? to ?? "")}${because}`;
    default: return spaced(what);
  }
}

/** @param {unknown} text */
const tail = (text) => (text ? `: ${text}` : "");

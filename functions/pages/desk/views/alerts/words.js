/** The words of alerts: texts of the agent, amounts, findings, what was read. */
/** @import * as api from "workdesk" */
import { decimals, money, node, number, quiet, state, time, words } from "../../kit.js";

export const SESSION = "/api/concierge/agent-sessions/{id}";
/** An answer with all its members, as `detail=full` has them.
 * @template T @typedef {T extends (infer I)[] ? Full<I>[]
 *   : T extends object ? { [K in keyof T]-?: Full<Exclude<T[K], undefined>> } : T} Full */
/** @typedef {Full<api.AgentSession>} Session @typedef {Full<api.ProposedAction>} Action
 * @typedef {Full<api.ExecutionResult>} Result */
/** @type {Record<api.MoneyDirection, string>} */
const DIRECTIONS = {
  customer_owes_less: "less owed by the customer", customer_owes_more: "more owed by the customer",
  customer_pays: "taken from the customer", customer_is_repaid: "paid back to the customer",
  customer_is_billed_later: "billed to the customer later",
};
/** @type {Record<api.Risk, string>} */
export const HARMS = {
  low: "no harm that matters", medium: "harm that is easily fixed", high: "a customer notices",
  critical: "cannot be undone",
};
/** @type {Record<string, string>} */
export const STEPS = /** @satisfies {Record<"waiting" | "running" | api.StepStatus, string>} */ ({
  waiting: "Not begun", running: "Under way", done: "Done", done_before: "Done before",
  refused: "Refused",
  not_now: "Not accepted yet", unclear: "Possibly done", not_done: "Not done", not_sent: "Not sent",
});
/** What checks after the end found, by their purpose.
 * @type {Record<api.CheckPurpose, Record<api.CheckStatus, string>>} */
export const FOUND = {
  call: { pending: "Not known yet", done: "It took effect", not_done: "It took no effect",
    unknown: "Not known" },
  effect: { pending: "Not found yet", done: "Found", not_done: "Not found in time",
    unknown: "Could not be read" },
};
/** Some systems count these in other units than ISO 4217, and the API does not say which one
 * does. */
const AMBIGUOUS = ["ISK", "UGX", "MGA"];
const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));
/** Facts that are amounts, in a read with a currency. */
const SUMS = ["amount", "paid", "credited", "captured", "refunded", "collected", "unbilled"];

const SPECIAL = new RegExp(["`[^`]+`", "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z",
  "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC",
  "(?<![\\w.,])(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)? [A-Z]{3}\\b"].join("|"), "g");

/** A text of the agent: ids between backticks set as code, instants as times, amounts as money.
 * @param {string} text */
export function prose(text) {
  const found = [...text.matchAll(SPECIAL)];
  const ends = [0, ...found.map(({ 0: part, index }) => index + part.length)];
  return node("span.prose", found.map(({ 0: part, index }, at) =>
    [text.slice(ends[at], index), special(part)]), text.slice(ends.at(-1)));
}

/** @param {string} part */
function special(part) {
  if (part.startsWith("`")) return node("code", part.slice(1, -1));
  if (part.includes(":")) return time(part.replace(" UTC", ":00Z").replace(" ", "T"));
  const [value = "", currency = ""] = part.split(" ");
  const minorUnits = Math.round(Number(value.replaceAll(",", "")) * 10 ** decimals(currency));
  const isExact = (value.split(".")[1] ?? "").length <= decimals(currency)
    && !AMBIGUOUS.includes(currency);
  // Other words of three great letters stay as they are.
  return CURRENCIES.has(currency) && isExact ? amount({ minorUnits, currency }) : part;
}

/** The API's name of those who may do something, by their roles. @param {string} who */
export const whoOf = (who) => who.replace(/^A user who may (propose|execute) actions/,
  (_all, what) =>
  (what === "execute" ? "A manager or an admin" : "A user of support or above"));

export function amount(/** @type {api.Money} */ { minorUnits, currency }) {
  return AMBIGUOUS.includes(currency) ? `${number(minorUnits)} of the smallest unit of ${currency}`
    : money({ minorUnits, currency });
}

/** The money that an action moves, and in which direction. @param {api.MoneyMoved | null} moved */
export function moves(moved) {
  if (!moved) return quiet("No money moves.");
  const later = !moved.amount && moved.direction === "customer_is_billed_later";
  if (later) {
    return node("span", "Billed to the customer later by an invoice, which states the amount");
  }
  const sum = node("strong", moved.amount ? amount(moved.amount) : "Amount not known");
  return node("span", sum, ` ${DIRECTIONS[moved.direction]}`);
}

export const quoted = (/** @type {string | null} */ text) => text
  && node("span.text", ` “${text}”`);

/** True, false or unknown. @param {boolean | null} holds
 * @param {boolean} [must] it is bad if it is false */
export function truth(holds, must = false) {
  const value = holds === null ? "unknown" : String(holds);
  return state(value, words(value), must && holds === false ? "cross bad" : undefined);
}

export const code = (/** @type {unknown} */ value) =>
  node("pre", { tabindex: 0 }, typeof value === "string" ? value : JSON.stringify(value, null, 2));

export const fact = (/** @type {unknown} */ value) =>
  typeof value === "string" ? value : value === null ? "unknown" : JSON.stringify(value);

/** Values that were read; amounts as money.
 * @param {Record<string, unknown>} values
 * @param {string} prefix of the names, such as "invoice." */
export function values(values, prefix) {
  const currency = String(values[`${prefix}currency`]).toUpperCase();
  const entries = Object.entries(values).filter(([name]) => name !== `${prefix}http`);
  return node("ul.values", entries.map(([name, value]) => {
    const short = name.replace(prefix, "");
    const isMoney = SUMS.includes(short) && Number.isInteger(value) && /^[A-Z]{3}$/.test(currency);
    return node("li", { title: isMoney && `${name}: ${value}` }, quiet(short), " ",
      isMoney ? amount({ minorUnits: Number(value), currency }) : fact(value));
  }));
}

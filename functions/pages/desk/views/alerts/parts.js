/** Elements that only the views of alerts need. */

/** @import * as api from "workdesk" */
/** @import { Child } from "../../elements.js" */
import { money, node, number, state, time, words } from "../../elements.js";
import { DIRECTIONS, LOOKS, fact, pieces } from "./words.js";

/** A text of the agent: ids set as code, instants as times. @param {string} text */
export function prose(text) {
  return node("span", { class: "prose" }, ...pieces(text).map((one) =>
    one.kind === "code" ? node("code", {}, one.text) : one.kind === "time" ? time(one.text) : one.text));
}

/** Some systems count these currencies in other units than ISO 4217, and the API does not say which one does. */
const AMBIGUOUS = new Set(["ISK", "UGX", "MGA"]);

/** An amount as text. @param {api.Money} amount */
export function amount({ minorUnits, currency }) {
  return AMBIGUOUS.has(currency) ? `${number(minorUnits)} of the smallest unit of ${currency}`
    : money({ minorUnits, currency });
}

/** The money that an action moves, and in which direction. @param {api.MoneyMoved | null} moved */
export function moves(moved) {
  if (!moved) return node("span", { class: "quiet" }, "No money moves.");
  if (!moved.amount && moved.direction === "customer_is_billed_later") {
    return node("span", {}, node("strong", {}, "Billed to the customer later"),
      " by an invoice, which states the amount");
  }
  const sum = moved.amount ? amount(moved.amount) : "Amount not known";
  return node("span", {}, node("strong", {}, sum), ` ${DIRECTIONS[moved.direction]}`);
}

/** What a user wrote. @param {string | null} text */
export const quoted = (text) => text && node("span", { class: "text" }, ` “${text}”`);

/** @param {Map<number, string>} names @param {number} id of a user */
export const named = (names, id) => names.get(id) ?? `user ${id}`;

/** A state of this folder's records. @param {string} value @param {string} [label] */
export const mark = (value, label = words(value)) => state(value, label, LOOKS[value]);

/** True, false or unknown. @param {boolean | null} holds @param {boolean} [must] it is bad if it is false */
export const truth = (holds, must) => {
  const value = holds === null ? "unknown" : String(holds);
  return state(value, words(value), must && holds === false ? "cross bad" : LOOKS[value]);
};

/** @param {unknown} value */
export const code = (value) => node("pre", { tabindex: 0 }, typeof value === "string" ? value
  : JSON.stringify(value, null, 2));

/** Values that were read, by name. Amounts are shown as money.
 * @param {Record<string, unknown>} values @param {string} prefix of the names, such as "invoice." */
export function values(values, prefix) {
  const currency = String(values[`${prefix}currency`] ?? "").toUpperCase();
  const entries = Object.entries(values).filter(([name]) => name !== `${prefix}http`);
  return node("ul", { class: "values" }, ...entries.map(([name, value]) => {
    const short = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    const isMoney = SUMS.has(short) && Number.isInteger(value) && /^[A-Z]{3}$/.test(currency);
    const text = isMoney ? amount({ minorUnits: Number(value), currency }) : fact(value);
    return node("li", { title: isMoney ? `${name}: ${value}` : null }, node("span", { class: "quiet" }, short), " ",
      text);
  }));
}
/** Names of facts that are amounts in a read with a currency. */
const SUMS = new Set(["amount", "paid", "credited", "captured", "refunded", "collected", "unbilled"]);

/** A list of names with what belongs to them. Entries without content are left out.
 * @param {[string, Child | Child[]][]} entries */
export function facts(entries) {
  const shown = entries.filter(([, content]) => [content].flat().some(Boolean));
  return node("dl", { class: "facts" },
    ...shown.flatMap(([name, content]) => [node("dt", {}, name), node("dd", {}, ...[content].flat())]));
}

/**
 * Folded content that stays open when its place is drawn anew.
 * @param {Set<string>} opened keys of the open ones @param {string} key @param {Child} summary
 * @param {Child[]} content @param {() => void} [onOpen]
 */
export function fold(opened, key, summary, content, onOpen) {
  const ontoggle = (/** @type {Event} */ event) => {
    const { open } = /** @type {HTMLDetailsElement} */ (event.currentTarget);
    if (open === opened.has(key)) return;
    if (open) opened.add(key);
    else opened.delete(key);
    if (open) onOpen?.();
  };
  return node("details", { open: opened.has(key), ontoggle }, node("summary", {}, summary), ...content);
}

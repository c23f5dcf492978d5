/** The approval policy in words, and amounts as people type them. */

/** @import { PolicyRule } from "workdesk" */
import { money } from "../../elements.js";

/** @param {string} word */
export const spaced = (word) => word.replaceAll("_", " ");

/**
 * Returns the actions to which a rule applies, such as "Actions that move money, of 500 USD or more".
 * @param {PolicyRule["when"]} when
 */
export function condition(when) {
  const parts = [
    when.movesMoney === true && "that move money",
    when.movesMoney === false && "that move no money",
    when.amountAtLeast && `of ${money(when.amountAtLeast)} or more`,
    when.riskAtLeast && (when.riskAtLeast === "critical" ? "of critical risk" : `of ${when.riskAtLeast} risk or higher`),
    when.actionType && `of the type ${spaced(when.actionType)}`,
    when.connection && `on ${when.connection}`,
  ].filter(Boolean);
  return parts.length === 0 ? "Every action" : `Actions ${parts.join(", ")}`;
}

/**
 * Returns the approval that a rule demands, such as "two approvals, from manager or admin, not by the opener".
 * @param {PolicyRule} rule
 */
export function demand(rule) {
  if (rule.deny) return "denied to everyone";
  const approvals = rule.approvers === 2 ? "two approvals" : "one approval";
  const roles = rule.roles.length > 0 ? `, from ${rule.roles.join(" or ")}` : "";
  return `${approvals}${roles}${rule.notOpener ? ", not by the opener" : ""}`;
}

/** @param {string} currency */
function digits(currency) {
  return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/**
 * Returns the amount of a text such as "500 USD" or "12.50 EUR". Null if it is none.
 * @param {string} text
 */
export function typedMoney(text) {
  const [, whole, part = "", currency] = text.trim().match(/^(\d{1,12})(?:[.,](\d+))?\s*([A-Za-z]{3})$/) ?? [];
  if (!whole || !currency) return null;
  const places = digits(currency.toUpperCase());
  if (part.length > places) return null;
  return { currency: currency.toUpperCase(), minorUnits: Number(whole + part.padEnd(places, "0")) };
}

/**
 * Returns an amount as `typedMoney` reads it.
 * @param {{currency: string, minorUnits: number}} amount
 */
export function typed({ currency, minorUnits }) {
  const places = digits(currency);
  return `${(minorUnits / 10 ** places).toFixed(places)} ${currency}`;
}

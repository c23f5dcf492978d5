/** The preview of actions: what will be sent, on which conditions, and what comes of it. */
/** @import * as api from "workdesk" @import { Case } from "./case.js" */
/** @import { Action } from "./words.js" @import { approvalsOf } from "./decision.js" */
import { counted, facts, fold, node, state, time } from "../../kit.js";
import { amount, code, fact, HARMS, moves, prose, truth } from "./words.js";

const UNDO = { yes: "It can be undone.", until: "It can be undone for a while.",
  no: "It cannot be undone." };

export function sums(/** @type {api.PreviewSums} */ { money, unknownAmounts, records, customers,
    requests }) {
  const counts = [counted(requests, "request"), counted(records, "record")];
  if (customers !== null) counts.push(counted(customers, "customer"));
  return node("p.lead",
    money.map((one) => node("span.sum", moves({ direction: one.direction, amount: one }))),
    unknownAmounts > 0 && node("strong.sum", `${counted(unknownAmounts, "amount")} not known`),
    money.length + unknownAmounts === 0 && "No money moves.",
    node("small", ` ${counts.join(", ")}`));
}

/** @param {Case} known @param {Action} action @param {ReturnType<typeof approvalsOf>} approvals
 * @param {api.ActionPreview} preview @param {boolean} several */
export function actionPreview(known, action, approvals, preview, several) {
  const { reversible } = preview;
  return node("div.previewed", several && node("h3", prose(action.description)), facts({
    "Stops it now": stoppers(preview),
    Money: several && moves(preview.money),
    "Will be sent": preview.requests.map((one) => request(one, action)),
    "Only if": conditionsOf(action, preview),
    "If it is wrong": [reversible && [node("strong", UNDO[reversible.is]), " ",
      prose(reversible.says)],
      node("small", ` Risk ${action.risk}: ${HARMS[action.risk]}.`)],
    Afterwards: afterwards(action),
    Approval: approval(known, approvals, preview),
  }));
}

/** @param {api.ActionPreview} preview */
const stoppers = ({ obstacles, guards, policy }) => [
  obstacles.map((one) => node("div.bad", prose(one))),
  guards.map(({ record, heldBy }) => heldBy
    && node("div.bad", node("code", record), ` ${heldBy.detail} (session ${heldBy.sessionId})`)),
  policy.aboveCap && node("div.bad", policy.aboveCap)];

/** @param {api.ActionPreview["requests"][number]} request @param {Action} action */
function request({ order, description, method, url, body }, { money }) {
  const units = money?.amount;
  return node("div.request",
    node("div", `${order}. `, prose(description)), node("code", `${method} ${url}`), body
      && code(body),
    units && JSON.stringify(body ?? null).includes(String(units.minorUnits))
      && node("small", `${units.minorUnits} is ${amount(units)}.`));
}

/** The conditions: first those that do not hold. @param {Action} action
 * @param {api.ActionPreview} preview */
function conditionsOf({ id }, { preconditions }) {
  const failing = preconditions.filter(({ holds }) => holds !== true);
  const holding = preconditions.filter(({ holds }) => holds === true);
  const all = counted(preconditions.length, "condition");
  return [failing.length > 0 && [node("strong", "False or not known now:"), conditions(failing)],
    fold(`conditions ${id}`,
      failing.length ? `${holding.length} of ${all} hold` : `All ${all} hold now`,
      conditions(holding)),
    node("small",
      "They are read again just before the first call. Nothing is sent if one does not hold.")];
}

/** @param {api.ActionPreview["preconditions"]} those */
const conditions = (those) => node("ul.findings",
  those.map(({ says, condition, holds, found, problem }) => {
    const values = Object.entries(found).map(([name, value]) => `${name}: ${fact(value)}`);
    return node("li", truth(holds, true), prose(says), node("small", problem ?? values.join(", "),
      condition !== says && [" (", prose(condition), ")"]));
  }));

/** What is read after the action. @param {Action} action */
function afterwards({ verify, money }) {
  if (!verify) return "No read checks the effect.";
  const units = money?.amount;
  return [prose(`The agent reads within ${counted(verify.minutes, "minute")} `
    + `that ${verify.effective}`),
    verify.amount && [" and that ", prose(verify.amount), units && ` (${amount(units)})`],
    ". Otherwise the alert stays open, and the case says why."];
}

/** @param {Case} known @param {ReturnType<typeof approvalsOf>} approvals
 * @param {api.ActionPreview} preview */
function approval(known, approvals, { policy }) {
  const holding = approvals.filter(({ holds }) => holds);
  const names = holding.map(({ userId }) => known.name(userId)).join(", ");
  const by = names && `; approved by ${names}`;
  const ended = approvals.filter(({ holds, other }) => !holds && !other);
  return [
    node("div", policy.denied
      ? state("denied", "The policy lets no user approve this", "stop bad")
      : `Needs ${policy.asks}.`),
    node("div", `${policy.approvalsGiven} of ${policy.approversNeeded} at this preview${by}.`),
    ended.map(({ userId, until }) =>
      node("div", state("expired"), ` ${known.name(userId)}'s approval ended `, time(until)))];
}

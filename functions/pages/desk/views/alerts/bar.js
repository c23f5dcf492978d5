/** The bar of a case, which stays in sight: the money and risk of what is chosen, what it needs,
 * and the way to the decision. */
/** @import * as api from "workdesk" @import { Case } from "./case.js"
 * @import { Action } from "./words.js" */
import { button, counted, denied, node, state, time, words } from "../../kit.js";
import { decideButtons } from "./buttons.js";
import { amount, moves, whoOf } from "./words.js";

/** From the least to the greatest. @type {readonly api.Risk[]} */
const RISKS = ["low", "medium", "high", "critical"];

/** @param {Case} known */
export function barOf(known) {
  const { session, isNewest, decision } = known;
  const open = known.approvable();
  if (!isNewest || (open.length === 0 && session?.status !== "awaiting_confirmation")) return [];
  const chosen = known.actions.filter(({ id }) => open.includes(id)
    && (open.length === 1 || known.chosen.has(id)));
  const toApproval = () => document.getElementById("preview")?.focus();
  return [sumOf(known, chosen), riskOf(chosen), node("span.needs", needsOf(known, chosen)),
    node("div.acts", decision && button("Go to the preview", toApproval), decideButtons(known))];
}

/** The money of actions, by currency and direction. @param {Case} known
 * @param {Action[]} actions */
function sumOf({ alert }, actions) {
  const moved = actions.flatMap(({ money }) => money ?? []);
  const [first] = moved;
  if (first && moved.length === 1) {
    const isLater = !first.amount && first.direction === "customer_is_billed_later";
    return node("span.sum", isLater ? "Billed to the customer later" : moves(first));
  }
  const sums = new Map();
  for (const { amount: one, direction } of moved) {
    if (!one) return node("span.sum", node("strong", "Amounts not all known"));
    const key = `${one.currency} ${direction}`;
    const minorUnits = (sums.get(key)?.amount.minorUnits ?? 0) + one.minorUnits;
    sums.set(key, { direction, amount: { ...one, minorUnits } });
  }
  if (sums.size > 0) return [...sums.values()].map((one) => node("span.sum", moves(one)));
  return node("span.sum", alert.amountAtRisk ? ["At risk ",
    node("strong", amount(alert.amountAtRisk))]
    : "No money moves.");
}

/** The greatest risk of actions, and if one cannot be undone. @param {Action[]} actions */
function riskOf(actions) {
  const risk = RISKS[Math.max(...actions.map((one) => RISKS.indexOf(one.risk)))];
  const isFinal = actions.some(({ reversible }) => reversible?.is === "no");
  return [risk && state(risk, `${words(risk)} risk`, risk === "critical" ? "up bad" : undefined),
    isFinal && state("final", "Cannot be undone", "warning bad")];
}

/** Who approves, and how often. @param {Case} known @param {Action[]} actions */
function needsOf({ session, sessions }, actions) {
  const { next, id } = /** @type {NonNullable<typeof session>} */ (session);
  const rows = sessions.find((one) => one.id === id)?.proposedActions ?? [];
  const most = actions.map(({ id: one, approval }) => ({ given: approval?.given ?? 0,
    needed: approval?.needed ?? rows.find((row) => row.id === one)?.approvalsNeeded ?? 0 }))
    .sort((one, other) => (other.needed - other.given) - (one.needed - one.given))[0];
  const reason = denied("execute_agent_remediation").replace("do this", "approve this");
  const isMine = next?.who === "You" && next.what.startsWith("can approve");
  const who = isMine ? node("strong", "You can approve this") : reason ? reason.replace(/\.$/, "")
    : next && `${whoOf(next.who)} approves this`;
  return [who, most && most.needed > 0 && (most.given > 0
    ? `, ${most.given} of ${most.needed} approvals given`
    : `, ${counted(most.needed, "approval")} needed`),
    next?.until && [", until ", time(next.until)], who && "."];
}

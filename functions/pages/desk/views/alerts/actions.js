/** The proposed actions: what each does, its money, risk and approvals. */
/** @import * as api from "workdesk" @import { Case } from "./case.js" */
/** @import { Child, Choice } from "../../kit.js" @import { Action } from "./words.js" */
import {
  facts, input, keyed, link, myId, node, post, state, time, to, words,
} from "../../kit.js";
import { approvalsOf, deniedAgent } from "./decision.js";
import { opener, REASON, rejectKey } from "./opener.js";
import { HARMS, SESSION, amount, moves, prose, quoted } from "./words.js";

const UNDO = { yes: "Yes. ", until: "For a while. ", no: "No. " };

/** @param {Case} known @returns {Child[]} */
export function actionParts(known) {
  const { actions, forms } = known;
  if (actions.length === 0) return [];
  const open = known.approvable();
  const opened = (/** @type {string} */ key) => keyed(key, forms.get(key));
  const action = (/** @type {Action} */ one) => [
    keyed(`action ${one.id}`, shownAction(known, one, open.length > 1 && open.includes(one.id))),
    opened(`settle ${one.id}`), opened(`hand over ${one.id}`)];
  return [keyed("actions", node("h2.first", "Actions ", node("span.count", actions.length))),
    actions.map(action),
    opened(rejectKey(known))];
}

/** @param {Case} known @param {Action} action @param {boolean} several may be chosen */
function shownAction(known, action, several) {
  const { session, chosen } = known;
  const { id, money, risk, reversible, handling, approval } = action;
  const title = node("span", { id: `title-${id}` }, prose(action.description));
  const choose = (/** @type {any} */ { target }) => known.choose(id, target.checked);
  const check = several && node("input", { type: "checkbox", checked: chosen.has(id),
    onchange: choose, "aria-labelledby": `title-${id}` });
  const others = (/** @type {string[]} */ ids) =>
    known.actions.filter((one) => ids.includes(one.id))
    .map((one) => node("div", prose(one.description)));
  const rows = known.sessions.flatMap(({ proposedActions }) => proposedActions);
  const needed = approval?.needed ?? rows.find((one) => one.id === id)?.approvalsNeeded;
  const now = known.progress.find((one) => one.action.id === id)?.state;
  return node("section", { "aria-labelledby": `title-${id}` }, node("h3", check, title),
    facts({
      State: now && state(now),
      Money: money ? moves(money) : action.isAutomated && moves(null),
      Owed: owed(action),
      Records: [action.targetSystem, action.targetEntities.map((one) => [" ", node("code", one)])],
      Risk: [state(risk, words(risk), risk === "critical" ? "up bad" : undefined),
        ` ${HARMS[risk]}`],
      Undo: reversible && [node("strong", UNDO[reversible.is]), prose(reversible.says)],
      Expected: prose(action.expectedOutcome),
      "Runs after": others(action.after),
      "Only if this fails": others(action.unless),
      Excludes: others(action.excludes),
      "By hand": !action.isAutomated && [node("strong", "A person does this: "),
        action.steps.map(({ description }) => node("div", prose(description)))],
      Approvals: action.isAutomated && [
        session?.status === "awaiting_confirmation" && needed
          && node("div", `${approval?.given ?? 0} of ${needed}`,
            approval && [", until ", time(approval.expiresAt)]),
        approvalsOf(action).map((one) => approvalLine(known, one))],
      Handled: handling && handled(known, handling),
    }),
    !action.isAutomated && manualButtons(known, action));
}

/** @param {Case} known @param {ReturnType<typeof approvalsOf>[number]} approval */
const approvalLine = (known, { holds, other, userId, at, note }) => node("div",
  holds ? state("approved", "Approved", "check good")
    : state("expired", other ? "Approval of other content" : "Expired approval"),
  ` by ${known.name(userId)} `, time(at), quoted(note));

/** What is owed, and who says so. @param {Action} action */
function owed({ debt, money }) {
  if (debt) {
    return [node("strong", amount(debt.amount)), " by customer ", node("code", debt.customer),
      node("small", `, as ${debt.connection} says`)];
  }
  return money?.amount && "No system was asked what is owed.";
}

/** @param {Case} known @param {api.Handling} handling */
function handled(known, { status, by, assigneeId, at, serviceRequestId: request, note }) {
  const name = (/** @type {number | null} */ user) => (user ? known.name(user) : "the service");
  const whom = status === "handed_over" ? ` to ${name(assigneeId)}` : "";
  return [state(status), `${whom} by ${name(by)} `, time(at), " ",
    request && link(to(`/requests/${request}`), `request ${request}`), quoted(note)];
}

/** Settling and handing over. @param {Case} known @param {Action} action
 * @param {string} [now] state of the approved action */
export function manualButtons(known, action, now) {
  const { session, users } = known;
  const open = ["awaiting_confirmation", "executing", "completed", "failed"];
  if (!session || !open.includes(session.status)) return null;
  if (action.isAutomated ? now !== "unknown" : action.handling) return null;
  const path = { id: session.id, actionId: action.id };
  const people = users.map((one) => /** @type {Choice} */ (
    [`${one.id}`, `${one.fullName} (${one.username})`]));
  /** @type {Choice[]} */
  const outcomes = action.isAutomated ? [["done", "It took effect"],
    ["not_done", "It took no effect"]]
    : [["done", "It is done"], ["waived", "It is not needed"]];
  return node("div.acts",
    opener(known, `settle ${action.id}`, "Settle…", deniedAgent("execute_agent_remediation"), {
      fields: () => [input("Outcome", "outcome", { options: outcomes }),
        input("Where and how it was seen, or the reason", "note", { required: true, ...REASON })],
      submit: "Settle", done: "The action is settled.",
      act: (values) => post(`${SESSION}/actions/{actionId}/settle`, path, values),
    }),
    // It waits for the users: an open form keeps its choices.
    !action.isAutomated && people.length > 0 && opener(known, `hand over ${action.id}`,
      "Hand over…",
      deniedAgent("create_agent_remediation"), {
      fields: () => [input("To", "assigneeId", { options: people, value: myId() }),
        input("Note", "note", REASON)],
      submit: "Hand over", done: "The action is handed over.",
      act: ({ assigneeId, note }) =>
        post(`${SESSION}/actions/{actionId}/hand-over`, path,
          { assigneeId: Number(assigneeId), note }),
    }));
}

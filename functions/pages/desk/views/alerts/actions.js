/** The proposed actions: what each does, its money, risk and approvals. The buttons of the session. */
/** @import * as api from "workdesk" @import { Case } from "./case.js" */
/** @import { Child, Choice, Form } from "../../kit.js" @import { Action } from "./words.js" */
import {
  asking, button, denied, draftOf, facts, form, input, keyed, link, myId, node, post, Problem, quiet, state, time, to, words,
} from "../../kit.js";
import { approvalsOf, decide, deniedAgent } from "./decision.js";
import { pauseOf } from "./pause.js";
import { HARMS, SESSION, amount, moves, prose, quoted } from "./words.js";

const UNDO = { yes: "Yes. ", until: "For a while. ", no: "No. " };
const REASON = { rows: 2, maxlength: 1000 };

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
  const check = several && node("input", { type: "checkbox", checked: chosen.has(id), onchange: choose,
    "aria-labelledby": `title-${id}` });
  const others = (/** @type {string[]} */ ids) => known.actions.filter((one) => ids.includes(one.id))
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
      Risk: [state(risk, words(risk), risk === "critical" ? "up bad" : undefined), ` ${HARMS[risk]}`],
      Undo: reversible && [node("strong", UNDO[reversible.is]), prose(reversible.says)],
      Expected: prose(action.expectedOutcome),
      "Runs after": others(action.after),
      "Only if this fails": others(action.unless),
      Excludes: others(action.excludes),
      "By hand": !action.isAutomated && [node("strong", "A person does this: "),
        action.steps.map(({ description }) => node("div", prose(description)))],
      Approvals: action.isAutomated && [
        session?.status === "awaiting_confirmation" && needed && node("div",
          `${approval?.given ?? 0} of ${needed}`, approval && [", until ", time(approval.expiresAt)]),
        approvalsOf(action).map((one) => node("div",
          one.holds ? state("approved", "Approved", "check good")
            : state("expired", one.other ? "Approval of other content" : "Expired approval"),
          ` by ${known.name(one.userId)} `, time(one.at), quoted(one.note)))],
      Handled: handling && handled(known, handling),
    }),
    !action.isAutomated && manualButtons(known, action));
}

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

/** A button that opens a form below its part, where it stays until it is sent or closed. It opens itself if
 * something was typed before for this proposal: `key` names it.
 * @param {Case} known @param {string} key @param {string} label @param {string} reason
 * @param {Omit<Form, "fields"> & { fields: () => Child, done: string }} options */
function opener(known, key, label, reason, { fields, done, act, ...options }) {
  const cancel = () => {
    known.forms.delete(key);
    known.draw();
  };
  const send = (/** @type {Parameters<Form["act"]>} */ ...values) => known.act(async () => {
    await act(...values);
    cancel();
  }, done);
  const open = () => {
    const made = known.forms.get(key)
      ?? form({ ...options, fields: fields(), draft: key, cancel, act: send });
    known.forms.set(key, made);
    known.draw();
    return /** @type {HTMLElement | null} */ (made.querySelector("[name]"));
  };
  const typed = draftOf(key, "note") || draftOf(key, "reason");
  if (typed && !reason && !known.forms.has(key)) queueMicrotask(() => known.forms.has(key) || open());
  return button(label, () => open()?.focus(), { reason });
}

/** Settling and handing over. @param {Case} known @param {Action} action
 * @param {string} [now] state of the approved action */
export function manualButtons(known, action, now) {
  const { session, users } = known;
  const open = ["awaiting_confirmation", "executing", "completed", "failed"];
  if (!session || !open.includes(session.status)) return null;
  if (action.isAutomated ? now !== "unknown" : action.handling) return null;
  const path = { id: session.id, actionId: action.id };
  const people = users.map((one) => /** @type {Choice} */ ([`${one.id}`, `${one.fullName} (${one.username})`]));
  /** @type {Choice[]} */
  const outcomes = action.isAutomated ? [["done", "It took effect"], ["not_done", "It took no effect"]]
    : [["done", "It is done"], ["waived", "It is not needed"]];
  return node("div.acts",
    opener(known, `settle ${action.id}`, "Settle…", deniedAgent("execute_agent_remediation"), {
      fields: () => [input("Outcome", "outcome", { options: outcomes }),
        input("Where and how it was seen, or the reason", "note", { required: true, ...REASON })],
      submit: "Settle", done: "The action is settled.",
      act: (values) => post(`${SESSION}/actions/{actionId}/settle`, path, values),
    }),
    // It waits for the users: an open form keeps its choices.
    !action.isAutomated && people.length > 0 && opener(known, `hand over ${action.id}`, "Hand over…",
      deniedAgent("create_agent_remediation"), {
      fields: () => [input("To", "assigneeId", { options: people, value: myId() }),
        input("Note", "note", REASON)],
      submit: "Hand over", done: "The action is handed over.",
      act: ({ assigneeId, note }) =>
        post(`${SESSION}/actions/{actionId}/hand-over`, path, { assigneeId: Number(assigneeId), note }),
    }));
}

/** The key of the form that rejects this proposal: the actions' ids name session and proposal. */
const rejectKey = (/** @type {Case} */ { actions }) => `reject ${actions[0]?.id}`;

/** The buttons of the decision, for the bar. @param {Case} known */
export function decideButtons(known) {
  const { id = 0, status } = known.session ?? {};
  const preview = async () => {
    // The actions of now: the button stays while others propose again.
    const open = known.approvable();
    const ids = open.filter((one) => open.length === 1 || known.chosen.has(one));
    if (ids.length === 0) throw new Problem(0, { detail: "Choose an action first." });
    await decide(known, ids);
  };
  const hint = "Everyone who opens the session sees it. The whole proposal ends.";
  return [!known.decision && known.approvable().length > 0 && button("Preview and approve", preview, { kind: "main" }),
    status === "awaiting_confirmation" && opener(known, rejectKey(known), "Reject…",
      denied("execute_agent_remediation"), {
        fields: () => input("Reason", "reason", { required: true, ...REASON, hint }),
        submit: "Reject the proposal", done: "The proposal is rejected.", isGrave: true,
        act: (values) => post(`${SESSION}/reject`, { id }, values) })];
}

/** The operations of the session that are possible now. @param {Case} known */
export function sessionButtons(known) {
  const { alert, session, forms } = known;
  const { id = 0, status = "", openActions = 0 } = session ?? {};
  if (session && !known.isNewest) return quiet("This is an earlier session of the alert.");
  const propose = (of = id) => known.act(async () => {
    await post(`${SESSION}/propose`, { id: of });
    forms.clear();
  }, "The analysis is done.");
  const analyse = async () => {
    const { data } = await post("/api/concierge/alerts/{id}/agent-session", { id: alert.id });
    await propose(data.session.id).catch(async (problem) => {
      await known.read();
      throw problem;
    });
  };
  const cancel = () => known.act(() => post(`${SESSION}/cancel`, { id }), "The session is cancelled.");
  const pause = async () => {
    forms.set("pause", node("section", await pauseOf(known.signal),
      node("small", "A pause stops new actions. One that was claimed may end, within a minute.")));
    known.draw();
  };
  const reason = deniedAgent("create_agent_remediation");
  if (!session || ["completed", "failed", "cancelled", "expired"].includes(status)) {
    const label = session ? "Analyse again" : "Analyse";
    const effect = openActions > 0
      ? "In another session. What this one has open can then no longer be approved."
      : `The agent reads ${alert.targetSystem} and proposes actions. It changes nothing. `
        + "The policy may keep you from approving what you had proposed.";
    return alert.status !== "resolved" && node("div.acts",
      button(label, analyse, { kind: session ? "" : "main", reason }), node("small", effect));
  }
  return node("div.acts",
    status === "started" && button("Propose actions", () => propose(), { kind: "main", reason }),
    status === "awaiting_confirmation" && button("Propose again", () => propose(), { reason }),
    status !== "cancelling"
      && asking("Cancel the session", "Cancel the session?", "What it proposes ends for everyone.", cancel,
        { reason: denied("create_agent_remediation") }),
    status === "executing" && button("Pause…", pause));
}

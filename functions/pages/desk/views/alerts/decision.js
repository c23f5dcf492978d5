/** The decision: a preview of the chosen actions as they would be sent now, and the approval of
 * that. Its form is made once, so that a change by others neither moves nor loses what is typed. */
/** @import * as api from "workdesk" @import { Case } from "./case.js" */
/** @import { Action, Session } from "./words.js" */
import {
  allow, button, counted, denied, form, get, input, keyed, link, me, myId, node, now, post, Problem,
  say, time, to,
} from "../../kit.js";
import { actionPreview, sums } from "./preview.js";
import { amount, SESSION } from "./words.js";

const HOUR_MS = 3_600_000; // An approval holds for an hour.

/** Why the user may not have the agent work: "" if they may. @param {api.Permission} permission */
export function deniedAgent(permission) {
  const planned = me().planFeatures.includes("agentAI");
  return denied(permission) || (planned ? "" : "Your organization's plan is without the agent.");
}

/** The newest approval of each user. @param {Action} action */
export function approvalsOf({ approvals, digest }) {
  return [...new Map(approvals.map((one) => [one.userId, one])).values()].map((one) => {
    const until = new Date(Date.parse(one.at) + HOUR_MS);
    const other = one.digest !== null && one.digest !== digest;
    return { ...one, until: until.toISOString(), other, holds: !other && until.getTime() > now() };
  });
}

/** True for an admin whose organization has neither rules nor caps. */
async function isUnlimited() {
  if (denied("manage_organization")) return false;
  const { rules, caps } = (await get("/api/concierge/policy", {})).data;
  return rules.length + caps.money.length === 0 && caps.actions === null;
}

/** Obstacles that delay an approved action, and do not stop it. */
const DELAYS = ["All of the organization's actions are paused.", "The connection is paused."];

/** What stops an action at its preview: "" if nothing does. @param {api.ActionPreview} preview */
function stops({ obstacles, guards, preconditions }) {
  const stopping = obstacles.filter((one) => !DELAYS.includes(one));
  const held = guards.find(({ heldBy }) => heldBy);
  const failing = preconditions.find(({ holds }) => holds === false);
  return stopping[0] ?? held?.heldBy?.detail
    ?? (failing && (failing.problem ?? `This does not hold: ${failing.says}.`)) ?? "";
}

/** What is decided: the actions as they are shown, since only these are approved.
 * @typedef {object} Decision
 * @property {Case} known @property {number} id of the session @property {Action[]} shown
 * @property {api.AgentActionsPreviewed} preview @property {boolean} unlimited
 * @property {() => void} close */

/** Previews actions of the session. @param {Case} known @param {string[]} ids */
export async function decide(known, ids) {
  const session = /** @type {Session} */ (known.session);
  const { id } = session;
  const [{ data: preview }, unlimited] = await Promise.all([
    post(`${SESSION}/preview`, { id }, { actionIds: ids }), isUnlimited()]);
  const shown = session.proposedActions.filter((one) => ids.includes(one.id));
  const close = () => {
    known.decision = undefined;
    known.draw();
  };
  const decision = { known, id, shown, preview, unlimited, close };
  const { made, send } = approvalForm(decision);
  known.decision = () => {
    const { label, effect, isFinal } = effectOf(decision);
    send.textContent = label;
    send.classList.toggle("danger", isFinal);
    allow(send, reasonOf(decision), effect);
    return [keyed("preview", previewed(decision)), keyed("approve", made)];
  };
  known.draw();
  document.getElementById("preview")?.focus();
}

/** The action as it is known now. @param {Case} known @param {string} id */
const actionNow = (known, id) => known.actions.find((one) => one.id === id);

/** The form that approves. @param {Decision} decision */
function approvalForm(decision) {
  const digests = digestsOf(decision.shown);
  const hint = "Optional. It stands beside your approval and in the journal.";
  const note = input("Note", "note", { rows: 2, maxlength: 1000, hint });
  const made = node("section.preview", { "aria-label": "Approve" },
    form({ fields: note, submit: "Approve", draft: `approve ${Object.values(digests)}`,
      act: (values) => approve(decision, values.note) }));
  return { made, send: /** @type {HTMLElement} */ (made.querySelector("button.main")) };
}

/** @param {Action[]} shown */
const digestsOf = (shown) => Object.fromEntries(shown.map((one) => [one.id, one.digest]));

/** Approves the actions as they are shown. @param {Decision} decision
 * @param {string | null} note */
async function approve({ known, id, shown, close }, note) {
  const again = shown.some((one) => known.progress.some(({ action }) => action.id === one.id));
  const body = { actionIds: shown.map((one) => one.id), digests: digestsOf(shown), note,
    ...(again && { again }) };
  const sent = post(`${SESSION}/execute`, { id }, /** @type {any} */ (body));
  const { data } = await sent.catch(async (problem) => {
    if (problem instanceof Problem && problem.status === 409) await known.read().catch(() => {});
    throw problem;
  });
  close();
  await known.read();
  const waits = data.session.status === "awaiting_confirmation";
  say(waits ? "Approved. Another approval is missing." : "Approved.");
  document.getElementById("next")?.focus();
}

/** Why the shown content cannot be approved now: "" if it can. @param {Decision} decision */
function reasonOf({ known, id, shown, preview }) {
  if (known.session?.id !== id) return "The alert has another session now. Preview again.";
  if (known.alert.status === "resolved") return "The alert is resolved: nothing more is executed.";
  if (shown.some((one) => actionNow(known, one.id)?.digest !== one.digest)) {
    return "The proposal changed since this preview. Close it, and preview again.";
  }
  if (!shown.every((one) => known.isApprovable(one))) return "This cannot be approved any more.";
  const shares = "Some of these actions share a record: choose one of them.";
  return deniedAgent("execute_agent_remediation") || (preview.exclusive.length > 0 && shares)
    || preview.actions.find(({ policy }) => !policy.mayApprove)?.policy.whyNot
    || preview.actions.map(stops).find(Boolean) || "";
}

/** The approvals of each action: those given and needed, and those missing after the user's own.
 * @param {Decision} decision */
const countsOf = ({ known, shown, preview }) => shown.map((before) => {
  const action = actionNow(known, before.id) ?? before;
  const valid = approvalsOf(action).filter(({ holds }) => holds);
  const mine = valid.some(({ userId }) => userId === myId());
  const given = Math.min(action.approval?.given ?? 0, valid.length);
  const { policy } = preview.actions.find((one) => one.actionId === before.id) ?? {};
  const needed = policy?.approversNeeded ?? 1;
  return { mine, given, needed, missing: needed - given - (mine ? 0 : 1) };
});

/** What the button is called, and what it does. @param {Decision} decision */
function effectOf(decision) {
  const { shown, preview } = decision;
  const counts = countsOf(decision);
  const missing = Math.max(...counts.map((one) => one.missing));
  const mine = counts.every((one) => one.mine);
  const sum = preview.sums.money.map(amount).join(" and ");
  const [{ given, needed } = { given: 0, needed: 1 }] = counts;
  const label = missing <= 0 ? `Approve and execute${sum && ` ${sum}`}`
    : mine ? "Approve again"
    : counts.length === 1 ? `Approve, ${given + 1} of ${needed}` : "Approve";
  const isFinal = shown.some(({ reversible }) => reversible?.is === "no");
  const before = mine
    ? "You approved this already; it holds an hour from your last approval. " : "";
  const others = counted(missing, "more person approves", "more people approve");
  const all = counts.length > 1 ? " all of these" : "";
  const waits = `${before}Nothing is sent before ${others}${all}.`;
  const sends = `The agent then sends ${counted(preview.sums.requests, "request")} at once.`
    + (isFinal ? " This cannot be undone." : "");
  return { label, isFinal, effect: missing > 0 ? waits : sends };
}

/** The preview as it was read. @param {Decision} decision */
function previewed({ known, shown, preview, unlimited, close }) {
  const again = () => decide(known, shown.map(({ id }) => id));
  const heading = node("h2", { id: "preview", tabindex: -1 }, "Preview ",
    node("small", "read ", time(preview.at)),
    button("Preview again", again, { kind: "plain" }), button("Close", close, { kind: "plain" }));
  const actions = preview.actions.map((one) => {
    const action = actionNow(known, one.actionId);
    const approvals = action ? approvalsOf(action) : [];
    return action && actionPreview(known, action, approvals, one, preview.actions.length > 1);
  });
  return node("section.preview", { "aria-label": "Preview" }, heading,
    unlimited && node("p.quiet", "No policy and no cap is set: one person approves any amount. ",
      link(to("/settings/policy"), "Set a policy")),
    sums(preview.sums), actions);
}

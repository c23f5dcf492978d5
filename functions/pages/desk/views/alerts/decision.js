/** The decision: a preview of the chosen actions as they would be sent now, and the approval of that. Its
 * form is made once, so that a change by others neither moves nor loses what is typed. */
/** @import * as api from "workdesk" @import { Case } from "./case.js" */
/** @import { Action, Session } from "./words.js" */
import {
  allow, button, counted, denied, facts, fold, form, get, input, keyed, link, me, myId, node, now, post, Problem,
  say, state, time, to,
} from "../../kit.js";
import { HARMS, SESSION, amount, code, fact, moves, prose, truth } from "./words.js";

const HOUR_MS = 3_600_000; // An approval holds for an hour.
const UNDO = { yes: "It can be undone.", until: "It can be undone for a while.", no: "It cannot be undone." };

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

/** Previews actions of the session. @param {Case} known @param {string[]} ids */
export async function decide(known, ids) {
  const session = /** @type {Session} */ (known.session);
  const { id } = session;
  const [{ data: preview }, unlimited] = await Promise.all([
    post(`${SESSION}/preview`, { id }, { actionIds: ids }), isUnlimited()]);
  /** The actions as they are shown: only these are approved. */
  const shown = session.proposedActions.filter((one) => ids.includes(one.id));
  const digests = Object.fromEntries(shown.map((one) => [one.id, one.digest]));
  const again = shown.some((one) => known.progress.some(({ action }) => action.id === one.id)) || undefined;
  const now = (/** @type {string} */ id) => known.actions.find((one) => one.id === id);
  const close = () => {
    known.decision = undefined;
    known.draw();
  };
  const approve = async (/** @type {any} */ { note }) => {
    const body = { actionIds: ids, digests, note, ...(again && { again }) };
    const { data } = await post(`${SESSION}/execute`, { id }, body).catch(async (problem) => {
      if (problem instanceof Problem && problem.status === 409) await known.read().catch(() => {});
      throw problem;
    });
    close();
    await known.read();
    const waits = data.session.status === "awaiting_confirmation";
    say(waits ? "Approved. Another approval is missing." : "Approved.");
    document.getElementById("next")?.focus();
  };
  const hint = "Optional. It stands beside your approval and in the journal.";
  const note = input("Note", "note", { rows: 2, maxlength: 1000, hint });
  const made = node("section.preview", { "aria-label": "Approve" },
    form({ fields: note, submit: "Approve", draft: `approve ${Object.values(digests)}`, act: approve }));
  const send = /** @type {HTMLElement} */ (made.querySelector("button.main"));

  /** Why the shown content cannot be approved now: "" if it can. */
  const reason = () => {
    if (known.session?.id !== id) return "The alert has another session now. Preview again.";
    if (known.alert.status === "resolved") return "The alert is resolved: nothing more is executed.";
    if (shown.some((one) => now(one.id)?.digest !== one.digest)) {
      return "The proposal changed since this preview. Close it, and preview again.";
    }
    if (!shown.every((one) => known.isApprovable(one))) return "This cannot be approved any more.";
    const shares = "Some of these actions share a record: choose one of them.";
    return deniedAgent("execute_agent_remediation") || (preview.exclusive.length > 0 && shares)
      || preview.actions.find(({ policy }) => !policy.mayApprove)?.policy.whyNot
      || preview.actions.map(stops).find(Boolean) || "";
  };
  /** Sets the button by what is known now. */
  const update = () => {
    const counts = shown.map((before) => {
      const action = now(before.id) ?? before;
      const valid = approvalsOf(action).filter(({ holds }) => holds);
      const mine = valid.some(({ userId }) => userId === myId());
      const given = Math.min(action.approval?.given ?? 0, valid.length);
      const needed = preview.actions.find((one) => one.actionId === before.id)?.policy.approversNeeded ?? 1;
      return { mine, given, needed, missing: needed - given - (mine ? 0 : 1) };
    });
    const missing = Math.max(...counts.map((one) => one.missing));
    const mine = counts.every((one) => one.mine);
    const sum = preview.sums.money.map(amount).join(" and ");
    const [{ given, needed } = { given: 0, needed: 1 }] = counts;
    send.textContent = missing <= 0 ? `Approve and execute${sum && ` ${sum}`}`
      : mine ? "Approve again" : counts.length === 1 ? `Approve, ${given + 1} of ${needed}` : "Approve";
    const isFinal = shown.some(({ reversible }) => reversible?.is === "no");
    send.classList.toggle("danger", isFinal);
    const before = mine ? "You approved this already; it holds an hour from your last approval. " : "";
    const others = counted(missing, "more person approves", "more people approve");
    allow(send, reason(), missing > 0
      ? `${before}Nothing is sent before ${others}${counts.length > 1 ? " all of these" : ""}.`
      : `The agent then sends ${counted(preview.sums.requests, "request")} at once.`
        + (isFinal ? " This cannot be undone." : ""));
  };
  known.decision = () => {
    update();
    const previewed = preview.actions.map((one) => {
      const action = now(one.actionId);
      return action && actionPreview(known, action, one, preview.actions.length > 1);
    });
    const heading = node("h2", { id: "preview", tabindex: -1 }, "Preview ",
      node("small", "read ", time(preview.at)),
      button("Preview again", () => decide(known, ids), { kind: "plain" }),
      button("Close", close, { kind: "plain" }));
    const section = node("section.preview", { "aria-label": "Preview" },
      heading, unlimited && node("p.quiet", "No policy and no cap is set: one person approves any amount. ",
        link(to("/settings/policy"), "Set a policy")), sums(preview.sums), previewed);
    return [keyed("preview", section), keyed("approve", made)];
  };
  known.draw();
  document.getElementById("preview")?.focus();
}

function sums(/** @type {api.PreviewSums} */ { money, unknownAmounts, records, customers, requests }) {
  const counts = [counted(requests, "request"), counted(records, "record")];
  if (customers !== null) counts.push(counted(customers, "customer"));
  return node("p.lead",
    money.map((one) => node("span.sum", moves({ direction: one.direction, amount: one }))),
    unknownAmounts > 0 && node("strong.sum", `${counted(unknownAmounts, "amount")} not known`),
    money.length + unknownAmounts === 0 && "No money moves.", node("small", ` ${counts.join(", ")}`));
}

/** @param {Case} known @param {Action} action @param {api.ActionPreview} preview
 * @param {boolean} several */
function actionPreview(known, action, preview, several) {
  const { policy, preconditions, requests, guards, obstacles, reversible } = preview;
  const [units, approvals] = [action.money?.amount, approvalsOf(action)];
  const failing = preconditions.filter(({ holds }) => holds !== true);
  const holding = preconditions.filter(({ holds }) => holds === true);
  const all = counted(preconditions.length, "condition");
  const conditions = (/** @type {typeof failing} */ those) => node("ul.findings",
    those.map(({ says, condition, holds, found, problem }) => node("li", truth(holds, true), prose(says), node("small",
      problem ?? Object.entries(found).map(([name, value]) => `${name}: ${fact(value)}`).join(", "),
      condition !== says && [" (", prose(condition), ")"]))));
  const names = approvals.filter(({ holds }) => holds).map(({ userId }) => known.name(userId)).join(", ");
  const by = names && `; approved by ${names}`;
  const { verify } = action;
  return node("div.previewed", several && node("h3", prose(action.description)), facts({
    "Stops it now": [obstacles.map((one) => node("div.bad", prose(one))),
      guards.map(({ record, heldBy }) => heldBy
        && node("div.bad", node("code", record), ` ${heldBy.detail} (session ${heldBy.sessionId})`)),
      policy.aboveCap && node("div.bad", policy.aboveCap)],
    Money: several && moves(preview.money),
    "Will be sent": requests.map(({ order, description, method, url, body }) => node("div.request",
      node("div", `${order}. `, prose(description)), node("code", `${method} ${url}`), body && code(body),
      units && JSON.stringify(body ?? null).includes(String(units.minorUnits))
        && node("small", `${units.minorUnits} is ${amount(units)}.`))),
    "Only if": [
      failing.length > 0 && [node("strong", "False or not known now:"), conditions(failing)],
      fold(`conditions ${action.id}`,
        failing.length ? `${holding.length} of ${all} hold` : `All ${all} hold now`, conditions(holding)),
      node("small", "They are read again just before the first call. Nothing is sent if one does not hold.")],
    "If it is wrong": [reversible && [node("strong", UNDO[reversible.is]), " ", prose(reversible.says)],
      node("small", ` Risk ${action.risk}: ${HARMS[action.risk]}.`)],
    Afterwards: !verify ? "No read checks the effect."
      : [prose(`The agent reads within ${counted(verify.minutes, "minute")} that ${verify.effective}`),
        verify.amount && [" and that ", prose(verify.amount), units && ` (${amount(units)})`],
        ". Otherwise the alert stays open, and the case says why."],
    Approval: [
      node("div", policy.denied ? state("denied", "The policy lets no user approve this", "stop bad")
        : `Needs ${policy.asks}.`),
      node("div", `${policy.approvalsGiven} of ${policy.approversNeeded} at this preview${by}.`),
      approvals.filter(({ holds, other }) => !holds && !other).map(({ userId, until }) =>
        node("div", state("expired"), ` ${known.name(userId)}'s approval ended `, time(until)))],
  }));
}

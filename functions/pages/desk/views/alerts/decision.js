/**
 * The decision: a preview of the chosen actions as they would be sent now, and the approval of exactly that.
 *
 * Its form is made once for a preview, so that a change by others neither moves nor loses what is typed.
 */

/** @import * as api from "workdesk" */
/** @import { Case, Part } from "./alert.js" */
/** @import { Child } from "../../elements.js" */
import { post, Problem } from "../../api/client.js";
import { button, field, form, node, state, time } from "../../elements.js";
import { say } from "../../frame/frame.js";
import { myId } from "../../frame/session.js";
import { approvalsOf, deniedAgent, isApprovable } from "./actions.js";
import { amount, code, facts, fold, mark, moves, named, prose, truth } from "./parts.js";
import { RISKS, counted, fact } from "./words.js";

const UNDO = { yes: "It can be undone. ", until: "It can be undone for a while. ", no: "It cannot be undone. " };

/** Previews actions. @param {Case} known @param {string[]} ids @param {() => void} close */
export async function decision(known, ids, close) {
  const session = /** @type {api.AgentSession} */ (known.session);
  const { data: preview } = await post("/api/concierge/agent-sessions/{id}/preview", { id: session.id },
    { actionIds: ids },
    { signal: known.signal });
  /** The actions as they are shown: only these are approved. @type {api.ProposedAction[]} */
  const shown = session.proposedActions.filter(({ id }) => ids.includes(id));
  const digests = Object.fromEntries(shown.map(({ id, digest }) => [id, digest]));
  const policies = new Map(preview.actions.map(({ actionId, policy }) => [actionId, policy]));
  const again = shown.some(({ id }) => known.progress.some(({ action }) => action.id === id)) || undefined;

  const note = node("textarea", { name: "note", rows: 2, maxlength: 1000 });
  const made = form({
    fields: [field("Note", note, { hint: "Optional. It stands beside your approval and in the journal." })],
    submit: "Approve", draft: "approve",
    act: async () => {
      const body = { actionIds: ids, digests, note: note.value.trim() || null, ...(again && { again }) };
      try {
        const { data } = await post("/api/concierge/agent-sessions/{id}/execute", { id: session.id }, body,
          { signal: known.signal });
        close();
        await known.reload(data.session);
        say(data.session.status === "awaiting_confirmation" ? "Approved. Another approval is missing." : "Approved.");
        document.getElementById("next")?.focus();
      } catch (problem) {
        if (problem instanceof Problem && problem.status === 409) await known.reload().catch(() => {});
        throw problem;
      }
    },
  });
  const send = /** @type {HTMLButtonElement} */ (made.querySelector("button.main"));
  const effect = node("small", { id: "approve-effect" });
  send.setAttribute("aria-describedby", "approve-effect");
  send.after(effect);

  /** Why the shown content cannot be approved: "" if it can. @param {Case} now */
  const reasonNow = (now) => {
    if (now.session?.id !== session.id) return "The alert has another session now. Preview again.";
    for (const { id, digest } of shown) {
      const action = now.session.proposedActions.find((one) => one.id === id);
      if (action?.digest !== digest) return "The proposal changed since this preview. Close it, and preview again.";
      if (now.alert.status === "resolved") return "The alert is resolved: nothing more is executed.";
      if (!isApprovable(now, action)) return "This cannot be approved any more.";
    }
    const refused = [...policies.values()].find(({ mayApprove }) => !mayApprove);
    const denied = deniedAgent("execute_agent_remediation");
    return denied || (preview.exclusive.length > 0 ? "Some of these actions share a record: choose one of them."
      : refused?.whyNot ?? "");
  };
  /** Sets the button by what is known now. @param {Case} now */
  const update = (now) => {
    const reason = reasonNow(now);
    const counts = shown.map((before) => {
      const action = now.session?.proposedActions.find(({ id }) => id === before.id) ?? before;
      const policy = policies.get(before.id);
      const valid = approvalsOf(action).filter(({ expired, other }) => !expired && !other);
      const given = Math.min(action.approval?.given ?? 0, valid.length);
      const mine = valid.some(({ userId }) => userId === myId());
      const needed = policy?.approversNeeded ?? 1;
      return { mine, given, needed, missing: needed - given - (mine ? 0 : 1) };
    });
    const missing = Math.max(...counts.map((one) => one.missing));
    const mine = counts.every((one) => one.mine);
    const [first] = counts;
    const sum = preview.sums.money.map((one) => amount(one)).join(" and ");
    send.textContent = missing <= 0 ? `Approve and execute${sum ? ` ${sum}` : ""}`
      : mine ? "Approve again"
      : counts.length === 1 ? `Approve, ${(first?.given ?? 0) + 1} of ${first?.needed}` : "Approve";
    const isBusy = send.ariaBusy === "true";
    if (!isBusy) send.ariaDisabled = reason ? "true" : null;
    effect.textContent = reason || (missing <= 0
      ? `The agent then sends ${counted(preview.sums.requests, "request")} at once.`
      : `${mine ? "You approved this already; it holds an hour from your last approval. " : ""}Nothing is sent before `
        + `${counted(missing, "more person approves", "more people approve")}${counts.length > 1 ? " all of these" : ""}.`);
    effect.className = reason ? "warn" : "";
  };

  return {
    focus: () => /** @type {HTMLElement | null} */ (document.querySelector("#preview"))?.focus(),
    /** @param {Case} now @returns {Part[]} */
    parts: (now) => {
      update(now);
      const newest = (/** @type {api.ProposedAction} */ action) =>
        now.session?.proposedActions.find(({ id }) => id === action.id) ?? action;
      const approvals = shown.map((action) => approvalsOf(newest(action)));
      return [
        { key: "preview", shows: [preview, approvals, now.names.size],
          make: () => node("section", { class: "preview", "aria-label": "Preview" },
          node("h2", { id: "preview", tabindex: -1 }, "Preview ", node("small", {}, "read ", time(preview.at)),
            button("Preview again", () => known.preview(ids), { kind: "plain" }),
              button("Close", close, { kind: "plain" })),
          sums(preview.sums),
          ...shown.map((action, at) => actionPreview(now, action,
            preview.actions.find(({ actionId }) => actionId === action.id), approvals[at] ?? [], shown.length > 1))) },
        { key: "approve", shows: preview.at, make: () => node("section", { class: "preview", "aria-label": "Approve" },
          made) },
      ];
    },
  };
}

/** @param {api.PreviewSums} sums */
function sums({ money, unknownAmounts, records, customers, requests }) {
  const parts = [counted(requests, "request"), counted(records, "record")];
  if (customers !== null) parts.push(counted(customers, "customer"));
  return node("p", { class: "lead" },
    ...(money.length ? money.map((one) => node("span", { class: "sum" },
      moves({ direction: one.direction, amount: one }))) : unknownAmounts ? [] : ["No money moves."]),
    unknownAmounts > 0 && node("strong", { class: "sum" }, `${counted(unknownAmounts, "amount")} not known`),
    node("small", {}, ` ${parts.join(", ")}`));
}

/**
 * @param {Case} known @param {api.ProposedAction} action @param {api.ActionPreview | undefined} preview
 * @param {ReturnType<typeof approvalsOf>} approvals @param {boolean} several
 */
function actionPreview({ names, opened }, action, preview, approvals, several) {
  if (!preview) return node("p", {}, "No preview.");
  const { policy, preconditions, requests, guards, obstacles, reversible } = preview;
  const held = guards.filter(({ heldBy }) => heldBy);
  const failing = preconditions.filter(({ holds }) => holds !== true);
  /** @param {api.PreviewCondition} one */
  const condition = ({ says, holds, found, problem }) => node("li", {}, truth(holds, true), prose(says),
    node("small", {}, problem ?? Object.entries(found).map(([name, value]) => `${name}: ${fact(value)}`).join(", ")));
  const valid = approvals.filter(({ expired, other }) => !expired && !other);
  const by = valid.map(({ userId }) => named(names, userId)).join(", ");
  const { verify } = action;
  const units = action.money?.amount;
  /** @param {unknown} body */
  const hasAmount = (body) => units && JSON.stringify(body)?.includes(String(units.minorUnits));
  /** @type {[string, Child | Child[]][]} */
  const entries = [
    ["Stops it now", [...obstacles.map((one) => node("div", { class: "bad" }, prose(one))),
      ...held.map(({ record, heldBy }) => node("div", { class: "bad" }, node("code", {}, record),
        ` ${heldBy?.detail} (session ${heldBy?.sessionId})`)),
      policy.aboveCap && node("div", { class: "bad" }, policy.aboveCap)]],
    ["Money", several && moves(preview.money)],
    ["Will be sent", requests.map(({ order, description, method, url, body }) => node("div", { class: "request" },
      node("div", {}, `${order}. `, prose(description)), node("code", {}, `${method} ${url}`), body && code(body),
      units && hasAmount(body) && node("small", {}, `${units.minorUnits} is ${amount(units)}.`)))],
    ["Only if", [failing.length > 0 ? node("strong", {}, `${counted(failing.length, "condition")} false or not known now:`) : null,
      node("ul", { class: "findings" }, ...failing.map(condition)),
      fold(opened, `conditions ${action.id}`, failing.length === 0
        ? `All ${counted(preconditions.length, "condition")} hold now`
        : `${preconditions.length - failing.length} of ${counted(preconditions.length, "condition")} hold`,
      [node("ul", { class: "findings" }, ...preconditions.filter(({ holds }) => holds === true).map(condition))]),
      node("small", {}, "They are read again just before the first call. If one does not hold, nothing is sent.")]],
    ["If it is wrong", [reversible && [node("strong", {}, UNDO[reversible.is]), prose(reversible.says)],
      node("small", {}, ` Risk ${action.risk}: ${RISKS[action.risk]}.`)].flat()],
    ["Afterwards", verify ? [prose(`The agent reads within ${counted(verify.minutes, "minute")} that ${verify.effective}`),
      verify.amount && [" and that ", prose(verify.amount), units && ` (${amount(units)})`], "."].flat().flat()
        : "No read checks the effect."],
    ["Approval", [node("div", {}, policy.denied ? state("denied", "The policy lets no user approve this", "stop bad")
      : `Needs ${policy.asks}.`),
      node("div", {}, `${policy.approvalsGiven} of ${policy.approversNeeded} at this preview${by && `; approved by ${by}`}.`),
      ...approvals.filter(({ expired }) => expired).map(({ userId, until }) => node("div", {}, mark("expired"),
        ` ${named(names, userId)}'s approval ended `, time(until)))]],
  ];
  return node("div", { class: "previewed" }, several ? node("h3", {}, prose(action.description)) : null,
    facts(entries));
}

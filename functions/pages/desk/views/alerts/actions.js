/** The proposed actions: what each does, its money, risk and approvals. The buttons of the session. */

/** @import * as api from "workdesk" */
/** @import { Case, Part } from "./alert.js" */
/** @import { Choice } from "../../elements.js" */
import { post, Problem } from "../../api/client.js";
import { everyone } from "../../api/records.js";
import { button, field, form, node, select, state, time, words } from "../../elements.js";
import { draftOf } from "../../frame/drafts.js";
import { say } from "../../frame/frame.js";
import { to } from "../../frame/router.js";
import { denied, me, myId } from "../../frame/session.js";
import { facts, mark, moves, named, prose, quoted } from "./parts.js";
import { connectionBar, pauseBar, readPause } from "./pause.js";
import { outcomes } from "./progress.js";
import { RISKS } from "./words.js";

const HOUR_MS = 3_600_000;

/** Why the user may not have the agent work: "" if they may. @param {api.Permission} permission */
export function deniedAgent(permission) {
  return denied(permission) || (me().planFeatures.includes("agentAI") ? ""
    : "Your organization's plan is without the agent.");
}

/** Is this automated action still to be approved? @param {Case} known @param {api.ProposedAction} action */
export function isApprovable({ alert, session, isNewest, progress }, { id, isAutomated }) {
  const row = progress.find(({ action }) => action.id === id);
  const ended = session !== undefined && ["completed", "failed"].includes(session.status) && session.openActions > 0;
  return isAutomated && isNewest && alert.status !== "resolved"
    && (session?.status === "awaiting_confirmation" || ended)
    && (!row || row.state === "failed" || row.state === "skipped");
}

/** The approvals of an action, each as long as it holds. @param {api.ProposedAction} action */
export function approvalsOf({ approvals, digest }) {
  const newest = new Map(approvals.map((one) => [one.userId, one]));
  return [...newest.values()].map((one) => {
    const until = new Date(Date.parse(one.at) + HOUR_MS);
    const other = one.digest !== null && one.digest !== digest;
    return { ...one, until: until.toISOString(), expired: until.getTime() < Date.now(), other };
  });
}

/** @param {Case} known @returns {Part[]} */
export function actionParts(known) {
  const { session, progress, names } = known;
  const actions = session?.proposedActions ?? [];
  if (actions.length === 0) return [];
  const open = actions.filter((action) => isApprovable(known, action));
  const parts = actions.map((action) => {
    const of = progress.find(({ action: { id } }) => id === action.id)?.state;
    const can = open.includes(action);
    return {
      key: `action ${action.id}`,
      shows: [action, of, can, open.length > 1, session?.status, known.isNewest, names.size, known.sessions.length,
        known.forms.has(`settle ${action.id}`),
        known.forms.has(`hand over ${action.id}`), approvalsOf(action)],
      make: () => shownAction(known, action, of, can && open.length > 1),
    };
  });
  return [
    { key: "actions", shows: actions.length, make: () => node("h2", { class: "first" }, "Actions ",
      node("span", { class: "count" }, actions.length)) },
    ...parts,
    { key: "decide", shows: [open.map(({ id }) => id), session?.status, known.isNewest, known.forms.has("reject")],
      make: () => decide(known, open) },
  ];
}

/** @param {Case} known @param {api.ProposedAction} action @param {string | undefined} of @param {boolean} several */
function shownAction(known, action, of, several) {
  const { session, names, chosen } = known;
  const { id, money, risk, reversible, handling } = action;
  const title = node("span", { id: `title-${id}` }, prose(action.description));
  const choose = (/** @type {any} */ { target }) => (target.checked ? chosen.add(id) : chosen.delete(id));
  const check = several && node("input", { type: "checkbox", checked: chosen.has(id), onchange: choose,
    "aria-labelledby": `title-${id}` });
  const others = (/** @type {string[]} */ ids) => session?.proposedActions.filter((one) => ids.includes(one.id))
    .map((one) => node("div", {}, prose(one.description)));
  const approvals = approvalsOf(action).map((one) => node("div", { class: one.expired ? "quiet" : "" },
    one.expired || one.other ? state("expired", one.other ? "Approval of other content" : "Expired approval")
      : state("approved", "Approved", "check good"),
    ` by ${named(names, one.userId)} `, time(one.at), quoted(one.note)));
  const short = known.sessions.find((row) => row.id === session?.id)?.proposedActions.find((one) => one.id === id);
  const [given, needed] = [action.approval?.given ?? 0, action.approval?.needed ?? short?.approvalsNeeded];
  const awaited = session?.status === "awaiting_confirmation" && needed;
  return node("section", { "aria-labelledby": `title-${id}` },
    node("h3", {}, check, title),
    facts([
      ["State", of && mark(of)],
      ["Money", money ? [moves(money), ...ofRead(known, action)] : action.isAutomated && moves(null)],
      ["Records", [action.targetSystem, " ", ...action.targetEntities.flatMap((one) => [node("code", {}, one), " "])]],
      ["Risk", [state(risk, words(risk), risk === "critical" ? "up bad" : undefined), ` ${RISKS[risk]}`]],
      ["Undo", reversible && [node("strong", {}, { yes: "Yes. ", until: "For a while. ", no: "No. " }[reversible.is]),
        prose(reversible.says)]],
      ["Expected", prose(action.expectedOutcome)],
      ["Runs after", others(action.after)],
      ["Only without", others(action.unless)],
      ["Excludes", others(action.excludes)],
      ["By hand", !action.isAutomated && [node("strong", {}, "A person does this: "),
        ...action.steps.map(({ description }) => node("div", {}, prose(description)))]],
      ["Approvals", action.isAutomated && [awaited && node("div", {}, `${given} of ${needed}`,
        action.approval && ", until ",
        action.approval && time(action.approval.expiresAt)), ...approvals]],
      ["Handled", handling && handled(known, handling)],
    ]),
    !action.isAutomated && manualButtons(known, action, of));
}

/** With whom the money moves, and when that was read. @param {Case} known @param {api.ProposedAction} action */
function ofRead({ alert, session }, action) {
  const sources = session?.reads.filter(({ request }) => request && action.reads.includes(request)) ?? [];
  const facts = sources.flatMap((read) => Object.entries(read.facts)).filter(([name]) => name.endsWith(".customer"));
  const entities = alert.entities.filter(({ type }) => type === "customer").map(({ id }) => id);
  const customers = new Set([...facts.map(([, value]) => String(value)), ...entities]);
  return [...[...customers].flatMap((id) => [" ", node("code", {}, id)]),
    sources[0] && node("small", {}, `, read from ${sources[0].connection} `, time(sources[0].at))];
}

/** @param {Case} known @param {api.Handling} handling */
function handled({ names }, handling) {
  const name = (/** @type {number | null} */ user) => (user ? named(names, user) : "the service");
  return [mark(handling.status),
    handling.status === "handed_over" ? ` to ${name(handling.assigneeId)} by ${name(handling.by)} `
      : ` by ${name(handling.by)} `,
    time(handling.at),
    " ",
    handling.serviceRequestId && node("a", { class: "link", href: to(`/requests/${handling.serviceRequestId}`) },
      `request ${handling.serviceRequestId}`),
    quoted(handling.note)];
}

/**
 * A button that opens a form in its place. The form stays when the part is drawn anew. It opens by itself if a text was
 * typed into it before, also if the same action was proposed again meanwhile.
 * @param {Case} known @param {string} key @param {string} label @param {string} reason
 * @param {(close: () => void, draft: string) => HTMLElement | Promise<HTMLElement>} make
 */
function opener(known, key, label, reason, make) {
  const draft = key.replace(/-p\d+-/, "-");
  const close = () => {
    known.forms.delete(key);
    known.draw();
  };
  const open = async () => {
    known.forms.set(key, await make(close, draft));
    known.draw();
  };
  const press = async () => {
    await open();
    const first = known.forms.get(key)?.querySelector("select, textarea, button");
    /** @type {HTMLElement | null | undefined} */ (first)?.focus();
  };
  const shown = known.forms.get(key);
  if (shown) return shown;
  const typed = draftOf(`${draft} note`) || draftOf(`${draft} reason`);
  if (typed && !reason) queueMicrotask(() => known.forms.has(key) || open());
  return button(label, press, { reason });
}

const REASON = { rows: 2, maxlength: 1000 };

/** Settling and handing over. @param {Case} known @param {api.ProposedAction} action @param {string | undefined} of */
export function manualButtons(known, action, of) {
  const { session } = known;
  if (!session) return null;
  const can = outcomes(action, of, session.status);
  if (can.length === 0) return null;
  const path = { id: session.id, actionId: action.id };
  const labels = action.isAutomated ? { done: "It took effect", not_done: "It took no effect", waived: "" }
    : { done: "It is done", waived: "It is not needed", not_done: "" };
  const settle = opener(known, `settle ${action.id}`, "Settle…", deniedAgent("execute_agent_remediation"),
    (close, draft) => {
    const outcome = select("outcome", can.map((one) => /** @type {Choice} */ ([one, labels[one]])));
    const note = node("textarea", { name: "note", required: true, ...REASON });
    return form({
      fields: [field("Outcome", outcome), field("Where and how it was seen, or the reason", note)],
      submit: "Settle", cancel: close, draft,
      act: async () => {
        const body = { outcome: /** @type {api.SettleOutcome} */ (outcome.value), note: note.value };
        const { data } = await post("/api/concierge/agent-sessions/{id}/actions/{actionId}/settle", path, body,
          { signal: known.signal });
        close();
        await known.reload(data);
        say("The action is settled.");
      },
    });
  });
  const handOver = !action.isAutomated && opener(known, `hand over ${action.id}`, "Hand over…",
    deniedAgent("create_agent_remediation"),
    async (close, draft) => {
      const users = (await everyone()).map(({ id, fullName, username }) =>
        /** @type {Choice} */ ([String(id), `${fullName} (${username})`]));
      const assignee = select("assigneeId", users, String(myId()));
      const note = node("textarea", { name: "note", ...REASON });
      return form({
        fields: [field("To", assignee), field("Note", note)],
        submit: "Hand over", cancel: close, draft,
        act: async () => {
          const body = { assigneeId: Number(assignee.value), note: note.value.trim() || null };
          const { data } = await post("/api/concierge/agent-sessions/{id}/actions/{actionId}/hand-over", path, body,
            { signal: known.signal });
          close();
          await known.reload(data);
          say("The action is handed over.");
        },
      });
    });
  return node("div", { class: "acts" }, settle, handOver);
}

/** Preview and reject. @param {Case} known @param {api.ProposedAction[]} open */
function decide(known, open) {
  const { session, signal } = known;
  if (!session || !known.isNewest) return node("div", { hidden: true });
  const preview = async () => {
    const ids = open.map(({ id }) => id).filter((id) => open.length === 1 || known.chosen.has(id));
    if (ids.length === 0) throw new Problem(0, { detail: "Choose an action first." });
    await known.preview(ids);
  };
  const reject = session.status === "awaiting_confirmation" && opener(known, "reject", "Reject…",
    denied("execute_agent_remediation"), (close, draft) => {
    const reason = node("textarea", { name: "reason", required: true, ...REASON });
    return form({
      fields: [field("Reason", reason, { hint: "Everyone who opens the session sees it. The whole proposal ends." })],
      submit: "Reject the proposal", cancel: close, draft,
      act: async () => {
        const { data } = await post("/api/concierge/agent-sessions/{id}/reject", { id: session.id },
          { reason: reason.value }, { signal });
        close();
        await known.reload(data);
        say("The proposal is rejected.");
      },
    });
  });
  return node("div", { class: "acts" }, open.length > 0 && button("Preview and approve", preview, { kind: "main" }),
    reject);
}

/** The operations of the session that are possible now. @param {Case} known */
export function sessionButtons(known) {
  const { alert, session, signal, isNewest } = known;
  const status = session?.status;
  /** @param {number} id */
  const propose = async (id) => {
    await post("/api/concierge/agent-sessions/{id}/propose", { id }, undefined, { signal });
    known.forms.clear();
    await known.reload();
    say("The analysis is done.");
  };
  const analyse = async () => {
    const { data } = await post("/api/concierge/alerts/{id}/agent-session", { id: alert.id }, undefined, { signal });
    await propose(data.session.id).catch(async (problem) => {
      await known.reload();
      throw problem;
    });
  };
  const cancel = async () => {
    await post("/api/concierge/agent-sessions/{id}/cancel", { id: session?.id ?? 0 }, undefined, { signal });
    await known.reload();
    say("The session is cancelled.");
  };
  const mayPropose = deniedAgent("create_agent_remediation");
  const ended = !status || ["completed", "failed", "cancelled", "expired"].includes(status);
  const isOpen = ["started", "analyzing", "awaiting_confirmation", "executing"].includes(status ?? "");
  if (!isNewest && session) return node("p", { class: "quiet" }, "This is an earlier session of the alert.");
  const another = session ? "Analyse again" : "Analyse";
  return node("div", { class: "acts" },
    ended && alert.status !== "resolved" && button(another, analyse,
      { kind: session ? "" : "main", reason: mayPropose }),
    ended && alert.status !== "resolved" && node("small", {}, session && session.openActions > 0
      ? "In another session. What this one has open can then no longer be approved."
      : `The agent reads ${alert.targetSystem} and proposes actions. It changes nothing. `
        + "The policy may keep you from approving what you had proposed."),
    status === "started" && button("Propose actions", () => propose(session?.id ?? 0),
      { kind: "main", reason: mayPropose }),
    status === "awaiting_confirmation" && button("Propose again", () => propose(session?.id ?? 0),
      { reason: mayPropose }),
    isOpen && button("Cancel the session", cancel, { reason: denied("create_agent_remediation") }),
    status === "executing" && opener(known, "pause", "Pause…", "", (close) => pausing(known, close)));
}

/** @param {Case} known @param {() => void} close */
async function pausing({ session, signal }, close) {
  const names = [...new Set(session?.proposedActions.flatMap(({ connection }) => connection?.name ?? []))];
  const [all, ...bars] = await Promise.all([readPause(signal), ...names.map((name) => connectionBar(name, signal))]);
  const effect = "A pause stops new actions. One that was claimed may end, within a minute.";
  return node("div", { class: "pausing" }, ...bars, pauseBar(/** @type {api.AgentPause} */ (all), signal),
    node("small", {}, effect), button("Close", close, { kind: "plain" }));
}

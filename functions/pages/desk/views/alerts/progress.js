/** What became of the approved actions, from the session's results and its journal. Pure. */

/** @import * as api from "workdesk" */

/**
 * A step of an action with its last answer. `state` is a `StepStatus`, `waiting` or `running`.
 * @typedef {object} StepRow
 * @property {number} order
 * @property {string} description
 * @property {string} state
 * @property {string | null} at
 * @property {number | null} status
 * @property {unknown} body members of the answer that the connection keeps
 * @property {string} problem
 */
/**
 * An approved action. `state` is `queued`, `running`, `succeeded`, `failed`, `skipped` or `unknown`.
 * @typedef {object} ActionRow
 * @property {api.ProposedAction} action
 * @property {string} state
 * @property {string} says
 * @property {StepRow[]} steps
 * @property {api.ExecutionResult | undefined} result
 */

/** The worker's events: those of people about manual actions have other states. */
const WORK = new Set(["claimed", "answered", "released", "ended", "verified", "reconciled", "verdict"]);

/** @param {api.AgentSession} session @param {api.JournalEntry[]} journal @returns {ActionRow[]} */
export function progress(session, journal) {
  const live = session.status === "executing" || session.status === "cancelling";
  const approved = journal.findLast(({ what, to }) => what === "approved" && to === "executing");
  const begun = new Set(live ? Object.keys(Object(approved?.detail?.["actions"])) : []);
  return session.proposedActions.flatMap((action) => {
    const result = session.executionResults.find(({ actionId }) => actionId === action.id);
    if (!result && !begun.has(action.id)) return [];
    const since = begun.has(action.id) ? approved?.at ?? "" : "";
    const entries = journal.filter(({ actionId, at, what }) => actionId === action.id && at >= since && WORK.has(what));
    const last = entries.findLast(({ to }) => to)?.to;
    const isOld = begun.has(action.id) && result !== undefined && result.executedAt < since;
    const state = result && !isOld ? stateOf(result, last) : last ?? "queued";
    const known = isOld ? undefined : result;
    return [{ action, state, says: saysOf(state, known, entries), steps: stepsOf(action, state, known, entries),
      result: known }];
  });
}

/** @param {api.ExecutionResult} result @param {string | null | undefined} last state by the journal, if it was read */
function stateOf(result, last) {
  if (result.success) return "succeeded";
  if (last && last !== "queued" && last !== "running") return last;
  const { verdict, reconciliation, steps } = result;
  if (verdict?.outcome === "not_done" || reconciliation?.status === "not_done") return "failed";
  if (reconciliation || steps.some(({ status }) => status === "unclear")) return "unknown";
  return steps.every(({ status }) => status === "not_sent") ? "skipped" : "failed";
}

/** @param {string} state @param {api.ExecutionResult | undefined} result @param {api.JournalEntry[]} entries */
function saysOf(state, result, entries) {
  if (state !== "queued") return state === "running" ? "" : result?.error ?? "";
  const until = entries.findLast(({ what }) => what === "released")?.detail?.["notBefore"];
  return until ? `No clear answer yet. Next attempt: ${until}.` : "Waits for the agent, or for the end of a pause.";
}

/** @param {api.ProposedAction} action @param {string} state @param {api.ExecutionResult | undefined} result
 * @param {api.JournalEntry[]} entries @returns {StepRow[]} */
function stepsOf(action, state, result, entries) {
  let isNext = state === "running";
  return action.steps.map(({ order, description }) => {
    const ended = result?.steps.find(({ step }) => step === order);
    const answer = entries.findLast(({ what, detail }) => what === "answered" && detail?.["step"] === order);
    const detail = /** @type {Record<string, any>} */ (answer?.detail ?? {});
    let now = ended?.status ?? detail["effect"] ?? "waiting";
    if (isNext && !now.startsWith("done")) [now, isNext] = ["running", false];
    return {
      order, description, state: now,
      at: ended?.at ?? answer?.at ?? null,
      status: ended?.response?.status ?? detail["response"]?.status ?? null,
      body: ended?.response?.body ?? answer?.excerpt?.body ?? null,
      problem: detail["problem"] ?? "",
    };
  });
}

/** The outcomes by which a user may settle an action now.
 * @param {api.ProposedAction} action @param {string | undefined} state of the approved action
 * @param {api.AgentSessionStatus} status @returns {api.SettleOutcome[]} */
export function outcomes(action, state, status) {
  if (action.isAutomated) return state === "unknown" ? ["done", "not_done"] : [];
  const isOpen = ["awaiting_confirmation", "executing", "completed", "failed"].includes(status);
  return isOpen && !action.handling ? ["done", "waived"] : [];
}

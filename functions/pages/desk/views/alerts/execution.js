/** What became of the approved actions: one row a step with its last answer, then the checks. */
/** @import * as api from "workdesk" @import { Case } from "./case.js"
 * @import { Result, Session } from "./words.js" */
import { counted, facts, fold, node, state, time } from "../../kit.js";
import { manualButtons } from "./actions.js";
import { FOUND, STEPS, code, prose, quoted, values } from "./words.js";

/** The worker's events: those of people about manual actions have other states.
 * @type {api.JournalEvent[]} */
const WORK = ["claimed", "answered", "released", "ended", "verified", "reconciled", "verdict"];

/** The approved actions, each with its state, result and the worker's entries of its journal.
 * @param {Session} session @param {api.JournalEntry[]} journal */
export function progress({ status, proposedActions, executionResults }, journal) {
  const live = status === "executing" || status === "cancelling";
  const approved = journal.findLast(({ what, to }) => live && what === "approved"
    && to === "executing");
  const begun = Object.keys(Object(approved?.detail?.["actions"]));
  return proposedActions.flatMap((action) => {
    const isBegun = begun.includes(action.id);
    const since = isBegun ? approved?.at ?? "" : "";
    const found = executionResults.find(({ actionId }) => actionId === action.id);
    // An earlier attempt's result says nothing of this one.
    const result = found && found.executedAt >= since ? found : undefined;
    if (!found && !isBegun) return [];
    const entries = journal.filter(({ actionId, at, what }) =>
      actionId === action.id && at >= since && WORK.includes(what));
    const last = entries.findLast(({ to }) => to)?.to;
    return [{ action, entries, result, state: result ? stateOf(result, last) : last ?? "queued" }];
  });
}
/** @typedef {ReturnType<typeof progress>[number]} Progress */

/** @param {Result} result @param {string | null} [last] state by the journal, if it was read */
function stateOf({ success, verdict, checks, steps }, last) {
  if (success) return "succeeded";
  if (last && last !== "queued" && last !== "running") return last;
  const call = checks.find(({ purpose }) => purpose === "call");
  if (verdict?.outcome === "not_done" || call?.status === "not_done") return "failed";
  if (call || steps.some(({ status }) => status === "unclear")) return "unknown";
  return steps.every(({ status }) => status === "not_sent") ? "skipped" : "failed";
}

/** @param {Case} known @param {Progress} row */
export function run(known, row) {
  const { action, entries, result, state: now } = row;
  const until = entries.findLast(({ what }) => what === "released")?.detail?.["notBefore"];
  const waits = until ? `No clear answer yet. Next attempt: ${until}.`
    : "Waits for the agent, or for the end of a pause.";
  const says = now === "queued" ? waits : now === "running" ? "" : result?.error;
  return node("section.run",
    node("div.line", state(now), node("strong", prose(action.description))),
    says && node("p", { class: ["failed", "unknown"].includes(now) ? "bad" : "quiet" },
      prose(says)),
    node("ol.steps", stepsOf(row, says ?? "")),
    result && endOf(known, result),
    action.isAutomated && manualButtons(known, action, now));
}

/** What became of an action. @param {Case} known @param {Result} result */
function endOf(known, { verdict, checks: all, executedAt, duration }) {
  const checked = (/** @type {api.CheckPurpose} */ of) => {
    const check = all.find(({ purpose }) => purpose === of);
    return check && checks(check);
  };
  const seconds = counted(Math.round(duration / 1000), "second");
  return facts({
    Effect: checked("effect"),
    "Unclear call": checked("call"),
    Settled: verdict && [state(verdict.outcome), ` by ${known.name(verdict.by)} `,
      time(verdict.at), quoted(verdict.note)],
    Ended: [time(executedAt), duration >= 1000 && `, after ${seconds}`],
  });
}

/** The steps. The first one that is not done runs, if the action does.
 * @param {Progress} row @param {string} says what stands above */
function stepsOf({ action, entries, result, state: now }, says) {
  let isNext = now === "running";
  return action.steps.map(({ order, description }) => {
    const ended = result?.steps.find(({ step }) => step === order);
    const answer = entries.findLast(({ what, detail }) => what === "answered"
      && detail?.["step"] === order);
    const detail = /** @type {Record<string, any>} */ (answer?.detail ?? {});
    const before = ended?.status ?? detail["effect"] ?? "waiting";
    const runs = isNext && !before.startsWith("done");
    if (runs) isNext = false;
    const { status, body } = ended?.response
      ?? { ...detail["response"], body: answer?.excerpt?.body };
    const at = ended?.at ?? answer?.at;
    const step = runs ? "running" : before;
    return node("li", state(step, STEPS[step]), node("span", prose(description)),
      node("small", status && `answer ${status} `, at && time(at)),
      detail["problem"] && detail["problem"] !== says && node("small.wide", detail["problem"]),
      body && fold(`step ${order}`, "Answer", code(body)));
  });
}

/** @param {Result["checks"][number]} check */
function checks({ purpose, status, count, at, next, found, problem }) {
  const prefix = `${Object.keys(found ?? {})[0]?.split(".")[0] ?? ""}.`;
  return [state(status, FOUND[purpose][status]), ` ${counted(count, "check")}`,
    at && [", last ", time(at)],
    next && [", next ", time(next)],
    problem && node("div", { class: status === "not_done" ? "bad" : "quiet" }, prose(problem)),
    found && fold(`found ${purpose}`, "What was found", values(found, prefix))];
}

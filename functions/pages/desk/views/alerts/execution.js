/** What became of the approved actions: one row a step with its last answer, then the checks. */

/** @import * as api from "workdesk" */
/** @import { Case, Part } from "./alert.js" */
/** @import { ActionRow } from "./progress.js" */
import { node, time } from "../../elements.js";
import { manualButtons } from "./actions.js";
import { code, facts, fold, mark, named, prose, quoted, values } from "./parts.js";
import { STEPS, counted } from "./words.js";

/** @param {Case} known @returns {Part[]} */
export function executionParts(known) {
  const { progress, names } = known;
  if (progress.length === 0) return [];
  return [
    { key: "execution", shows: "", make: () => node("h2", { class: "first", id: "execution" }, "Execution") },
    ...progress.map((row) => ({
      key: `run ${row.action.id}`,
      shows: [row, names.size, known.forms.has(`settle ${row.action.id}`)],
      make: () => run(known, row),
    })),
  ];
}

/** @param {Case} known @param {ActionRow} row */
function run(known, { action, state, says, steps, result }) {
  const { opened, names } = known;
  return node("section", { class: "run" },
    node("div", { class: "line" }, mark(state), node("strong", {}, prose(action.description))),
    says && node("p", { class: state === "failed" || state === "unknown" ? "bad" : "quiet" }, prose(says)),
    node("ol", { class: "steps" }, ...steps.map((step) => node("li", {},
      mark(step.state, STEPS[step.state]), node("span", {}, prose(step.description)),
      node("small", {}, step.status !== null && `answer ${step.status} `, step.at && time(step.at)),
      step.problem && step.problem !== says && node("small", { class: "wide" }, step.problem),
      step.body !== null && fold(opened, `step ${action.id} ${step.order}`, "Answer", [code(step.body)])))),
    result && facts([
      ["Effect", result.verification && checks(opened, `verified ${action.id}`, result.verification)],
      ["Outcome", result.reconciliation && checks(opened, `reconciled ${action.id}`, result.reconciliation)],
      ["Settled", result.verdict && [mark(result.verdict.outcome), ` by ${named(names, result.verdict.by)} `,
        time(result.verdict.at), quoted(result.verdict.note)]],
      ["Ended", [time(result.executedAt), result.duration >= 1000
        && `, after ${counted(Math.round(result.duration / 1000), "second")}`]],
    ]), action.isAutomated && manualButtons(known, action, state));
}

/** @param {Set<string>} opened @param {string} key @param {api.ActionVerification | api.ActionReconciliation} check */
function checks(opened, key, { status, looks, at, next, found, problem }) {
  const [first] = Object.keys(found ?? {});
  return [
    mark(status), ` ${counted(looks, "check")}`, at && ", last ", at && time(at), next && ", next ", next && time(next),
    problem && node("div", { class: status === "ineffective" ? "bad" : "quiet" }, prose(problem)),
    found && fold(opened, key, "What was found", [values(found, `${first?.split(".")[0] ?? ""}.`)]),
  ];
}

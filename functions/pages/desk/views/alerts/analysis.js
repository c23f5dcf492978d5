/** The analysis: the cause with its confidence, the findings, and what was read. */

/** @import { Case, Part } from "./alert.js" */
import { node, number, state, time } from "../../elements.js";
import { to } from "../../frame/router.js";
import { code, facts, fold, prose, truth, values } from "./parts.js";
import { counted } from "./words.js";

/** @param {Case} known @returns {Part[]} */
export function analysisParts(known) {
  return [
    { key: "cause", shows: known.session?.analysis, make: () => cause(known) },
    { key: "reads", shows: known.session?.reads, make: () => reads(known) },
  ];
}

/** @param {Case} known */
function cause({ alert, session, opened }) {
  const analysis = session?.analysis;
  if (!analysis) return node("section");
  const { confidenceFrom: from, pattern, playbook } = analysis;
  const weights = new Map(from?.findings.map(({ id, weight }) => [id, weight]));
  const record = analysis.confidenceSays.split("; ").slice(1).join("; ");
  const runs = from && `${from.effective} of ${counted(from.runs, "run")} of this playbook were effective, so it begins at `
    + `${number(100 * from.prior)}%. Each finding multiplies the odds.`;
  const again = pattern?.recurrence;
  return node("section", {}, node("h2", {}, "Cause"),
    node("p", { class: "lead" }, prose(analysis.rootCause)),
    node("p", {}, prose(analysis.impact)),
    node("ul", { class: "findings", "aria-label": "Findings" }, ...analysis.evidence
      .map(({ id, says, holds, at }) => node("li", {},
      truth(holds), prose(says), node("small", {}, weights.has(id) ? `odds ×${number(weights.get(id) ?? 1, 2)}, ` : "",
        "read ", time(at))))),
    facts([
      ["Confidence", [node("strong", {}, `${number(100 * analysis.confidence)}%`), record && ` ${record}. `, " ",
        fold(opened, "confidence", "What it rests on", [node("p", {}, runs), playbook && node("p", { class: "quiet" },
          `Playbook ${playbook.name}, version ${playbook.version}.`)])]],
      ["Pattern", [analysis.isAnomalyPattern && state("pattern", "One of many: ", "warning warn"),
        prose(analysis.patternDescription)]],
      ["Seen before", again && [node("code", {}, again.entity), " was fixed ", time(again.at), " by ",
        node("a", { class: "link", href: to(`/alerts/${alert.id}`, { session: String(again.agentSessionId) }) },
          `session ${again.agentSessionId}`)]],
      ["Resolved when", analysis.resolvedWhen.length
        ? prose(`${analysis.resolvedWhen.join(", and ")}. The agent reads that at the end.`)
        : "A person resolves the alert."],
      ["Passed over", analysis.passedOver.length > 0
        && `${analysis.passedOver.join(", ")}: did not help one of these records in the last 24 hours.`],
      ["Not applicable", analysis.notApplicable.map(({ title, reason }) => node("div", {}, prose(title), ". ",
        node("small", {}, prose(reason))))],
    ]));
}

/** @param {Case} known */
function reads({ session, opened }) {
  const made = session?.reads ?? [];
  return node("section", { hidden: made.length === 0 }, node("h2", {}, "What was read"), node("ul", { class: "reads" },
    ...made.map((read) => node("li", {},
      node("div", { class: "line" }, node("code", {}, read.request ?? read.name),
        node("span", { class: "quiet" }, `from ${read.connection}, `, time(read.at)),
        read.error ? state("failed", "Not read") : null),
      read.error && node("p", { class: "bad" }, read.error),
      values(read.facts, `${read.name}.`),
      read.excerpt && fold(opened, `read ${read.name}`, `Answer ${read.excerpt.status}`, [code(read.excerpt.body)])))));
}

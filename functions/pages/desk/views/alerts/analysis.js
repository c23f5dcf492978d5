/** The analysis: the cause with its confidence and the findings. What was read. */
/** @import { Case } from "./case.js" */
import { facts, fold, link, node, quiet, section, state, time, to } from "../../kit.js";
import { code, prose, truth, values } from "./words.js";

export function cause(/** @type {Case} */ { session }) {
  const analysis = session?.analysis;
  if (!analysis) return null;
  const { pattern, playbook } = analysis;
  const before = pattern?.recurrence;
  return section("Cause", node("p.lead", prose(analysis.rootCause)),
    node("p", prose(analysis.impact)),
    node("ul.findings", { "aria-label": "Findings" }, analysis.evidence.map(({ says, holds, at }) =>
      node("li", truth(holds), prose(says), node("small", "read ", time(at))))),
    facts({
      "It rests on": [node("strong", `${analysis.confidenceSays}.`),
        playbook && quiet(` Playbook ${playbook.name}, version ${playbook.version}.`)],
      Pattern: [analysis.isAnomalyPattern && state("pattern", "One of many: ", "warning warn"),
        prose(analysis.patternDescription)],
      "Seen before": before && [node("code", before.entity), " was fixed ", time(before.at), " by ",
        link(to(`/agent-sessions/${before.agentSessionId}`), `session ${before.agentSessionId}`)],
      "Resolved when": analysis.resolvedWhen.length === 0 ? "A person resolves the alert."
        : prose(`${analysis.resolvedWhen.join(", and ")}. The agent reads that at the end.`),
      "Passed over": analysis.passedOver.length > 0
        && [analysis.passedOver.join(", "),
          ": did not help one of these records in the last 24 hours."],
      "Not applicable": analysis.notApplicable.map(({ title, reason }) =>
        node("div", prose(title), ". ", node("small", prose(reason)))),
    }));
}

export function reads(/** @type {Case} */ { session }) {
  if (!session?.reads.length) return null;
  return section("What was read", node("ul.reads", session.reads.map((read) => node("li",
    node("div.line", node("code", read.request ?? read.name),
      quiet(`from ${read.connection}, `, time(read.at)), read.error && state("failed", "Not read")),
    read.error && node("p.bad", read.error),
    values(read.facts, `${read.name}.`),
    read.excerpt && fold(`read ${read.name}`, `Answer ${read.excerpt.status}`,
      code(read.excerpt.body))))));
}

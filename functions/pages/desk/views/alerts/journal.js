/** The journal of a session as a time line, with the result of its check. It is read when it is opened. */

/** @import * as api from "workdesk" */
/** @import { Case } from "./case.js" */
import { button, clock, counted, fold, node, state, trouble } from "../../elements.js";
import { STEPS, fact, prose } from "./words.js";

/** What an entry says after its actor. @type {Record<string, string>} */
const SAYS = {
  opened: "opened the session", analysis_begun: "began the analysis", proposed: "proposed {actions}",
  analysis_failed: "could not analyse the alert", approved: "approved {actions}{again}",
  rejected: "rejected the proposal", cancelled: "cancelled the session",
  lapsed: "ended the session, since its time was over",
  settled: "found that all actions ended: the session is {to}", done_by_hand: "did it by hand",
  waived: "waived it", handed_over: "handed it over",
  hand_over_reopened: "opened the handover's service request again",
  hand_over_withdrawn: "deleted the handover's service request", claimed: "claimed it, attempt {attempt}",
  answered: "sent step {step}: {answer}", released: "put it off{until}", ended: "ended it: {to}",
  looked: "read its records", verified: "checked the effect: {status}",
  reconciled: "checked the outcome: {status}", alert_resolved: "resolved the alert",
  verdict: "settled it as {outcome}",
};
/** @type {Record<string, string>} */
const ACTORS = { engine: "The agent", worker: "The agent", sweeper: "The agent", user: "A user" };

/** @param {api.JournalEntry} entry */
function says({ what, to, detail }) {
  const of = /** @type {Record<string, any>} */ (detail ?? {});
  const answer = of["response"] ? `answered ${of["response"].status}` : "no answer";
  /** @type {Record<string, any>} */
  const words = {
    attempt: 1, outcome: to, ...of, to,
    again: of["again"] ? " again" : "", until: of["notBefore"] ? `, next attempt ${of["notBefore"]}` : "",
    actions: counted(Object.keys(of["actions"] ?? {}).length, "action"),
    answer: `${answer}, ${(STEPS[of["effect"]] ?? fact(of["effect"] ?? null)).toLowerCase()}`,
  };
  const because = of["note"] ?? of["reason"] ?? of["error"] ?? of["problem"];
  const text = (SAYS[what] ?? what).replace(/\{(\w+)\}/g, (_, name) => String(words[name] ?? ""));
  return `${SAYS[what] ? text : text.replaceAll("_", " ")}${because ? `: ${because}` : ""}`;
}

/** @param {Case} known */
export function journalOf(known) {
  const { check, journal } = known;
  const read = () => known.readJournal(true);
  const open = () => check || read().catch((problem) => place.append(trouble(problem, open)));
  const place = node("section", fold("journal", node("h2", "Journal"), [
    check && node("div.line", result(check), button("Check again", read, { kind: "plain" })),
    check && node("ol.journal", journal.map((entry) => shown(known, entry))),
  ], open));
  return place;
}

/** @param {api.JournalCheck} check */
function result({ verified, entries, breaks }) {
  const said = `${counted(entries, "entry", "entries")}, complete and unchanged`;
  if (verified) return state("verified", said, "check good");
  const why = breaks.map((one) =>
    `entry ${one.seq} of ${one.actionId ?? "the session"}: ${one.why.replaceAll("_", " ")}`);
  return state("broken", `The journal was changed. ${why.join("; ")}`, "stop bad");
}

/** @param {Case} known @param {api.JournalEntry} entry */
function shown(known, entry) {
  const { at, actor, actionId } = entry;
  const who = actor.userId ? known.name(actor.userId) : ACTORS[actor.type] ?? actor.type;
  const action = known.actions.length > 1 && known.actions.find(({ id }) => id === actionId);
  return node("li", clock(at), node("span", node("strong", who), " ", prose(says(entry)),
    action && node("small", " ", prose(action.description))));
}

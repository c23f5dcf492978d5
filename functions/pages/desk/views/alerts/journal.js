/** The journal of a session as a time line, with the result of its check. It is read when it is
 * opened. */
/** @import * as api from "workdesk" @import { Case } from "./case.js" */
import { button, clock, counted, fold, node, state, trouble, words } from "../../kit.js";
import { STEPS, prose } from "./words.js";

/** @type {Record<api.JournalActor["type"], string>} */
const ACTORS = { engine: "The agent", worker: "The agent", sweeper: "The agent", user: "A user" };

export function journalOf(/** @type {Case} */ known) {
  const { check, journal } = known;
  const read = () => known.readJournal(true);
  const open = (/** @type {Element} */ place) =>
    void (check || read().catch((problem) => place.append(trouble(problem, () => open(place)))));
  return node("section", fold("journal", node("h2", "Journal"), [
    check && node("div.line", result(check), button("Check again", read, { kind: "plain" })),
    check && node("ol.journal", journal.map((entry) => shown(known, entry)))], open));
}

function result(/** @type {api.JournalCheck} */ { verified, entries, breaks }) {
  const said = `${counted(entries, "entry", "entries")}, complete and unchanged`;
  if (verified) return state("verified", said, "check good");
  const why = breaks.map((one) =>
    `entry ${one.seq} of ${one.actionId ?? "the session"}: ${words(one.why)}`);
  return state("broken", `The journal was changed. ${why.join("; ")}`, "stop bad");
}

/** @param {Case} known @param {api.JournalEntry} entry */
function shown(known, { at, actor, actionId, what, to, detail }) {
  const who = actor.userId ? known.name(actor.userId) : ACTORS[actor.type] ?? actor.type;
  const action = known.actions.length > 1 && known.actions.find(({ id }) => id === actionId);
  const of = /** @type {Record<string, any>} */ (detail ?? {});
  const told = [of["actions"] && counted(Object.keys(of["actions"]).length, "action"),
    of["again"] && "again",
    of["attempt"] && `attempt ${of["attempt"]}`, of["step"] && `step ${of["step"]}`,
    of["response"] && `status ${of["response"].status}`, of["effect"]
      && STEPS[of["effect"]]?.toLowerCase(),
    of["notBefore"] && `next attempt ${of["notBefore"]}`,
    of["status"] ?? of["outcome"] ?? (["ended", "settled"].includes(what) && to)].filter(Boolean)
      .join(", ");
  const because = of["note"] ?? of["reason"] ?? of["error"] ?? of["problem"];
  const why = because ? `: ${because}` : "";
  const text = `${words(what).toLowerCase()} ${told.replaceAll("_", " ")}${why}`;
  return node("li", clock(at), node("span", node("strong", who), " ", prose(text),
    action && node("small", " ", prose(action.description))));
}

/** The journal of a session as a time line, with the result of its check. It is read when it is opened. */

/** @import * as api from "workdesk" */
/** @import { Case, Part } from "./alert.js" */
import { get } from "../../api/client.js";
import { button, clock, node, state, trouble } from "../../elements.js";
import { fold, prose } from "./parts.js";
import { counted, says } from "./words.js";

/** @type {Record<string, string>} */
const ACTORS = { engine: "The agent", worker: "The agent", sweeper: "The agent", user: "A user" };

/** @param {Case} known @returns {Part} */
export function journalPart(known) {
  const isOpen = known.opened.has("journal");
  return {
    key: "journal",
    shows: [known.session?.id, isOpen && known.journal.map(({ hash }) => hash), known.check, known.names.size],
    make: () => journal(known),
  };
}

/** @param {Case} known */
function journal(known) {
  const { opened, check, session } = known;
  const read = async () => {
    await known.readJournal();
    known.check = (await get("/api/concierge/agent-sessions/{id}/journal/check", { id: session?.id ?? 0 },
      { signal: known.signal })).data;
    known.draw();
  };
  const place = node("section");
  const open = () => read().catch((problem) => place.append(trouble(problem, open)));
  place.append(fold(opened, "journal", node("h2", {}, "Journal"), [
    check && node("div", { class: "line" }, result(check), button("Check again", read, { kind: "plain" })),
    node("ol", { class: "journal" }, ...known.journal.map((entry) => shown(known, entry))),
  ], open));
  return place;
}

/** @param {api.JournalCheck} check */
function result({ verified, entries, breaks }) {
  if (verified) return state("verified", `${counted(entries, "entry", "entries")}, complete and unchanged`,
    "check good");
  const why = breaks.map((one) =>
    `entry ${one.seq} of ${one.actionId ?? "the session"}: ${one.why.replaceAll("_", " ")}`);
  return state("broken", `The journal was changed. ${why.join("; ")}`, "stop bad");
}

/** @param {Case} known @param {api.JournalEntry} entry */
function shown({ names, session }, entry) {
  const { at, actor, actionId } = entry;
  const who = actor.userId ? names.get(actor.userId) ?? `User ${actor.userId}` : ACTORS[actor.type] ?? actor.type;
  const actions = session?.proposedActions ?? [];
  const action = actions.length > 1 && actions.find(({ id }) => id === actionId);
  return node("li", {}, clock(at), node("span", {}, node("strong", {}, who), " ", prose(says(entry)),
    action && node("small", {}, " ", prose(action.description))));
}

/** The buttons of a session: the decision, another analysis, the end. */
/** @import { Alert } from "workdesk" @import { Case } from "./case.js" */
import {
  asking, button, denied, input, node, post, Problem, quiet,
} from "../../kit.js";
import { decide, deniedAgent } from "./decision.js";
import { opener, REASON, rejectKey } from "./opener.js";
import { pauseOf } from "./pause.js";
import { SESSION } from "./words.js";

/** The buttons of the decision, for the bar. @param {Case} known */
export function decideButtons(known) {
  const { id = 0, status } = known.session ?? {};
  const preview = async () => {
    // The actions of now: the button stays while others propose again.
    const open = known.approvable();
    const ids = open.filter((one) => open.length === 1 || known.chosen.has(one));
    if (ids.length === 0) throw new Problem(0, { detail: "Choose an action first." });
    await decide(known, ids);
  };
  const hint = "Everyone who opens the session sees it. The whole proposal ends.";
  return [!known.decision && known.approvable().length > 0
    && button("Preview and approve", preview, { kind: "main" }),
    status === "awaiting_confirmation" && opener(known, rejectKey(known), "Reject…",
      denied("execute_agent_remediation"), {
        fields: () => input("Reason", "reason", { required: true, ...REASON, hint }),
        submit: "Reject the proposal", done: "The proposal is rejected.", isGrave: true,
        act: (values) => post(`${SESSION}/reject`, { id }, values) })];
}

/** The operations of the session that are possible now. @param {Case} known */
export function sessionButtons(known) {
  const { alert, session, forms } = known;
  const { id = 0, status = "", openActions = 0 } = session ?? {};
  if (session && !known.isNewest) return quiet("This is an earlier session of the alert.");
  const propose = (of = id) => known.act(async () => {
    await post(`${SESSION}/propose`, { id: of });
    forms.clear();
  }, "The analysis is done.");
  const analyse = async () => {
    const { data } = await post("/api/concierge/alerts/{id}/agent-session", { id: alert.id });
    await propose(data.session.id).catch(async (problem) => {
      await known.read();
      throw problem;
    });
  };
  const cancel = () => known.act(() => post(`${SESSION}/cancel`, { id }),
    "The session is cancelled.");
  const pause = async () => {
    forms.set("pause", node("section", await pauseOf(known.signal),
      node("small", "A pause stops new actions. One that was claimed may end, within a minute.")));
    known.draw();
  };
  const reason = deniedAgent("create_agent_remediation");
  if (!session || ["completed", "failed", "cancelled", "expired"].includes(status)) {
    return alert.status !== "resolved" && node("div.acts",
      button(session ? "Analyse again" : "Analyse", analyse,
        { kind: session ? "" : "main", reason }),
      node("small", effectOf(alert, openActions)));
  }
  return node("div.acts",
    status === "started" && button("Propose actions", () => propose(), { kind: "main", reason }),
    status === "awaiting_confirmation" && button("Propose again", () => propose(), { reason }),
    status !== "cancelling"
      && asking("Cancel the session", "Cancel the session?", "What it proposes ends for everyone.",
        cancel,
        { reason: denied("create_agent_remediation") }),
    status === "executing" && button("Pause…", pause));
}

/** What an analysis does. @param {Alert} alert @param {number} openActions of the session before */
const effectOf = ({ targetSystem }, openActions) => (openActions > 0
  ? "In another session. What this one has open can then no longer be approved."
  : `The agent reads ${targetSystem} and proposes actions. It changes nothing. `
    + "The policy may keep you from approving what you had proposed.");

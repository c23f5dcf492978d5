/** One alert: what is known, what is proposed, the decision, what became of it.
 * `#/alerts/{id}`, or one of its sessions: `#/agent-sessions/{id}`
 *
 * Three requests: the alert, its session, and the other sessions, or the journal of the session
 * that runs. */
/** @import * as api from "workdesk" @import { View } from "../../kit.js" */
import {
  asking, button, counted, denied, draw, facts, keyed, link, node, now, patch, Problem, quiet, say,
  section, state, time, to, words,
} from "../../kit.js";
import { actionParts } from "./actions.js";
import { cause, reads } from "./analysis.js";
import { barOf } from "./bar.js";
import { sessionButtons } from "./buttons.js";
import { Case } from "./case.js";
import { run } from "./execution.js";
import { journalOf } from "./journal.js";
import { amount, prose, whoOf } from "./words.js";

/** @type {View} */
export async function view({ header, body, signal, title }, { id, session }) {
  const [acts, summary, bar] = [node("div.push.acts"), node("div"), node("div.case-bar")];
  const [main, aside] = [node("div.parts"), node("aside.parts", { "aria-label": "The alert" })];
  const known = new Case(session ? { sessionId: Number(session) } : { alertId: Number(id) }, signal,
      () => {
    title(known.alert.title);
    draw(acts, alertButtons(known));
    draw(summary, summaryOf(known));
    draw(bar, barOf(known));
    draw(main, keyed("next", nextStep(known)), keyed("pause", known.forms.get("pause")),
      keyed("execution", known.progress.length > 0 && node("h2.first", "Execution")),
      known.progress.map((row) => keyed(`run ${row.action.id}`, run(known, row))),
      keyed("cause", cause(known)), actionParts(known), known.decision?.(),
      keyed("reads", reads(known)), keyed("journal", known.session && journalOf(known)));
    draw(aside, keyed("facts", alertFacts(known)), keyed("sessions", sessionsOf(known)));
  });
  header.append(acts);
  body.append(summary, bar, node("div.alert", main, aside));
  await known.open();
}

function alertButtons(/** @type {Case} */ known) {
  const { alert } = known;
  /** @param {string} label @param {api.AlertStatus} status */
  const change = (label, status) => {
    const reason = denied("manage_signals");
    const set = () => send(status);
    // What waits or runs ends with the alert.
    return status === "resolved" && known.hasOpenWork() ? asking(label, `${label} the alert?`,
      "What its session proposes is then not executed any more. The alert can be opened again.",
      set, { reason })
      : button(label, set, { reason });
  };
  const send = async (/** @type {api.AlertStatus} */ status) => {
    known.told = "";
    try {
      await patch("/api/concierge/alerts/{id}", { id: alert.id }, { status },
        { match: known.alert });
      say(`The alert is ${status}.`);
    } catch (problem) {
      if (!(problem instanceof Problem && problem.current)) throw problem;
      const { status: now } = problem.current;
      known.told = `The alert was changed meanwhile: it is ${now}. Nothing was done.`;
    }
    await known.read();
  };
  return node("div.end", alert.status === "open" && change("Acknowledge", "acknowledged"),
    alert.status === "resolved" ? change("Reopen", "open") : change("Resolve", "resolved"));
}

function summaryOf(/** @type {Case} */ { alert, told }) {
  const by = { agent: " by the agent, after a read", user: " by a user", report: " by a report" };
  const resolver = alert.status === "resolved" && alert.statusBy ? by[alert.statusBy] : "";
  return node("div.line", state(alert.severity),
    state(alert.status, words(alert.status) + resolver),
    alert.amountAtRisk && node("span", "At risk ", node("strong", amount(alert.amountAtRisk))),
    quiet(`${alert.targetSystem}, `, time(alert.occurredAt),
      alert.count > 1 && [`, ${counted(alert.count, "report")}, last `,
        time(alert.lastOccurredAt)]),
    told && node("span.trouble", { role: "alert" }, told));
}

function nextStep(/** @type {Case} */ known) {
  const { alert, session } = known;
  const { next, rejection, error } = session ?? {};
  const until = next?.until && Date.parse(next.until) > now() ? next.until : null;
  const text = next ? [prose(`${whoOf(next.who)} ${next.what}`), until && [", until ", time(until)],
    "."]
    : alert.status === "resolved" ? "The alert is resolved. Nothing is left to do."
    : session ? "No step is left in this session." : "Nobody has had this alert analysed.";
  return node("section.next", { tabindex: -1, id: "next", "aria-label": "Next step" },
    session && node("div.line", state(session.status), node("small", `session ${session.id}`)),
    node("p", text),
    rejection && node("p", node("strong", `Rejected by ${known.name(rejection.userId)}: `),
      node("span.text", rejection.reason), " ", time(rejection.at)),
    error && session?.executionResults.length === 0 && node("p.bad", prose(error)),
    sessionButtons(known));
}

function alertFacts(/** @type {Case} */ known) {
  const { alert } = known;
  const { metric } = alert;
  return section("Alert", facts({
    Records: alert.entities.map(({ type, id }) => node("div", quiet(`${words(type)} `),
      node("code", id))),
    Description: alert.description && node("span.text", alert.description),
    Measured: metric && `${words(metric.name)} ${metric.value} ${metric.unit ?? ""}`,
    Limit: metric && `${metric.threshold}`,
    Labels: Object.entries(alert.labels).map(([name, value]) => node("div", quiet(`${name} `),
      value)),
    Before: alert.lifecycle.map(({ at, state: one }) => node("div", `${one} `, quiet(time(at)))),
    Type: words(alert.signalType),
    "Reported by": `${alert.source}${alert.recordedByMachine ? ", a machine" : ""}`,
    "Recorded by": alert.createdBy && known.name(alert.createdBy),
    "Their id": node("code", alert.externalId) }));
}

function sessionsOf(/** @type {Case} */ known) {
  const { alert, sessions, session, isNewest } = known;
  if (sessions.length < 2) return null;
  return section("Sessions", node("ul.plain", sessions.map((row) => node("li",
    row.id === session?.id ? node("strong", `Session ${row.id}`)
      : link(to(`/agent-sessions/${row.id}`), `Session ${row.id}`),
    " ", state(row.status),
    node("small", ` opened by ${known.name(row.createdBy)}, `, time(row.createdAt))))),
  !isNewest && link(to(`/alerts/${alert.id}`), "The newest session"));
}

/** The list of alerts: by status, or those that wait for the user. `#/alerts?status=open&severity=critical`
 *
 * Three requests: alerts, the newest sessions, and whether actions are paused. */
/** @import * as api from "workdesk" @import { View } from "../../kit.js" */
import {
  attempt, capital, counted, denied, draw, empty, ending, get, input, keyed, more, named, node, readAfter, SEVERITIES,
  state, time, to, words,
} from "../../kit.js";
import { pauseOf } from "./pause.js";
import { amount, prose, whoOf } from "./words.js";

/** @type {Record<"me" | api.AlertStatus, string>} */
const TABS = { me: "For you", open: "Open", acknowledged: "Acknowledged", resolved: "Resolved" };
const WORST_FIRST = named(SEVERITIES.toReversed());

/** @type {View} */
export async function view({ header, body, query, signal, filter }) {
  const reason = denied("view_agent_remediation");
  if (reason) return void body.append(empty(reason.replace("do this", "read this")));
  const tabs = node("nav.tabs", { "aria-label": "Alerts by status" });
  const severity = input("Severity", "severity", { options: [["", "All"], ...WORST_FIRST],
    onchange: (/** @type {any} */ { target }) => filter({ severity: target.value || null }) });
  const count = node("span.quiet.push", { role: "status" });
  const list = node("ul.alerts", { "aria-label": "Alerts" });
  const [end, pause] = [node("div.end"), node("div.push")];
  let question = 0;
  let alerts = /** @type {(api.Alert | api.AlertRef)[]} */ ([]);
  let sessions = /** @type {Map<number, api.AgentSessionRow>} */ (new Map());
  const status = () => query.get("status") ?? "open";

  const read = async () => {
    const mine = (question += 1);
    const forMe = status() === "me";
    const filters = /** @type {any} */ ({ status: status(), severity: query.getAll("severity"), limit: 50 });
    const [listed, open, paused] = await Promise.all([
      forMe ? null : get("/api/concierge/alerts", filters, { signal }),
      get("/api/concierge/agent-sessions", { ...(forMe && { next: "me" }), limit: 100 }, { signal }),
      pauseOf(signal)]);
    if (mine !== question) return;
    sessions = new Map(open.data.toReversed().map((row) => [row.alertId, row]));
    alerts = listed?.data ?? open.data.flatMap(({ alert }) => alert ?? []);
    draw(pause, paused);
    show(listed?.next ?? null);
  };
  const show = (/** @type {string | null} */ next) => {
    const mine = status() === "me";
    draw(list, alerts.map((alert) => keyed(`${alert.id}`, row(alert, sessions.get(alert.id), mine))));
    count.textContent = `${counted(alerts.length, "alert")}${next ? ", and more" : ""}`;
    const none = mine ? "Nothing waits for you."
      : `No ${status()} alerts${query.get("severity") ? " of this severity" : ""}.`;
    draw(end, ending(alerts.length === 0 && none, next, async (next) => {
      const page = await more(next, { signal });
      alerts.push(...page.data);
      show(page.next);
    }, "Show more"));
  };
  const open = () => {
    draw(tabs, Object.entries(TABS).map(([value, label]) => node("a",
      { href: to("/alerts", { status: value }), "aria-current": value === status() && "page" }, label)));
    /** @type {any} */ (severity.querySelector("select")).value = query.get("severity") ?? "";
    severity.hidden = status() === "me";
    return read();
  };
  header.append(pause);
  body.append(node("div.filters", { role: "group", "aria-label": "Filters" }, tabs, severity, count), list, end);
  await open();
  readAfter(signal, ({ type }) => type === "agent_session" || type === "alert", read);
  return (changed) => {
    query = changed;
    void attempt(end, open);
  };
}

/** @param {api.Alert | api.AlertRef} alert @param {api.AgentSessionRow | undefined} session
 * @param {boolean} mine it waits for the user */
function row(alert, session, mine) {
  const { entities = [], count = 1, agentSessionId = null } = /** @type {Partial<api.Alert>} */ (alert);
  const records = entities.map(({ type, id }) => `${words(type).toLowerCase()} ${id}`).join(", ");
  const isResolved = alert.status === "resolved";
  const step = isResolved ? null : session?.next;
  const may = mine || session?.proposedActions.some(({ mayApprove }) => mayApprove);
  return node("li", state(alert.severity),
    node("div", node("a", { href: to(`/alerts/${alert.id}`) }, node("strong", alert.title)),
      node("small", records || alert.targetSystem, count > 1 && `, ${counted(count, "report")}`)),
    node("div.number", alert.amountAtRisk && amount(alert.amountAtRisk)),
    step ? node("div", step.who === "You" ? node("strong", prose(`You ${step.what}`)) : prose(capital(step.what)),
      node("small", step.who !== "You" && [may ? node("strong", "You") : whoOf(step.who), step.until && ", "],
        step.until && ["until ", time(step.until)]))
      : node("div.quiet", !isResolved && (session ? state(session.status)
        : agentSessionId ? "Analysed earlier" : "Not analysed yet")),
    node("span.quiet.when", time(alert.occurredAt)));
}

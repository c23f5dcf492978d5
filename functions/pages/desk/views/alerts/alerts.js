/** The list of alerts: by status, or those that wait for the user.
 * `#/alerts?status=open&severity=critical`
 *
 * Three requests: alerts, the newest sessions, and whether actions are paused. */
/** @import * as api from "workdesk" @import { View } from "../../kit.js" */
import {
  attempt, capital, counted, denied, draw, empty, ending, get, input, keyed, more, named, node,
  readAfter, SEVERITIES, state, time, to, words,
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
  const known = { query, status: () => known.query.get("status") ?? "open" };
  const { tabs, severity, showFilters } = filtersOf(known, filter);
  const count = node("span.quiet.push", { role: "status" });
  const list = node("ul.alerts", { "aria-label": "Alerts" });
  const [end, pause] = [node("div.end"), node("div.push")];
  let question = 0;

  const read = async () => {
    showFilters();
    const mine = (question += 1);
    const { paused, ...found } = await readAlerts(known, signal);
    if (mine !== question) return;
    draw(pause, paused);
    show(found);
  };
  const show = (/** @type {Found} */ { alerts, sessions, next }) => {
    const mine = known.status() === "me";
    draw(list, alerts.map((alert) =>
      keyed(`${alert.id}`, row(alert, sessions.get(alert.id), mine))));
    count.textContent = `${counted(alerts.length, "alert")}${next ? ", and more" : ""}`;
    draw(end, ending(alerts.length === 0 && noneOf(known), next, async (path) => {
      const page = await more(path, { signal });
      show({ alerts: [...alerts, ...page.data], sessions, next: page.next });
    }, "Show more"));
  };
  header.append(pause);
  body.append(node("div.filters", { role: "group", "aria-label": "Filters" }, tabs, severity,
    count),
    list, end);
  await read();
  readAfter(signal, ({ type }) => type === "agent_session" || type === "alert", read);
  return (changed) => {
    known.query = changed;
    void attempt(end, read);
  };
}

/** @typedef {{ query: URLSearchParams, status: () => string }} Wanted */
/** `sessions`: the newest of each alert.
 * @typedef {{ alerts: (api.Alert | api.AlertRef)[], sessions: Map<number, api.AgentSessionRow>,
 *   next: string | null }} Found */

/** The tabs of the statuses, and the choice of a severity. @param {Wanted} wanted
 * @param {import("../../kit.js").Context["filter"]} filter */
function filtersOf(wanted, filter) {
  const tabs = node("nav.tabs", { "aria-label": "Alerts by status" });
  const severity = input("Severity", "severity", { options: [["", "All"], ...WORST_FIRST],
    onchange: (/** @type {any} */ { target }) => filter({ severity: target.value || null }) });
  const showFilters = () => {
    const status = wanted.status();
    draw(tabs, Object.entries(TABS).map(([value, label]) => node("a",
      { href: to("/alerts", { status: value }), "aria-current": value === status && "page" },
      label)));
    const control = /** @type {HTMLSelectElement} */ (severity.querySelector("select"));
    control.value = wanted.query.get("severity") ?? "";
    severity.hidden = status === "me";
  };
  return { tabs, severity, showFilters };
}

/** @param {Wanted} wanted @param {AbortSignal} signal */
async function readAlerts({ query, status }, signal) {
  const isMine = status() === "me";
  const filters = /** @type {any} */ (
    { status: status(), severity: query.getAll("severity"), limit: 50 });
  const [listed, open, paused] = await Promise.all([
    isMine ? null : get("/api/concierge/alerts", filters, { signal }),
    get("/api/concierge/agent-sessions", { ...(isMine && { next: "me" }), limit: 100 }, { signal }),
    pauseOf(signal)]);
  const sessions = new Map(open.data.toReversed().map((one) => [one.alertId, one]));
  const alerts = listed?.data ?? open.data.flatMap(({ alert }) => alert ?? []);
  return { alerts, sessions, next: listed?.next ?? null, paused };
}

/** @param {Wanted} wanted */
const noneOf = ({ query, status }) => (status() === "me" ? "Nothing waits for you."
  : `No ${status()} alerts${query.get("severity") ? " of this severity" : ""}.`);

/** @param {api.Alert | api.AlertRef} alert @param {api.AgentSessionRow | undefined} session
 * @param {boolean} mine it waits for the user */
function row(alert, session, mine) {
  const { entities = [], count = 1, agentSessionId = null } =
    /** @type {Partial<api.Alert>} */ (alert);
  const records = entities.map(({ type, id }) => `${words(type).toLowerCase()} ${id}`).join(", ");
  const isResolved = alert.status === "resolved";
  const step = isResolved ? null : session?.next;
  const may = mine || session?.proposedActions.some(({ mayApprove }) => mayApprove);
  return node("li", state(alert.severity),
    node("div", node("a", { href: to(`/alerts/${alert.id}`) }, node("strong", alert.title)),
      node("small", records || alert.targetSystem, count > 1 && `, ${counted(count, "report")}`)),
    node("div.number", alert.amountAtRisk && amount(alert.amountAtRisk)),
    step ? nextStep(step, Boolean(may))
      : node("div.quiet", !isResolved && (session ? state(session.status)
        : agentSessionId ? "Analysed earlier" : "Not analysed yet")),
    node("span.quiet.when", time(alert.occurredAt)));
}

/** What is next, who does it and until when.
 * @param {NonNullable<api.AgentSessionRow["next"]>} step @param {boolean} may the user do it? */
function nextStep({ who, what, until }, may) {
  const isMine = who === "You";
  const others = !isMine && [may ? node("strong", "You") : whoOf(who), until && ", "];
  return node("div", isMine ? node("strong", prose(`You ${what}`)) : prose(capital(what)),
    node("small", others, until && ["until ", time(until)]));
}

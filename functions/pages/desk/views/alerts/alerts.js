/**
 * The list of alerts: by status, or those that wait for the user. `#/alerts?status=open&severity=critical`
 *
 * Three requests: alerts, the newest sessions, and whether actions are paused.
 */

/** @import * as api from "workdesk" */
/** @import { View } from "../../frame/router.js" */
import { get, more } from "../../api/client.js";
import { put, record, watch } from "../../api/records.js";
import { button, counted, empty, input, named, node, quiet, redraw } from "../../elements.js";
import { state, time, trouble, words } from "../../elements.js";
import { to } from "../../frame/router.js";
import { pauseOf } from "./pause.js";
import { amount, prose } from "./words.js";

const TABS = { me: "For you", open: "Open", acknowledged: "Acknowledged", resolved: "Resolved" };
const SEVERITIES = named(["critical", "error", "warning", "info"]);

/** @type {View} */
export async function view({ header, body, query, signal, filter }) {
  const tabs = node("nav.tabs", { "aria-label": "Alerts by status" });
  const severity = input("Severity", "severity", { options: [["", "All"], ...SEVERITIES],
    onchange: (/** @type {any} */ { target }) => filter({ severity: target.value || null }) });
  const count = node("span.quiet.push", { role: "status" });
  const shown = node("ul.alerts", { "aria-label": "Alerts" });
  const end = node("div.end");
  const pause = node("div.push");
  let question = 0;
  /** @type {number[]} */
  let ids = [];
  /** @type {Map<number, api.AgentSessionRow>} */
  let sessions = new Map();
  /** @type {string | null} */
  let next = null;
  const status = () => query.get("status") ?? "open";

  const read = async () => {
    const mine = (question += 1);
    const forMe = status() === "me";
    const filters = /** @type {any} */ ({ status: status(), severity: query.getAll("severity"), limit: 50 });
    const [listed, open, paused] = await Promise.all([
      forMe ? null : get("/api/concierge/alerts", filters, { signal }),
      get("/api/concierge/agent-sessions", { ...(forMe && { next: "me" }), limit: 100 }, { signal }),
      pauseOf(signal),
    ]);
    if (mine !== question) return;
    sessions = new Map(open.data.toReversed().map((row) => [row.alertId, row]));
    ids = listed ? put("alert", listed.data).map(({ id }) => id) : open.data.map(({ alertId }) => alertId);
    next = listed?.next ?? null;
    pause.replaceChildren(paused);
    draw();
  };
  const draw = () => {
    const found = ids.flatMap((id) => {
      const alert = record("alert", id) ?? sessions.get(id)?.alert;
      return alert && (status() === "me" || alert.status === status()) ? [alert] : [];
    });
    const mine = status() === "me";
    redraw(shown, found.map((alert) => [String(alert.id), row(alert, sessions.get(alert.id), mine)]));
    count.textContent = `${counted(found.length, "alert")}${next ? ", and more" : ""}`;
    const none = mine ? "Nothing waits for you."
      : `No ${status()} alerts${query.get("severity") ? " of this severity" : ""}.`;
    end.replaceChildren(found.length === 0 ? empty(none) : "", next ? button("Show more", showMore) : "");
  };
  const showMore = async () => {
    const page = await more(next ?? "", { signal });
    ids.push(...put("alert", page.data).map(({ id }) => id));
    next = page.next;
    draw();
  };
  const open = () => {
    redraw(tabs, Object.entries(TABS).map(([value, label]) => [value, node("a",
      { href: to("/alerts", { status: value }), "aria-current": value === status() && "page" }, label)]));
    const control = severity.querySelector("select");
    if (control) control.value = query.get("severity") ?? "";
    severity.hidden = status() === "me";
    return read();
  };
  header.append(pause);
  body.append(node("div.filters", tabs, severity, count), shown, end);
  await open();
  // The rows come from sessions, too: all is read again, once for all changes of a moment.
  const isOurs = (/** @type {api.Change} */ { type }) => type === "agent_session" || type === "alert";
  let waits = false;
  watch(signal, {
    wants: (change) => {
      if (isOurs(change) && !waits) {
        waits = true;
        setTimeout(() => read().catch(() => {}).finally(() => (waits = false)));
      }
      return false;
    },
    changed: () => {},
  });
  return (changed) => {
    query = changed;
    open().catch((problem) => signal.aborted || end.replaceChildren(trouble(problem, open)));
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
    step ? node("div", prose(words(step.what)), node("small", may ? node("strong", "You") : step.who,
      step.until && [", until ", time(step.until)]))
      : node("div.quiet", !isResolved && (session ? state(session.status)
        : agentSessionId ? "Analysed earlier" : "Not analysed yet")),
    quiet(time(alert.occurredAt)));
}

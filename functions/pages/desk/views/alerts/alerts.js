/**
 * The list of alerts: by status, or those that wait for the user. `#/alerts?status=open&severity=critical`
 *
 * Three requests: alerts, the newest sessions, and whether actions are paused.
 */

/** @import * as api from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
/** @import { Choice } from "../../elements.js" */
import { get, more } from "../../api/client.js";
import { put, record, watch } from "../../api/records.js";
import { button, empty, field, node, rows, select, state, time, trouble, words } from "../../elements.js";
import { to } from "../../frame/router.js";
import { amount, prose } from "./parts.js";
import { pauseBar, readPause } from "./pause.js";
import { capital, counted } from "./words.js";

/** @typedef {api.Alert | (api.AlertRef & { entities?: undefined, count?: undefined })} Shown */
/** @typedef {{ alert: Shown, session: api.AgentSessionRow | undefined, mine: boolean }} Row */

/** @type {Choice[]} */
const TABS = [["me", "For you"], ["open", "Open"], ["acknowledged", "Acknowledged"], ["resolved", "Resolved"]];
/** @type {Choice[]} */
const SEVERITIES = ["critical", "error", "warning", "info"].map((one) => [one, words(one)]);
const LIMIT = 50;

/** @param {Context} context */
export async function view({ header, body, query, signal, filter }) {
  /** The filters of the address. @type {{ status: string, severity: string, type: string }} */
  let choice;
  let question = 0;
  /** @type {Set<number>} */
  let ids = new Set();
  /** @type {Map<number, api.AgentSessionRow>} */
  let sessions = new Map();
  /** @type {string | null} */
  let next = null;
  /** Rows that were drawn, by alert: the same object until something of it changes.
   * @type {Map<number, { text: string, row: Row }>} */
  const drawn = new Map();

  const tabs = node("nav", { class: "tabs", "aria-label": "Alerts by status" });
  const count = node("span", { class: "quiet push", role: "status" });
  const [severity, type] = [select("severity", []), select("type", [])];
  for (const one of [severity, type]) one.addEventListener("change", () => filter({ [one.name]: one.value || null }));
  const chosen = node("div", { class: "filters" }, field("Severity", severity), field("Type", type));
  const shown = node("ul", { class: "alerts", "aria-label": "Alerts" });
  const end = node("div", { class: "end" });
  const pause = node("div", { class: "push" });
  header.append(pause);
  body.append(node("div", { class: "filters" }, tabs, chosen, count), shown, end);

  /** @param {HTMLSelectElement} control @param {Choice[]} options @param {string} value */
  const offer = (control, options, value) => {
    const all = options.some(([one]) => one === value) || !value ? options
      : [...options, /** @type {Choice} */ ([value, words(value)])];
    const made = [/** @type {Choice} */ (["", "All"]), ...all].map(([one, label]) =>
      node("option", { value: one, selected: one === value }, label));
    control.replaceChildren(...made);
  };
  const read = async () => {
    const mine = (question += 1);
    const { status } = choice;
    const filters = /** @type {any} */ ({
      status: [status], limit: LIMIT,
      ...(choice.severity && { severity: [choice.severity] }), ...(choice.type && { signalType: [choice.type] }),
    });
    const [listed, open, paused] = await Promise.all([
      status === "me" ? null : get("/api/concierge/alerts", filters, { signal }),
      get("/api/concierge/agent-sessions", { ...(status === "me" && { next: "me" }), limit: 100 }, { signal }),
      readPause(signal),
    ]);
    if (mine !== question) return;
    if (listed) put("alert", listed.data);
    sessions = new Map(open.data.toReversed().map((row) => [row.alertId, row]));
    ids = new Set(listed ? listed.data.map(({ id }) => id) : open.data.map(({ alertId }) => alertId));
    next = listed?.next ?? null;
    pause.replaceChildren(pauseBar(paused, signal));
    const types = [...new Set([...ids].map((id) => record("alert", id)?.signalType ?? ""))].filter(Boolean).sort();
    offer(type, types.map((one) => [one, words(one)]), choice.type);
    draw();
  };
  const draw = () => {
    const { status } = choice;
    const found = [...ids].flatMap((id) => {
      const session = sessions.get(id);
      const alert = record("alert", id) ?? session?.alert;
      return alert && (status === "me" || alert.status === status)
        ? [stable({ alert, session, mine: status === "me" })] : [];
    });
    rows(shown, found, ({ alert }) => alert.id, shownRow);
    count.textContent = `${counted(found.length, "alert")}${next ? ", and more" : ""}`;
    const none = status === "me" ? "Nothing waits for you."
      : `No ${status} alerts${choice.severity || choice.type ? " of this severity and type" : ""}.`;
    end.replaceChildren(found.length === 0 ? empty(none) : "", next ? button("Show more", showMore) : "");
  };
  /** @param {Row} row */
  const stable = (row) => {
    const text = JSON.stringify([row.alert, row.mine, row.session?.next, row.session?.status]);
    const old = drawn.get(row.alert.id);
    if (old?.text === text) return old.row;
    drawn.set(row.alert.id, { text, row });
    return row;
  };
  const showMore = async () => {
    const page = await more(next ?? "", { signal });
    put("alert", page.data);
    for (const { id } of page.data) ids.add(id);
    next = page.next;
    draw();
  };
  /** @param {URLSearchParams} query */
  const open = (query) => {
    choice = {
      status: query.get("status") ?? "open", severity: query.get("severity") ?? "", type: query.get("type") ?? "",
    };
    tabs.replaceChildren(...TABS.map(([value, label]) => node("a", {
      href: to("/alerts", { status: value }), "aria-current": value === choice.status ? "page" : null,
    }, label)));
    chosen.hidden = choice.status === "me";
    offer(severity, SEVERITIES, choice.severity);
    return read();
  };
  await open(query);

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  signal.addEventListener("abort", () => clearTimeout(timer));
  watch(signal, {
    // The rows of alerts come from sessions, too: all is read again, once for all changes of a moment.
    wants: ({ type: kind }) => {
      if (kind === "agent_session" || kind === "alert") {
        clearTimeout(timer);
        timer = setTimeout(() => read().catch(() => {}));
      }
      return false;
    },
    changed: () => {},
  });
  return (/** @type {URLSearchParams} */ changed) => {
    const focused = tabs.contains(document.activeElement);
    open(changed).catch((problem) => signal.aborted || end.replaceChildren(trouble(problem, () => open(changed))));
    if (focused) /** @type {HTMLElement | null} */ (tabs.querySelector("a[aria-current]"))?.focus();
  };
}

/** @param {Row} row */
function shownRow({ alert, session, mine }) {
  const records = alert.entities?.map(({ type, id }) => `${words(type).toLowerCase()} ${id}`).join(", ");
  const many = (alert.count ?? 1) > 1 ? `, ${counted(alert.count ?? 1, "report")}` : "";
  return node("li", {},
    state(alert.severity),
    node("div", {}, node("a", { href: to(`/alerts/${alert.id}`) }, node("strong", {}, alert.title)),
      node("small", {}, `${records || alert.targetSystem}${many}`)),
    node("div", { class: "number" }, alert.amountAtRisk ? amount(alert.amountAtRisk) : ""),
    nextOf(alert, session, mine),
    node("div", { class: "quiet" }, time(alert.occurredAt)));
}

/** @param {Shown} alert @param {api.AgentSessionRow | undefined} session @param {boolean} mine */
function nextOf(alert, session, mine) {
  const next = alert.status === "resolved" ? null : session?.next;
  if (!next) {
    const analysed = "agentSessionId" in alert && alert.agentSessionId ? "Analysed earlier" : "Not analysed yet";
    return node("div", { class: "quiet" }, alert.status === "resolved" ? "" : session ? state(session.status)
      : analysed);
  }
  const may = mine || (session?.proposedActions ?? []).some(({ mayApprove }) => mayApprove);
  const who = may ? node("strong", {}, "You") : next.who;
  return node("div", {},
    prose(capital(next.what)), node("small", {}, who, next.until && ", until ", next.until && time(next.until)));
}

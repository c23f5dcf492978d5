/** Home: what waits for the user, the dashboard's metrics and open work, the latest activities. `#/` */

/** @import { AgentSessionRow, Change, Dashboard, JoinedTask, Notification, ServiceRequest, Ticket } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, pause } from "../../api/client.js";
import { put, watch } from "../../api/records.js";
import { button, due, empty, node, number, person, rows, state, time, words } from "../../elements.js";
import { countOf, inbox, markRead } from "../../frame/inbox.js";
import { to } from "../../frame/router.js";
import { may } from "../../frame/session.js";

/** Seconds between two readings of a list in which something changed. */
const PAUSE = 10;
/** @type {JoinedTask["status"][]} */
const OPEN_TASKS = ["backlog", "todo", "in_progress", "in_review", "blocked"];
const OPEN_WORK = ["open", "in_progress", "pending"];
/** @type {Record<Notification["kind"], string>} */
const KINDS = {
  mentioned: "mentioned you",
  assigned: "assigned you",
  action_needed: "An action needs you",
  approval_needed: "Your approval is needed",
  commented: "commented",
  due_soon: "Due soon",
  overdue: "Overdue",
  webhook_disabled: "A webhook was disabled",
  policy_loosened: "The approval policy allows more",
};

/** Kinds that tell of somebody's act. @type {Set<Notification["kind"]>} */
const ACTS = new Set(["mentioned", "assigned", "commented"]);

/** @param {Context} context */
export async function view({ body, signal }) {
  const decisions = may("view_agent_remediation") ? list("Decisions") : undefined;
  const tasks = list("Your tasks");
  const unread = list("Unread");
  const work = list("Open work");
  const activities = list("Latest activities");
  const metrics = node("dl", { class: "metrics" });
  const readAll = button("Mark all as read", async () => markRead({ before: newest }), { kind: "plain" });
  unread.heading.append(readAll);
  let newest = "";

  const readDecisions = async () => {
    const { data } = await get("/api/concierge/agent-sessions", { next: "me", limit: 20 }, { signal });
    decisions?.show(data, decision, "Nothing waits for your decision.");
  };
  const readTasks = async () => {
    const mine = { assigneeId: [/** @type {const} */ ("me")], status: OPEN_TASKS, sort: /** @type {const} */ ("dueDate"), limit: 50 };
    const { data } = await get("/api/tasks", mine, { signal });
    tasks.show(put("task", data), task, "No open task is assigned to you.");
  };
  const readDashboard = async () => {
    const { data } = await get("/api/managed-services/dashboard", {}, { signal });
    metrics.replaceChildren(...figures(data.metrics));
    const open = [...data.serviceRequests.map(request), ...data.tickets.map(ticket)];
    work.show(open.filter(({ row }) => OPEN_WORK.includes(row.status)), openWork, "No request or ticket is open.");
    activities.show(data.activityFeed, activity, "Nothing has happened yet.");
  };

  const served = may("view_managed_services");
  /** @type {[() => Promise<void>, string[]][]} */
  const readings = [[readTasks, ["task"]]];
  if (decisions) readings.push([readDecisions, ["agent_session"]]);
  if (served) readings.push([readDashboard, ["service_request", "ticket", "activity", "project"]]);
  const left = node("div", { class: "column" }, decisions?.section, tasks.section, unread.section);
  const right = served
    && node("div", { class: "column" }, node("section", {}, node("h2", {}, "Metrics"), metrics), work.section, activities.section);
  await Promise.all(readings.map(([read]) => read()));
  body.append(node("div", { class: "home" }, left, right));
  inbox(signal, (all) => {
    newest = all[0]?.at ?? newest;
    unread.count.textContent = all.length ? countOf(all) : "";
    readAll.hidden = all.length === 0;
    unread.show(all, notification, "You have read everything.");
  });

  for (const [read, types] of readings) again(signal, types, read);
}

/** Reads a list again after changes of its types: soon, but not all the time.
 * @param {AbortSignal} signal @param {string[]} types @param {() => Promise<void>} read */
function again(signal, types, read) {
  let [due, last] = [false, 0];
  const wants = (/** @type {Change} */ { type }) => {
    if (due || !types.includes(type)) return false;
    due = true;
    pause(last + PAUSE - performance.now() / 1000, signal).then(() => {
      [due, last] = [false, performance.now() / 1000];
      return read();
    }).catch(() => {});
    return false;
  };
  watch(signal, { wants, changed: () => {} });
}

/** A section with a list. @param {string} title */
function list(title) {
  const count = node("span", { class: "count" });
  const heading = node("h2", {}, title, count);
  const items = node("ul", { class: "list" });
  const none = node("div", {});
  const section = node("section", {}, heading, items, none);
  /**
   * @template {{ id: number | string } | { key: string }} I
   * @param {I[]} all @param {(item: I) => HTMLElement} make @param {string} nothing
   */
  const show = (all, make, nothing) => {
    rows(items, all, (item) => ("key" in item ? item.key : item.id), make);
    items.hidden = all.length === 0;
    none.replaceChildren(...(all.length === 0 ? [empty(nothing)] : []));
  };
  return { section, heading, count, show };
}

/** @param {Dashboard["metrics"]} metrics */
function figures({ activeEngagements, avgResolutionTime, hoursSaved }) {
  const figure = (/** @type {string} */ name, /** @type {string} */ value) =>
    node("div", {}, node("dt", {}, name), node("dd", {}, value));
  return [
    figure("Active projects", number(activeEngagements)),
    figure("Hours to resolution", avgResolutionTime ? number(avgResolutionTime, 1) : "none yet"),
    figure("Hours saved", number(hoursSaved, 1)),
  ];
}

/** @param {AgentSessionRow} session */
function decision({ alert, alertId, next, status }) {
  return node("li", {},
    node("a", { class: "grow", href: to(`/alerts/${alertId}`) }, alert?.title ?? `Alert ${alertId}`),
    state(status),
    node("p", { class: "quiet whole" }, next ? `${next.who} ${next.what}` : "", next?.until && node("span", {}, ", until ", time(next.until))));
}

/** @param {JoinedTask} row */
function task({ id, title, status, dueDate, project }) {
  return node("li", {},
    node("a", { class: "grow", href: to(`/tasks/${id}`) }, title),
    dueDate && due(dueDate, true), project && node("span", { class: "quiet" }, project.title), state(status));
}

/** @param {Notification} row */
function notification({ id, kind, actor, at, excerpt, subject, url }) {
  const text = kind === "assigned" && !actor ? "Assigned to you"
    : ACTS.has(kind) && actor ? `${actor.fullName} ${KINDS[kind]}` : words(KINDS[kind]);
  const read = () => markRead({ ids: [id] });
  const named = subject.title && (subject.type === "agent_session" ? words(subject.title) : subject.title);
  const title = named ?? "A record that you may no longer read";
  return node("li", {},
    node("span", { class: "grow" }, `${text}: `,
      url ? node("a", { class: "link", href: new URL(url).hash, onclick: read }, title) : title),
    time(at), button("Mark as read", read, { kind: "plain", name: `Mark as read: ${title}` }),
    excerpt && node("p", { class: "quiet whole text" }, excerpt));
}

/** @param {ServiceRequest} row */
const request = (row) => ({ key: `request ${row.id}`, kind: "Request", href: to(`/requests/${row.id}`), row });
/** @param {Ticket} row */
const ticket = (row) => ({ key: `ticket ${row.id}`, kind: "Ticket", href: to(`/tickets/${row.id}`), row });

/** @param {ReturnType<typeof request> | ReturnType<typeof ticket>} item */
function openWork({ kind, href, row }) {
  return node("li", {},
    node("a", { class: "grow", href }, row.title),
    node("span", { class: "quiet" }, kind), state(row.priority), state(row.status));
}

/** @param {Dashboard["activityFeed"][number]} row */
function activity({ type, description, timestamp, creator }) {
  return node("li", {},
    node("p", { class: "grow text" }, description),
    node("span", { class: "quiet" }, words(type), " · ", person(creator, "The service"), " · ", time(timestamp)));
}

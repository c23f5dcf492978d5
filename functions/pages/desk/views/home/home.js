/** Home: what waits for the user, the dashboard's metrics and open work, the latest activities.
 * `#/` */
/** @import * as api from "workdesk" @import { Answer, View } from "../../kit.js" */
import {
  attempt, button, countOf, draw, due, empty, ending, face, fold, get, inbox, keyed, link, markRead,
  may, more, node, number, person, quiet, readAfter, section, SERVICE_OVER, state, store, TASK_OVER,
  TASK_STATUSES, time, to, words,
} from "../../kit.js";
import { loaded } from "../../frame/release.js";
import { prose, whoOf } from "../alerts/words.js";

const PAUSE = 10; // Seconds between two readings of a list in which something changed.
const OPEN_TASKS = TASK_STATUSES.filter((one) => !TASK_OVER.includes(one));
/** What a notification says, after its actor if it begins small.
 * @type {Record<api.Notification["kind"], string>} */
const KINDS = {
  mentioned: "mentioned you", assigned: "assigned you", commented: "commented",
  action_needed: "An action needs you", approval_needed: "Your approval is needed",
  due_soon: "Due soon",
  overdue: "Overdue", webhook_disabled: "A webhook was disabled",
  policy_loosened: "The approval policy allows more",
  guard_changed: "changed what guards the organization",
};

/** @type {View} */
export async function view({ body, signal }) {
  const service = servicePart(signal);
  const mine = mineParts(signal);
  const unread = unreadPart(signal);
  const decides = may("view_agent_remediation");
  const readings = [...(decides ? [mine.decisions] : []), mine.tasks,
    ...(may("view_managed_services") ? [service] : [])];
  // Each part is shown as it comes. One that fails takes none of the others.
  body.append(node("div.home",
    node("div.column", readings.filter((one) => one !== service).map(({ element }) => element),
      unread.element),
    readings.includes(service) && service.element));
  await Promise.all(readings.map(({ read }) => read()));
  for (const { read, types } of readings) {
    readAfter(signal, ({ type }) => types.includes(type), () => read(), PAUSE);
  }
}

/** Reads a list again: as many rows as it shows, or at least so many.
 * @param {ReturnType<typeof list<any>>} shown
 * @param {(least?: number) => Promise<Answer<any>>} first
 * @param {(rows: any[]) => any[]} keep @param {AbortSignal} signal */
function rereader(shown, first, keep, signal) {
  const read = async (least = shown.length()) => {
    let page = await first();
    const rows = [...page.data];
    while (page.next && rows.length < least) {
      page = await more(page.next, { signal });
      rows.push(...page.data);
    }
    shown.show(keep(rows), page.next ? () => read(rows.length + 1) : null);
  };
  return () => attempt(shown.end, () => read());
}

/** What waits for the user: decisions and tasks. @param {AbortSignal} signal */
function mineParts(signal) {
  const decisions = list("Decisions", "Nothing waits for your decision.", decision);
  const tasks = list("Your tasks", "No open task is assigned to you.", task);
  tasks.count.after(link(to("/tasks", { assigneeId: "me" }), "All"));
  const sessions = () =>
    get("/api/concierge/agent-sessions", { next: "me", limit: 20 }, { signal });
  const mine = /** @type {any} */ (
    { assigneeId: ["me"], status: OPEN_TASKS, sort: "dueDate", limit: 50 });
  return {
    decisions: { element: decisions.element, types: ["agent_session"],
      read: rereader(decisions, sessions, (rows) => rows, signal) },
    tasks: { element: tasks.element, types: ["task"],
      read: rereader(tasks, () => get("/api/tasks", mine, { signal }),
        (rows) => store("task", rows), signal) },
  };
}

/** The dashboard: metrics, open work and activities. @param {AbortSignal} signal */
function servicePart(signal) {
  const work = list("Open work", "No request or ticket is open.", openWork);
  const activities = list("Latest activities", "Nothing has happened yet.", activity);
  const metrics = node("dl.metrics");
  const basis = basisOf(signal);
  const element = node("div.column");
  const shown = [section("Metrics", metrics, basis), work.element, activities.element];
  draw(element, shown);
  const readDashboard = async () => {
    const { data } = await get("/api/managed-services/dashboard", {}, { signal });
    showMetrics(metrics, data.metrics);
    basis.hidden = data.metrics.hoursSaved === 0;
    work.show([
      ...data.serviceRequests.map((row) =>
        ({ ...row, id: to(`/requests/${row.id}`), kind: "Request" })),
      ...data.tickets.map((row) => ({ ...row, id: to(`/tickets/${row.id}`), kind: "Ticket" })),
    ].filter(({ status }) => !SERVICE_OVER.includes(status)));
    activities.show(data.activityFeed);
    draw(element, shown);
  };
  return { element, types: ["service_request", "ticket", "activity", "project"],
    read: () => attempt(element, readDashboard) };
}

/** @param {Element} place @param {api.Dashboard["metrics"]} metrics */
function showMetrics(place, { activeEngagements, avgResolutionTime, hoursSaved }) {
  const figures = { "Active projects": number(activeEngagements),
    "Hours to resolution": avgResolutionTime ? number(avgResolutionTime, 1) : "none yet",
    "Hours saved": number(hoursSaved, 1) };
  draw(place, Object.entries(figures).map(([name, value]) =>
    node("div", node("dt", name), node("dd", value))));
}

/** The notifications that the user has not read. @param {AbortSignal} signal */
function unreadPart(signal) {
  const unread = list("Unread", "You have read everything.", notification);
  let newest = "";
  const readAll = button("Mark all as read", () => markRead({ before: newest }), { kind: "plain" });
  unread.count.after(readAll);
  inbox(signal, (all) => {
    newest = all[0]?.at ?? newest;
    unread.count.textContent = all.length ? countOf(all) : "";
    readAll.hidden = all.length === 0;
    unread.show(all);
  });
  return unread;
}

/** A section with a list. `show` counts the rows, if it gets what reads more or null for none.
 * @template {{ id: number | string }} I
 * @param {string} title @param {string} nothing @param {(item: I) => HTMLElement} make */
function list(title, nothing, make) {
  const [count, items, none] = [node("span.count"), node("ul.list"), empty(nothing)];
  // At first the shape of what comes.
  const end = node("div", node("div.comes", { "aria-hidden": "true" },
    [1, 2, 3].map(() => node("i"))));
  items.hidden = none.hidden = true;
  /** @param {I[]} all @param {(() => unknown) | null} [readMore] */
  const show = (all, readMore) => {
    const counted = all.length > 0 ? `${number(all.length)}${readMore ? "+" : ""}` : "";
    if (readMore !== undefined) count.textContent = counted;
    draw(end, ending(false, readMore ? "next" : null, () => readMore?.(), "Show more"));
    draw(items, all.map((item) => keyed(`${item.id}`, make(item))));
    items.hidden = all.length === 0;
    none.hidden = all.length > 0;
  };
  return { element: section([title, count], items, none, end), count, end, show,
    length: () => items.childElementCount };
}

const decision = (/** @type {api.AgentSessionRow} */ { alert, alertId, next, status }) => node("li",
  node("a.grow", { href: to(`/alerts/${alertId}`) }, alert?.title ?? `Alert ${alertId}`),
  state(status),
  node("p.quiet.whole",
    next && prose(`${whoOf(next.who)} ${next.what}`), next?.until
      && [", until ", time(next.until)]));

const task = (/** @type {api.JoinedTask} */ { id, title, status, dueDate, project }) => node("li",
  node("a.grow", { href: to(`/tasks/${id}`) }, title), dueDate && due(dueDate, true),
  project && quiet(project.title), state(status));

function notification(/** @type {api.Notification} */ { id, kind, actor, at, excerpt, subject,
    url }) {
  const says = KINDS[kind];
  const acts = words(says) !== says;
  const text = acts && actor ? [node("bdi", actor.fullName), ` ${says}`]
    : words(acts ? "assigned to you" : says);
  const read = () => markRead({ ids: [id] });
  // A session has the name of its alert's type, which is a name of the API; a title is a text of
  // people.
  const isName = subject.type === "agent_session" && /^[a-z0-9_]+$/.test(subject.title ?? "");
  const own = isName ? words(subject.title ?? "") : subject.title;
  const title = own || "A record that you may no longer read";
  const named = node("bdi", title);
  return node("li", node("span.grow", actor && face(actor), text, ": ",
    url ? node("a.link", { href: new URL(url).hash, onclick: read }, named) : named), time(at),
  button("Mark as read", read, { kind: "plain", name: `Mark as read: ${title}` }),
  excerpt && node("p.quiet.whole.text", prose(excerpt)));
}

/** @param {Pick<api.Ticket, "title" | "priority" | "status"> & { id: string, kind: string }} row */
const openWork = ({ id, title, kind, priority, status }) => node("li",
  node("a.grow", { href: id }, title), node("span.end", quiet(kind), state(priority),
    state(status)));

/** @param {api.Dashboard["activityFeed"][number]} row */
const activity = ({ type, description, timestamp, creator }) =>
  node("li", node("p.whole.text", description),
  quiet(person(creator, "The service"), " · ", words(type), " · ", time(timestamp)));

/** What the hours saved rest on, loaded when it is opened. @param {AbortSignal} signal */
function basisOf(signal) {
  const place = node("div");
  return fold("hours", "What the hours saved rest on", place, () => attempt(place, async () => {
    const { showHours } = await loaded(() => import("./hours.js"));
    await showHours(place, signal);
  }));
}

/**
 * The list of requests, and that of tickets: filters in the address, pages by cursor, rows kept true by the feed.
 * Rows keep their places while others work. New ones wait above the list until the reader asks for them.
 */

/** @import { JoinedTicket, ServiceRequest, User } from "workdesk" */
/** @import { Choice } from "../../elements.js" */
/** @import { Context, Requery } from "../../frame/router.js" */
import { get, more } from "../../api/client.js";
import { everyone, put, record, watch } from "../../api/records.js";
import { arrows, button, empty, field, node, person, quiet, rows, select, state, time, trouble } from "../../elements.js";
import { say } from "../../frame/frame.js";
import { to } from "../../frame/router.js";
import { denied, myId } from "../../frame/session.js";
import { PRIORITIES, STATUSES, UNRESOLVED } from "./states.js";

/** @typedef {ServiceRequest | JoinedTicket} Row */
/**
 * @typedef {object} Kind
 * @property {"service_request" | "ticket"} type
 * @property {"/api/service-requests" | "/api/managed-services/tickets"} list
 * @property {string} path of the pages
 * @property {string} one @property {string} many
 * @property {Choice[]} orders the first is the default
 * @property {boolean} categories
 * @property {(row: any) => string} at the instant in a row
 * @property {() => void} raise
 */

const LIMIT = 50;
const FILTERS = ["status", "priority", "assigneeId", "creatorId", "category", "sort"];

/**
 * @param {Context} context @param {Kind} kind
 * @returns {Promise<Requery>}
 */
export async function list({ header, body, query, signal, filter }, kind) {
  header.append(button(`Raise a ${kind.one}`, kind.raise, { kind: "main", reason: denied("create_service_request") }));
  /** @type {Map<number, Row>} */
  let shown = new Map();
  /** @type {Set<number>} */
  let waiting = new Set();
  /** @type {string | null} */
  let next = null;
  let reading = new AbortController();
  let asked = query;

  const filters = node("div", { class: "filters", role: "group", "aria-label": "Filters" });
  const news = node("p", { class: "news", role: "status" });
  const items = node("ul", { class: "list columns" });
  const end = node("div");
  body.append(filters, node("div", {}, news, items, end));
  arrows(items);

  /** @type {User[]} */
  let people = [];
  const fill = () => filters.replaceChildren(...controls(kind, asked, people, filter));
  const users = everyone().then((all) => (people = all), () => []).finally(fill);
  const read = async () => {
    reading.abort();
    reading = new AbortController();
    const options = { signal: AbortSignal.any([signal, reading.signal]) };
    const wanted = Object.fromEntries(FILTERS.map((name) => [name, asked.getAll(name)]));
    const sort = asked.get("sort") ?? kind.orders[0]?.[0];
    const page = await get(kind.list, /** @type {any} */ ({ ...wanted, sort, limit: LIMIT }), options);
    await users;
    [shown, waiting] = [new Map(), new Set()];
    add(page);
  };
  /** @param {{ data: any, next: string | null }} page */
  const add = (page) => {
    for (const row of put(kind.type, page.data)) shown.set(row.id, /** @type {Row} */ (row));
    next = page.next;
    show();
  };
  const readMore = async () => {
    const before = shown.size;
    add(await more(next ?? "", { signal: AbortSignal.any([signal, reading.signal]) }));
    say(`${shown.size - before} more.`);
    /** @type {HTMLElement | undefined} */ (items.children[before]?.querySelector("a"))?.focus();
  };
  const show = () => {
    rows(items, [...shown.values()], ({ id }) => id, (row) => line(row, kind, people));
    const none = next ? "Nothing among those read so far." : "Nothing matches.";
    end.replaceChildren(...(shown.size ? [] : [empty(none)]), ...(next ? [button("More", readMore)] : []));
    const count = waiting.size;
    news.replaceChildren(...(count ? [button(`Show ${count} new ${count > 1 ? kind.many : kind.one}`, read)] : []));
  };

  watch(signal, {
    wants: ({ type, recordId, action }) => type === kind.type && (shown.has(recordId) || action === "created"),
    changed: (keys) => {
      for (const id of shown.keys()) {
        if (!keys.has(`${kind.type}:${id}`)) continue;
        const row = record(kind.type, id);
        if (row) shown.set(id, /** @type {Row} */ (row));
        else shown.delete(id);
      }
      for (const key of keys) {
        const id = Number(key.split(":")[1]);
        if (!key.startsWith(`${kind.type}:`) || shown.has(id)) continue;
        const row = /** @type {any} */ (record(kind.type, id));
        if (row && matches(row, asked)) waiting.add(id);
        else waiting.delete(id);
      }
      show();
    },
  });
  const load = () => read().catch((problem) => {
    if (problem.name !== "AbortError") end.replaceChildren(trouble(problem, load));
  });
  fill();
  await load();
  return (changed) => {
    const focused = document.activeElement?.getAttribute("name");
    asked = changed;
    fill();
    /** @type {HTMLElement | null} */ (filters.querySelector(`[name="${focused}"]`))?.focus();
    load();
  };
}

/**
 * @param {Kind} kind @param {URLSearchParams} query @param {User[]} people @param {Context["filter"]} filter
 */
function controls(kind, query, people, filter) {
  /** @type {Choice[]} */
  const users = people.filter(({ id }) => id !== myId()).map(({ id, fullName }) => [String(id), fullName]);
  /** @param {string} label @param {string} name @param {Choice[]} options */
  const one = (label, name, options) => {
    const value = query.getAll(name).join(",");
    if (!options.some(([option]) => option === value)) options.push([value, value]);
    return field(label, select(name, options, value, {
      onchange: ({ target }) => filter({ [name]: target.value || null }),
    }));
  };
  const category = node("input", { name: "category", value: query.get("category"), size: 14, maxlength: 100,
    onchange: ({ target }) => filter({ category: target.value.trim() || null }) });
  return [
    one("Status", "status", [["", "Any"], [UNRESOLVED.join(","), "Unresolved"], ...STATUSES]),
    one("Priority", "priority", [["", "Any"], ...PRIORITIES]),
    one("Assignee", "assigneeId", [["", "Anyone"], ["me", "Me"], ["none", "Nobody"], ...users]),
    one("Raised by", "creatorId", [["", "Anyone"], ["me", "Me"], ...users]),
    ...(kind.categories ? [field("Category", category)] : []),
    one("Order", "sort", kind.orders.map(([value, label], at) => [at ? value : "", label])),
  ];
}

/** Would the list have the row? @param {any} row @param {URLSearchParams} query */
function matches(row, query) {
  return FILTERS.filter((name) => name !== "sort").every((name) => {
    const wanted = query.getAll(name).flatMap((value) => value.split(","));
    const value = row[name] === null ? "none" : row[name] === myId() ? "me" : String(row[name]);
    return wanted.length === 0 || wanted.includes(value) || wanted.includes(String(row[name]));
  });
}

/** @param {Row} row @param {Kind} kind @param {User[]} people */
function line(row, kind, people) {
  const assignee = people.find(({ id }) => id === row.assigneeId);
  const count = "messageCount" in row ? `${row.messageCount} ${row.messageCount === 1 ? "message" : "messages"}`
    : row.category;
  return node("li", {},
    node("a", { class: "grow", href: to(`${kind.path}/${row.id}`) }, quiet(`#${row.id} `), row.title),
    state(row.status), state(row.priority),
    row.assigneeId && !assignee ? quiet(`User ${row.assigneeId}`) : person(assignee),
    quiet(count), node("span", { class: "quiet when" }, time(kind.at(row))));
}

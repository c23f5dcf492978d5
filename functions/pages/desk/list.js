/** A list of records: filters in the address, pages by cursor, rows kept true by the feed. Rows
 * keep their places while others work. New ones wait above the list until the reader asks for
 * them. */
/** @import { User } from "workdesk" @import { Answer, Choice, Context, Requery } from "./kit.js" */
import {
  arrows, attempt, button, choicesOf, counted, draw, each, ending, everyone, get, inbox, more, node,
  record, say, store, watch,
} from "./kit.js";
/** @import { Filter } from "./record/filters.js" @import { Fields } from "./record/selection.js" */
import { drawFilters, matches, namesOf, wantedOf } from "./record/filters.js";
import { selectionOf } from "./record/selection.js";

/** @typedef {object} Listed
 * @property {"project" | "service_request" | "ticket" | "task" | "customer"} type
 * @property {string} noun
 * @property {"/api/projects" | "/api/service-requests" | "/api/managed-services/tickets"
 *   | "/api/tasks" | "/api/customers"} list
 * @property {Record<string, string[]>} [defaults] values of filters that the address lacks
 * @property {(people: () => Choice[]) => Fields} [fields] that are changed for several rows
 * @property {() => Promise<any>} [read] what the filters need further
 * @property {(people: Choice[], further?: any) => Filter[]} filters
 * @property {(query: URLSearchParams) => Choice[]} [orders] under the filters; the first is the
 *   default
 * @property {(row: any, people: User[], box: (row: any) => HTMLElement | null,
 *   isUnread: boolean) => HTMLElement} line */

const PAGES = 5; // The most pages in which the first rows are looked for.

/** Ids of the rows that the last list of a type showed. @type {Map<string, number[]>} */
const listed = new Map();

/** The ids beside one in the last list of a type. @param {string} type @param {number} id */
export function neighbors(type, id) {
  const ids = listed.get(type) ?? [];
  const at = ids.indexOf(id);
  return at < 0 ? {} : { previous: ids[at - 1], next: ids[at + 1] };
}

/** What a list knows. `shown` and `waiting` have ids: of the rows, and of those that came since.
 * @typedef {object} State
 * @property {URLSearchParams} asked
 * @property {Set<number>} shown @property {Set<number>} waiting
 * @property {User[]} people @property {any} further what the filters need further, read once
 * @property {Set<number>} unread
 * @property {boolean} isRead are there rows to show, or none?
 * @property {string | null} next the path of the next page */

/** @param {Context} context @param {Listed} kind @returns {Promise<Requery>} */
export async function list({ body, query, signal, filter }, kind) {
  /** @type {State} */
  const state = { asked: query, shown: new Set(), waiting: new Set(), people: [],
    further: undefined, unread: new Set(), isRead: false, next: null };
  const filters = node("div.filters", { role: "group", "aria-label": "Filters" });
  const showFilters = () => drawFilters(filters, kind, state, filter);
  const { items, end, show } = rowsOf(body, filters, kind, state, { read, readMore });
  const pageOf = reader(kind, signal);

  const add = (/** @type {Answer<any>} */ page) => {
    for (const { id } of store(kind.type, page.data)) state.shown.add(id);
    state.next = page.next;
    show();
  };
  async function read() {
    const query = state.asked;
    const { page, people, further } = await pageOf(query);
    state.further = further;
    // The answer to other filters is not shown.
    if (query !== state.asked) return;
    Object.assign(state, { shown: new Set(), waiting: new Set(), people, isRead: true });
    showFilters();
    add(page);
    say(`${counted(state.shown.size, kind.noun)}${state.next ? " or more" : ""}.`);
  }
  async function readMore(/** @type {string} */ next) {
    const [before, query] = [state.shown.size, state.asked];
    const page = await more(next, { signal });
    if (query === state.asked) add(page);
    items.children[before]?.querySelector("a")?.focus();
  }
  follow(signal, kind, state, show);
  const requery = async (changed = state.asked) => {
    state.asked = changed;
    showFilters();
    await attempt(end, read);
  };
  await requery();
  return requery;
}

/** What reads the first page of the filters, with what the rows and the filters need beside it.
 * @param {Listed} kind @param {AbortSignal} signal */
function reader(kind, signal) {
  const names = namesOf(kind);
  let parts = /** @type {Promise<any> | undefined} */ (undefined); // What the filters need.
  return async (/** @type {URLSearchParams} */ query) => {
    const wanted = Object.fromEntries(names.map((name) => [name, wantedOf(query, name, kind)]));
    const possible = kind.orders?.(query).map(([value]) => value) ?? [];
    const sort = possible.find((value) => value === query.get("sort")) ?? possible[0];
    const rows = get(kind.list, /** @type {any} */ ({ ...wanted, sort, limit: 50 }), { signal });
    parts ??= kind.read?.().catch(() => undefined);
    const [page, people, further] =
      await Promise.all([firstRows(rows, signal), everyone().catch(() => []), parts]);
    return { page, people, further };
  };
}

/** The first page with rows. A page of a filter without an index may have none, and a next one.
 * @param {Promise<Answer<any>>} first @param {AbortSignal} signal */
async function firstRows(first, signal) {
  let page = await first;
  for (let pages = 1; page.data.length === 0 && page.next && pages < PAGES; pages += 1) {
    page = await more(page.next, { signal });
  }
  return page;
}

/** The rows with what stands above and below them.
 * @param {HTMLElement} body @param {HTMLElement} filters @param {Listed} kind @param {State} state
 * @param {{ read: () => unknown, readMore: (next: string) => unknown }} acts */
function rowsOf(body, filters, { type, noun, fields, line }, state, { read, readMore }) {
  const news = node("p.news", { role: "status" });
  const [items, end] = [node("ul.list.columns"), node("div")];
  const selection = fields && type !== "project" && type !== "customer"
    ? selectionOf(type, () => [...state.shown], fields(() => choicesOf(state.people))) : null;
  const box = selection?.box ?? (() => null);
  body.append(filters, node("div", news, selection?.element ?? "", items, end));
  arrows(items);
  /** Rows as they were shown, by their ids. @type {Map<number, { row: any, isUnread: boolean }>} */
  const made = new Map();
  /** The same item while nothing of its row changes. @param {any} row */
  const itemOf = (row) => {
    const [known, isUnread] = [made.get(row.id), state.unread.has(row.id)];
    const item = known?.row === row && known?.isUnread === isUnread ? known : { row, isUnread };
    made.set(row.id, item);
    return item;
  };
  const show = () => {
    const all = [...state.shown].flatMap((id) => record(type, id) ?? []);
    listed.set(type, all.map(({ id }) => id));
    draw(items, each(all.map(itemOf), ({ row }) => row.id,
      (one) => line(one.row, state.people, box, one.isUnread)));
    selection?.show();
    const none = state.next ? "Nothing among those read so far." : "Nothing matches.";
    draw(end, ending(all.length === 0 && none, state.next, readMore));
    const { size } = state.waiting;
    draw(news, size > 0 && button(`Show ${counted(size, `new ${noun}`)}`, read));
  };
  return { items, end, show };
}

/** Shows what others change, and what the user has not read yet.
 * @param {AbortSignal} signal @param {Listed} kind @param {State} state @param {() => void} show */
function follow(signal, kind, state, show) {
  const { type } = kind;
  watch(signal, {
    wants: (change) => change.type === type
      && (state.shown.has(change.recordId) || change.action === "created"),
    changed: (keys) => {
      for (const key of keys) {
        const id = Number(key.split(":")[1]);
        if (!key.startsWith(`${type}:`) || state.shown.has(id)) continue;
        const row = record(type, id);
        state.waiting[row && matches(row, state.asked, kind) ? "add" : "delete"](id);
      }
      // What the first read failed with stays.
      if (state.isRead) show();
    },
  });
  inbox(signal, (rows) => {
    state.unread = new Set(rows.flatMap(({ subject }) =>
      (subject.type === type ? subject.id : [])));
    if (state.isRead) show();
  });
}

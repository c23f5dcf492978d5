/** A list of records: filters in the address, pages by cursor, rows kept true by the feed. Rows keep their
 * places while others work. New ones wait above the list until the reader asks for them. */
/** @import { User } from "workdesk" @import { Answer, Choice, Context, Requery } from "./kit.js" */
import {
  arrows, attempt, button, choicesOf, counted, draw, each, ending, everyone, get, inbox, input, keyed, more,
  myId, node, record, say, store, watch,
} from "./kit.js";
/** @import { Fields } from "./record/selection.js" */
import { selectionOf } from "./record/selection.js";

/** A filter in the address: one of some values, or a text.
 * @typedef {[label: string, name: string, options?: Choice[]]} Filter */
/** @typedef {object} Listed
 * @property {"project" | "service_request" | "ticket" | "task"} type @property {string} noun
 * @property {"/api/projects" | "/api/service-requests" | "/api/managed-services/tickets" | "/api/tasks"} list
 * @property {Record<string, string[]>} [defaults] values of filters that the address lacks
 * @property {(people: () => Choice[]) => Fields} [fields] that are changed for several rows
 * @property {() => Promise<any>} [read] what the filters need further
 * @property {(people: Choice[], further?: any) => Filter[]} filters
 * @property {(query: URLSearchParams) => Choice[]} [orders] under the filters; the first is the default
 * @property {(row: any, people: User[], box: (row: any) => HTMLElement | null, isUnread: boolean) =>
 *   HTMLElement} line */

/** Ids of the rows that the last list of a type showed. @type {Map<string, number[]>} */
const listed = new Map();

/** The ids beside one in the last list of a type. @param {string} type @param {number} id */
export function neighbors(type, id) {
  const ids = listed.get(type) ?? [];
  const at = ids.indexOf(id);
  return at < 0 ? {} : { previous: ids[at - 1], next: ids[at + 1] };
}

/** @param {Context} context @param {Listed} kind @returns {Promise<Requery>} */
export async function list({ body, query: asked, signal, filter }, { type, noun, orders, ...kind }) {
  const names = kind.filters([]).map(([, name]) => name);
  /** Ids of the rows, and of those that came since. */
  let [shown, waiting] = /** @type {[Set<number>, Set<number>]} */ ([new Set(), new Set()]);
  let people = /** @type {User[]} */ ([]);
  /** What the filters need further, read once. @type {any} */
  let further;
  let unread = /** @type {Set<number>} */ (new Set());
  let isRead = false; // Are there rows to show, or none?
  let next = /** @type {string | null} */ (null);
  const filters = node("div.filters", { role: "group", "aria-label": "Filters" });
  const news = node("p.news", { role: "status" });
  const [items, end] = [node("ul.list.columns"), node("div")];
  const named = () => choicesOf(people);
  const selection = kind.fields && type !== "project"
    ? selectionOf(type, () => [...shown], kind.fields(named)) : null;
  const box = selection?.box ?? (() => null);
  body.append(filters, node("div", news, selection?.element ?? "", items, end));
  arrows(items);

  const showFilters = () => {
    const all = kind.filters(choicesOf(people.filter(({ id }) => id !== myId())), further);
    const order = orders?.(asked).map(([value, label], at) => /** @type {Choice} */ ([at ? value : "", label]));
    if (order) all.push(["Order", "sort", order]);
    draw(filters, all.map(([label, name, options]) => {
      const value = (asked.has(name) ? asked.getAll(name) : kind.defaults?.[name] ?? []).join(",");
      if (options && !options.some(([one]) => one === value)) options.push([value, value]);
      const onchange = (/** @type {any} */ { target }) => filter({ [name]: target.value.trim() || null });
      return keyed(name, input(label, name, { options, value, onchange, maxlength: options ? null : 100 }));
    }));
  };
  /** Rows as they were shown, by their ids. @type {Map<number, { row: any, isUnread: boolean }>} */
  const made = new Map();
  /** The same item while nothing of its row changes. @param {any} row */
  const itemOf = (row) => {
    const [known, isUnread] = [made.get(row.id), unread.has(row.id)];
    const item = known?.row === row && known?.isUnread === isUnread ? known : { row, isUnread };
    made.set(row.id, item);
    return item;
  };
  const show = () => {
    const all = [...shown].flatMap((id) => record(type, id) ?? []);
    listed.set(type, all.map(({ id }) => id));
    draw(items, each(all.map(itemOf), ({ row }) => row.id,
      (one) => kind.line(one.row, people, box, one.isUnread)));
    selection?.show();
    const none = next ? "Nothing among those read so far." : "Nothing matches.";
    draw(end, ending(all.length === 0 && none, next, readMore));
    draw(news, waiting.size > 0 && button(`Show ${counted(waiting.size, `new ${noun}`)}`, read));
  };
  const add = (/** @type {Answer<any>} */ page) => {
    for (const { id } of store(type, page.data)) shown.add(id);
    ({ next } = page);
    show();
  };
  const read = async () => {
    const query = asked;
    const wanted = Object.fromEntries(names.map((name) => [name, wantedOf(query, name)]));
    const possible = orders?.(query).map(([value]) => value) ?? [];
    const sort = possible.find((value) => value === query.get("sort")) ?? possible[0];
    const rows = get(kind.list, /** @type {any} */ ({ ...wanted, sort, limit: 50 }), { signal });
    further ??= kind.read?.();
    const [page, users, more] = await Promise.all([rows, everyone().catch(() => []), further]);
    further = more;
    // The answer to other filters is not shown.
    if (query !== asked) return;
    [shown, waiting, people] = [new Set(), new Set(), users];
    isRead = true;
    showFilters();
    add(page);
    say(`${counted(shown.size, noun)}${next ? " or more" : ""}.`);
  };
  const readMore = async (/** @type {string} */ next) => {
    const [before, query] = [shown.size, asked];
    const page = await more(next, { signal });
    if (query === asked) add(page);
    items.children[before]?.querySelector("a")?.focus();
  };
  /** @param {URLSearchParams} query @param {string} name */
  const wantedOf = (query, name) => (query.has(name) ? query.getAll(name) : kind.defaults?.[name] ?? [])
    .filter((value) => value !== "any");
  /** Would the list have the row? Archived projects are there only if they are asked for. @param {any} row */
  const matches = (row) => names.every((name) => {
    const wanted = wantedOf(asked, name).flatMap((value) => value.split(","));
    if (name === "tagId" && wanted.length > 0) {
      return row.tags.some((/** @type {{ id: number }} */ { id }) => wanted.includes(`${id}`));
    }
    const [value, word] = [`${row[name]}`, row[name] === null ? "none" : row[name] === myId() ? "me" : ""];
    return wanted.length === 0 ? value !== "archived" : wanted.includes(value) || wanted.includes(word);
  });

  watch(signal, {
    wants: (change) => change.type === type && (shown.has(change.recordId) || change.action === "created"),
    changed: (keys) => {
      for (const key of keys) {
        const id = Number(key.split(":")[1]);
        if (!key.startsWith(`${type}:`) || shown.has(id)) continue;
        const row = record(type, id);
        waiting[row && matches(row) ? "add" : "delete"](id);
      }
      show();
    },
  });
  inbox(signal, (rows) => {
    unread = new Set(rows.flatMap(({ subject }) => (subject.type === type ? subject.id : [])));
    if (isRead) show();
  });
  const requery = async (changed = asked) => {
    asked = changed;
    showFilters();
    await attempt(end, read);
  };
  await requery();
  return requery;
}

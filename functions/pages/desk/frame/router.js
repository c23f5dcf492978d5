/** The router. The address of a view is `#/tasks/7?status=todo`: a path, and the view's filters.
 *
 * A view appends to `context.body` as data arrives, and ends when all is there. What it throws
 * stands in its place with "Try again". It may return what is called when only the filters of the
 * address change; else it is opened anew. Its parameters are those of the path, such as
 * `{ id: "7" }`. */
import { Problem, reading } from "../api/client.js";
import { node, trouble } from "../elements.js";
import { loaded, Missing } from "./release.js";

/** `header` has the heading, `title` sets it; `signal` aborts when the view closes; `query` has the
 * filters in the address, and `filter` sets some.
 * @typedef {{ header: HTMLElement, body: HTMLElement, query: URLSearchParams, signal: AbortSignal,
 *   title: (text: string) => void,
 *   filter: (changes: Record<string, string | string[] | null>) => void }} Context */
/** @typedef {(query: URLSearchParams) => void} Requery */
/** @typedef {(context: Context, parameters: Record<string, string>) => Promise<Requery | void>}
 * View */
/** `place`: the entry of the navigation. `title`: until the view knows better. `shape`: what is
 * about to come.
 * @typedef {[path: string, title: string, place: string, load: () => Promise<{ view: View }>,
 *   shape?: "board" | "record"]} Route */

/** Paths of records by their types. @type {Record<string, string>} */
const VIEWS = {
  task: "tasks", project: "projects", customer: "customers", service_request: "requests",
  ticket: "tickets",
  alert: "alerts",
  agent_session: "agent-sessions",
};
const SHAPES = 8; // Lines or boxes of the shape of what comes.
let routes = /** @type {Route[]} */ ([]);
/** @type {HTMLElement} */
let main;
let arrived = (/** @type {string} */ _place) => {};
let closing = new AbortController();
let shown = "";
let requery = /** @type {Requery | void} */ (undefined);
const scrolled = /** @type {Map<string, number>} */ (new Map());
/** @param {string} path @param {Record<string, string>} [query] */
export const to = (path, query) => `#${path}${query ? `?${new URLSearchParams(query)}` : ""}`;
export const go = (/** @type {string} */ path) => void (location.hash = path);
/** The address of a record's view, if it has one. @param {string} type @param {number} id */
export const addressOf = (type, id) => VIEWS[type] && to(`/${VIEWS[type]}/${id}`);

let name = ""; // Of the open view.
let unread = "";
function showTitle() {
  document.title = `${unread && `(${unread}) `}${name} – Workdesk`;
}

/** Sets the number of what is unread, which stands in the title of the tab.
 * @param {string} count */
export function setUnread(count) {
  unread = count;
  showTitle();
}

function address() {
  const [path = "", query = ""] = location.hash.slice(1).split("?");
  return { path: path || "/", query: new URLSearchParams(query) };
}

/** The route of a path, with the parameters in it. @param {string} path */
function found(path) {
  const parts = path.split("/");
  for (const [pattern, title, place, load, shape = "rows"] of routes) {
    const values = pattern.split("/").map((name, at) => [name, decoded(parts[at] ?? "")]);
    const fits = values.every(([name, value]) => name?.startsWith(":") || name === value);
    if (!fits || values.length !== parts.length) continue;
    const parameters = Object.fromEntries(values.map(([name, value]) => [name?.slice(1), value]));
    return { title, place, load, shape, parameters };
  }
  return undefined;
}

/** A part of an address. A link that was cut within a `%` is taken as it is.
 * @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Loads the module of the address's view, while the session is read. @param {Route[]} table */
export function prepare(table) {
  routes = table;
  found(address().path)?.load().catch(() => {});
}

/** Opens the view of the address, now and after each navigation.
 * @param {HTMLElement} place @param {typeof arrived} onArrival
 * @param {boolean} focus moves it to the heading */
export function start(place, onArrival, focus) {
  [main, arrived] = [place, onArrival];
  addEventListener("hashchange", () => {
    const { path, query } = address();
    if (path === shown && requery) requery(query);
    else open(true);
  });
  addEventListener("scroll", () => scrolled.set(location.hash, scrollY), { passive: true });
  open(focus);
}

/** Opens the view of the address anew. @param {boolean} [focus] moves the focus to its heading */
export function open(focus = false) {
  closing.abort();
  closing = new AbortController();
  const { path, query } = address();
  const top = scrolled.get(location.hash) ?? 0;
  const route = found(path);
  const { context, heading } = contextOf(query, closing.signal);
  context.title(route?.title ?? "There is no such page");
  main.replaceChildren(context.header, context.body, shapeOf(route?.shape));
  [shown, requery] = [path, undefined];
  arrived(route?.place ?? "");
  if (focus) heading.focus({ preventScroll: true });
  scrollTo(0, 0);
  main.ariaBusy = String(route !== undefined);
  if (!route) return context.body.append(node("p", node("a", { href: to("/") }, "Go to Home")));
  reading(opened(route, context, top)).catch((problem) => failed(problem, context));
}

/** What a view gets. @param {URLSearchParams} query @param {AbortSignal} signal */
function contextOf(query, signal) {
  const heading = node("h1", { tabindex: -1 });
  const title = (/** @type {string} */ text) => {
    heading.textContent = text;
    name = text;
    showTitle();
  };
  /** @type {Context} */
  const context = { header: node("header.head", heading), body: node("div.body"), query, signal,
    title, filter };
  return { context, heading };
}

/** The shape of what comes: it stands below what is there already, for as long as the view reads.
 * @param {string} [shape] */
const shapeOf = (shape = "") => node("div", { class: `comes ${shape}`, "aria-hidden": "true" },
  Array.from({ length: SHAPES }, () => node("i")));

/** Loads a view and shows it. @param {NonNullable<ReturnType<typeof found>>} route
 * @param {Context} context @param {number} top where the page was left */
async function opened({ load, parameters }, context, top) {
  const { view } = await loaded(load);
  const result = await view(context, parameters);
  if (context.signal.aborted) return;
  requery = result;
  performance.mark("shown");
  main.ariaBusy = "false";
  scrollTo(0, top);
  // A filter that was set while the view opened.
  const { query } = address();
  if (String(query) !== String(context.query)) requery?.(query);
}

/** Shows in the place of a view why it did not open. @param {any} problem
 * @param {Context} context */
function failed(problem, { body, signal }) {
  if (signal.aborted) return;
  main.ariaBusy = "false";
  if (!(problem instanceof Problem)) console.error(problem);
  // Some browsers remember that a module did not come: only a reload asks for it again.
  const isMissing = problem instanceof Missing;
  const again = isMissing ? () => location.reload() : () => open(true);
  body.replaceChildren(trouble(problem, again));
  if (problem.status !== 0 && !isMissing) return;
  addEventListener("online", again, { once: true, signal });
}

/** Sets filters in the address without a step in the history; null removes one.
 * @type {Context["filter"]} */
function filter(changes) {
  const { path, query } = address();
  // A field that is left with its view changes no other view.
  if (path !== shown) return;
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const one of [value ?? []].flat()) if (one !== "") query.append(name, one);
  }
  history.replaceState(null, "", `#${path}${query.size ? `?${query}` : ""}`);
  requery?.(query);
}

/**
 * The router. The address of a view is `#/tasks/7?status=todo`: a path, and the view's filters.
 *
 *     export async function view(context, parameters) { … }      // of views/X/X.js
 *
 * `context` has the places of the view and its life; `parameters` are those of the path, such as `{ id: "7" }`.
 * A view appends to `context.body` as data arrives, and ends when it is all there. An error that it throws is shown in its place with "Try again".
 * It may return `(query) => …`: called when only the filters of the address change. Else the view is opened anew.
 */
import { Problem } from "../api/client.js";
import { node, trouble } from "../elements.js";

/**
 * @typedef {object} Context
 * @property {HTMLElement} header the head of the view, with its heading; a view appends its actions
 * @property {HTMLElement} body the empty body
 * @property {URLSearchParams} query the filters in the address
 * @property {AbortSignal} signal aborts when the view closes
 * @property {(text: string) => void} title sets the heading and the page's title
 * @property {(changes: Record<string, string | string[] | null>) => void} filter sets filters in the address
 */
/** @typedef {(query: URLSearchParams) => void} Requery */
/** @typedef {(context: Context, parameters: Record<string, string>) => Promise<Requery | void>} View */
/**
 * @typedef {object} Route
 * @property {string} path such as "/tasks/:id"
 * @property {string} title until the view knows better
 * @property {string} place the entry of the navigation
 * @property {() => Promise<{ view: View }>} load
 */

/** @type {Route[]} */
let routes = [];
/** @type {HTMLElement} */
let main;
/** @type {(place: string) => void} */
let arrived = () => {};
let closing = new AbortController();
let shown = "";
/** @type {Requery | undefined} */
let requery;
/** @type {Map<string, number>} */
const scrolled = new Map();

/** The address of a path, for `href`. @param {string} path @param {Record<string, string>} [query] */
export function to(path, query) {
  return `#${path}${query ? `?${new URLSearchParams(query)}` : ""}`;
}

/** @type {Record<string, string>} */
const VIEWS = {
  task: "tasks",
  project: "projects",
  service_request: "requests",
  ticket: "tickets",
  alert: "alerts",
  agent_session: "agent-sessions",
};

/** The address of a record's view, for `href`; undefined if it has none. @param {string} type @param {number} id */
export function addressOf(type, id) {
  return VIEWS[type] && to(`/${VIEWS[type]}/${id}`);
}

/** Goes to a path. @param {string} path */
export function go(path) {
  location.hash = path;
}

/** @returns {{ path: string, query: URLSearchParams }} */
function address() {
  const [path = "", query = ""] = location.hash.slice(1).split("?");
  return { path: path || "/", query: new URLSearchParams(query) };
}

/** Loads the module of the address's view while the session is read. @param {Route[]} table */
export function prepare(table) {
  void table.find((route) => matched(route.path, address().path))?.load().catch(() => {});
}

/** Opens the view of the address, now and after each navigation.
 * @param {Route[]} table @param {HTMLElement} place @param {typeof arrived} onArrival */
export function start(table, place, onArrival) {
  [routes, main, arrived] = [table, place, onArrival];
  addEventListener("hashchange", () => {
    const { path, query } = address();
    if (path === shown && requery) requery(query);
    else open(true);
  });
  addEventListener("scroll", () => scrolled.set(location.hash, scrollY), { passive: true });
  open(false);
}

/** Opens the view of the address anew. @param {boolean} focus moves the focus to its heading */
export function open(focus = false) {
  closing.abort();
  closing = new AbortController();
  const { signal } = closing;
  const { path, query } = address();
  const top = scrolled.get(location.hash) ?? 0;
  const found = routes.map((route) => ({ route, parameters: matched(route.path, path) })).find((one) => one.parameters);
  const heading = node("h1", { tabindex: -1 });
  const header = node("header", { class: "head" }, heading);
  const body = node("div", { class: "body" });
  /** @param {string} text */
  const title = (text) => {
    heading.textContent = text;
    document.title = `${text} – Workdesk`;
  };
  title(found?.route.title ?? "There is no such page");
  main.replaceChildren(header, body);
  [shown, requery] = [path, undefined];
  arrived(found?.route.place ?? "");
  if (focus) heading.focus({ preventScroll: true });
  scrollTo(0, 0);
  main.ariaBusy = String(found !== undefined);
  if (!found) return body.append(node("p", {}, node("a", { href: to("/") }, "Go to Home")));
  const context = { header, body, query, signal, title, filter };
  const opened = async () => {
    const { view } = await found.route.load();
    const result = await view(context, found.parameters ?? {});
    if (signal.aborted) return;
    if (result) requery = result;
    main.ariaBusy = "false";
    performance.mark("shown");
    scrollTo(0, top);
  };
  opened().catch((problem) => {
    if (signal.aborted) return;
    main.ariaBusy = "false";
    if (!(problem instanceof Problem)) console.error(problem);
    body.replaceChildren(trouble(problem, () => open(true)));
  });
}

/** Sets filters in the address without a step in the history. Null removes one.
 * @type {Context["filter"]} */
function filter(changes) {
  const { path, query } = address();
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const one of [value ?? []].flat()) if (one !== "") query.append(name, one);
  }
  history.replaceState(null, "", `#${path}${query.size ? `?${query}` : ""}`);
  requery?.(query);
}

/** @param {string} pattern @param {string} path @returns {Record<string, string> | undefined} */
function matched(pattern, path) {
  const names = pattern.split("/");
  const parts = path.split("/");
  if (names.length !== parts.length) return undefined;
  /** @type {Record<string, string>} */
  const parameters = {};
  for (const [at, name] of names.entries()) {
    const part = parts[at] ?? "";
    if (name.startsWith(":")) parameters[name.slice(1)] = decodeURIComponent(part);
    else if (name !== part) return undefined;
  }
  return parameters;
}

/** A task that is open beside its board. The board keeps its place, and the address has the
 * task. */
/** @import { Context } from "../../kit.js" */
import { attempt, button, link, node, to } from "../../kit.js";
import { loaded } from "../../frame/release.js";

/** A narrower window shows a task on its own page. */
const WIDE = matchMedia("(min-width: 761px)");

/** @param {Pick<Context, "signal" | "filter">} view
 * @param {() => number} opened id in the address, or 0
 * @param {(id: number) => void} closed shows the card of the task again */
export function panelOf({ signal, filter }, opened, closed) {
  const element = node("div.panel", { role: "group", "aria-label": "Task", hidden: true });
  let shown = 0;
  let life = new AbortController();
  let hasStep = false; // Has the history a step for the panel?

  function show() {
    const id = opened();
    if (id === shown) return;
    const before = shown;
    shown = id;
    life.abort();
    life = new AbortController();
    element.hidden = id === 0;
    const whole = AbortSignal.any([signal, life.signal]);
    if (id) return fill(element, id, { filter, signal: whole }, close);
    hasStep = false;
    element.replaceChildren();
    closed(before);
  }

  function close() {
    if (hasStep) history.back();
    else filter({ task: null });
  }

  /** Opens a task. Returns false where the window is too narrow for it. @param {number} id */
  function open(id) {
    if (!WIDE.matches) return false;
    if (shown) filter({ task: `${id}` });
    else {
      hasStep = true;
      location.hash = addressWith(id);
    }
    return true;
  }

  addEventListener("keydown", (event) => shown && closes(event) && close(), { signal });
  return { element, show, open };
}

/** Shows a task in the panel. @param {HTMLElement} element @param {number} id
 * @param {Pick<Context, "signal" | "filter">} view @param {() => void} close */
function fill(element, id, view, close) {
  const heading = node("h2", { tabindex: -1 });
  const [header, body] = [node("header.head", heading), node("div.body")];
  const whole = link(to(`/tasks/${id}`), "Open the page");
  const acts = node("div.panel-acts", whole, button("Close", close, { kind: "plain" }));
  element.replaceChildren(acts, header, body);
  heading.focus({ preventScroll: true });
  const context = { ...view, header, body, query: new URLSearchParams(), leave: close,
    title: (/** @type {string} */ text) => void (heading.textContent = text) };
  void attempt(body, async () => {
    const tasks = await loaded(() => import("../tasks/tasks.js"));
    await tasks.view(context, { id: `${id}` });
  });
}

/** The address of the board with an open task. @param {number} id */
function addressWith(id) {
  const [path = "", query = ""] = location.hash.slice(1).split("?");
  const next = new URLSearchParams(query);
  next.set("task", `${id}`);
  return `${path}?${next}`;
}

/** Does a key close the panel? In a field or a dialog it does not. @param {KeyboardEvent} event */
function closes({ key, defaultPrevented, target }) {
  if (key !== "Escape" || defaultPrevented || document.querySelector("dialog[open]")) return false;
  return !(target instanceof Element
    && target.matches("input:not([type=checkbox]), select, textarea"));
}

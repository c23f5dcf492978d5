/** The elements that views are made of. All of them take text as text, never as markup:
 * `node("p.quiet", { id: "hint", onclick: act }, "Due ", time(at))`. Attributes may be left out.
 *
 * A `reason` (see `denied`) shows a button or a form as not usable, and says why. A `Problem` of
 * what they do stands beside them, with "Try again"; its faults stand at the fields with their
 * names. */
/** @import * as api from "workdesk" */
/** @import { Child, Text } from "./render.js" */
import { Problem } from "./api/client.js";
import { whoMay } from "./frame/session.js";
import { face } from "./marks.js";
import { draw, listen, nodesOf } from "./render.js";

/** @typedef {{ [name: string]: Text | true | ((event: any) => unknown) }} Attributes */
/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */
/** @typedef {[value: string, label: string]} Choice */
/** @typedef {HTMLElementTagNameMap} Tags */
/** @template {string} S
 * @typedef {S extends `${infer T extends keyof Tags}.${string}` ? Tags[T] : Tags[S & keyof Tags]}
 * Made */

let ids = 0;
export const newId = () => `e${(ids += 1)}`;

/** @template {string} S @param {S} selector @param {...(Attributes | Child)} rest
 * @returns {Made<S>} */
export function node(selector, ...rest) {
  const [tag = "", ...classes] = selector.split(".");
  const made = document.createElement(tag);
  if (classes.length > 0) made.className = classes.join(" ");
  const attributes = rest[0] && Object.getPrototypeOf(rest[0]) === Object.prototype ? rest.shift()
    : {};
  for (const [name, value] of Object.entries(/** @type {Attributes} */ (attributes))) {
    if (typeof value === "function") listen(made, name.slice(2), value);
    else if (name === "key") made.dataset["key"] = String(value);
    else if (name === "value") /** @type {any} */ (made).value = value ?? "";
    else if ((value ?? false) !== false) made.setAttribute(name,
      value === true ? "" : String(value));
  }
  made.append(...nodesOf(rest));
  return /** @type {Made<S>} */ (made);
}

export const quiet = (/** @type {Child[]} */ ...children) => node("span.quiet", children);
export const empty = (/** @type {string} */ text) => node("p.empty", text);
/** @param {Child} title @param {...Child} children */
export const section = (title, ...children) => node("section", node("h2", title), children);
/** @param {string} href @param {...Child} children */
export const link = (href, ...children) => node("a.link", { href }, children);
/** Content that is shown when it is wanted. @param {string} key tells it from others
 * @param {Child} summary @param {Child} content @param {(fold: Element) => unknown} [onOpen] */
export const fold = (key, summary, content, onOpen) =>
  node("details", { "data-fold": key, ontoggle: ({ target }) => target.open && onOpen?.(target) },
    node("summary", summary), content);
/** What follows the rows of a list: that there is none, or what reads the next page.
 * @param {string | false} none @param {string | null} next
 * @param {(next: string) => unknown} read */
export const ending = (none, next, read, label = "More") =>
  [none && empty(none), next && button(label, () => read(next))];

/** `name`: what a button is called where its label needs the context, such as "Reply to Ada". `key`
 * presses it.
 * @param {Child} label @param {() => unknown} act
 * @param {{ reason?: string, kind?: "main" | "plain" | "danger" | "", name?: string,
 *   key?: string }} [options] */
export function button(label, act, { reason = "", kind = "", name, key } = {}) {
  const onclick = (/** @type {any} */ { currentTarget }) =>
    isIdle(currentTarget) && run(currentTarget, currentTarget.parentElement, act);
  const pressed = node("button", { type: "button", class: kind, "aria-label": name,
    "aria-keyshortcuts": key, onclick }, label);
  const place = node("span.action", pressed);
  allow(pressed, reason);
  return place;
}

/** Says beside a button why it cannot be used; if it can, its effect.
 * @param {Element} pressed @param {string} reason @param {string} [effect] */
export function allow(pressed, reason, effect = "") {
  if (pressed.nextElementSibling?.matches("small.why")) pressed.nextElementSibling.remove();
  const why = node("small.why", { id: newId() }, reason || effect);
  pressed.ariaDisabled = reason ? "true" : null;
  if (!why.textContent) return pressed.removeAttribute("aria-describedby");
  pressed.setAttribute("aria-describedby", why.id);
  pressed.after(why);
}

/** @param {Element} pressed */
export const isIdle = (pressed) => pressed.ariaDisabled !== "true" && pressed.ariaBusy !== "true";

/** Runs what a button or form does, and shows its problem at its end. Resolves to true if it is
 * done.
 * @param {HTMLElement} pressed @param {HTMLElement} place @param {() => unknown} act
 * @param {(problem: unknown) => boolean} [told] shows the problem elsewhere and returns true
 * @param {() => void} [again] what "Try again" does, if not the same */
export async function run(pressed, place, act, told, again = () => run(pressed, place, act)) {
  place.querySelector(":scope > .trouble")?.remove();
  pressed.ariaBusy = "true";
  try {
    return (await act()) !== false;
  } catch (problem) {
    if (/** @type {Error} */ (problem).name === "AbortError") return false;
    if (!(problem instanceof Problem)) console.error(problem);
    if (!told?.(problem)) place.append(trouble(problem, again));
    return false;
  } finally {
    pressed.ariaBusy = null;
  }
}

/** @param {unknown} problem @param {() => unknown} [again] */
export function trouble(problem, again) {
  const { status = 0, faults = [], retry = "Try again" } = problem instanceof Problem ? problem
    : {};
  const detail = problem instanceof Problem ? whoMay(problem) || problem.detail
    : "The page failed.";
  // A fault may be all that the detail says.
  const more = faults.map((fault) => fault.detail).filter((one) => !detail.includes(one));
  return node("div.trouble", { role: "alert" }, node("span", [detail, ...more].join(" ")),
    again && retry && status !== 403
    && node("button.plain", { type: "button", onclick: again }, retry));
}

/** Does something. Its problem stands in a place, unless the view closed meanwhile.
 * @param {Element} place @param {() => Promise<unknown>} act @returns {Promise<unknown>} */
export const attempt = (place, act) => act().catch((problem) => {
  if (problem.name !== "AbortError") draw(place, trouble(problem, () => attempt(place, act)));
});

/** Names that are shown as states, and those of the desk alone.
 * @typedef {api.TaskStatus | api.ServiceStatus | api.MilestoneStatus | api.ProjectStatus
 *   | api.Priority
 *   | api.AlertStatus | api.Severity | api.AgentSessionStatus | api.Risk | api.HandlingStatus |
 *   api.StepStatus | api.CheckStatus | api.VerdictOutcome | "true" | "false" | "queued" | "waiting"
 *   | "running" | "succeeded" | "skipped"} State */
/** Shape and tone of each state. A name of a later version has none.
 * @type {Record<string, string>} */
const STATES = /** @satisfies {Record<State, string>} */ ({
  // Work
  backlog: "dash quiet", todo: "ring", in_progress: "half accent", in_review: "half good",
  blocked: "stop bad", done: "check good", cancelled: "cross quiet", open: "ring",
  pending: "pause warn",
  resolved: "check good", closed: "check quiet", active: "half accent", on_hold: "pause warn",
  completed: "check good", archived: "cross quiet", low: "down quiet", medium: "dash",
  high: "up warn",
  urgent: "up bad",
  // Alerts and sessions
  acknowledged: "half accent", info: "ring", warning: "warning warn", error: "warning bad",
  critical: "stop bad", started: "ring", analyzing: "half accent",
  awaiting_confirmation: "pause warn",
  executing: "half accent", cancelling: "half warn", failed: "stop bad", expired: "cross quiet",
  // Findings, actions and steps
  true: "check good", false: "cross", unknown: "dash warn", queued: "pause", waiting: "ring quiet",
  running: "half accent", succeeded: "check good", skipped: "cross quiet",
  done_before: "check good",
  refused: "stop bad", not_now: "pause warn", unclear: "warning warn", not_done: "stop bad",
  not_sent: "cross quiet", waived: "cross quiet", handed_over: "half accent",
});

/** A state as a word with a shape. @param {string} value @param {string} [label]
 * @param {string} [look] */
export function state(value, label = words(value), look = STATES[value] ?? "ring") {
  const [shape, tone = ""] = look.split(" ");
  return node("span", { class: `state ${tone}`, "data-shape": shape }, label);
}

/** "in_progress" as "In progress".
 * @param {string} value a name of the API: what people write keeps its "_" */
export const words = (value) => capital(value.replaceAll("_", " "));
/** A sentence with a great letter at its beginning. @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Choices of values, named by their words. @param {readonly string[]} values
 * @returns {Choice[]} */
export const named = (values) => values.map((value) => [value, words(value)]);
/** @param {{ id: number, title?: string, fullName?: string, name?: string }[]} rows
 * @returns {Choice[]} */
export const choicesOf = (rows) => rows.map(({ id, title, fullName, name }) =>
  [`${id}`, title ?? fullName ?? name ?? ""]);

/** Names with what belongs to them; empty ones are left out.
 * @param {Record<string, Child>} values */
export function facts(values) {
  const isSome = (/** @type {Child} */ content) =>
    nodesOf(content).some((one) => one instanceof Element || one.textContent !== "");
  const row = (/** @type {[string, Child]} */ [name, content]) =>
    (isSome(content) ? [node("dt", name), node("dd", content)] : []);
  return node("dl.facts", Object.entries(values).map(row));
}

/** Marks a row with what the user has not read. @param {boolean} isUnread */
export const unreadMark = (isUnread) => isUnread && node("span.unread", "Unread");

/** A user by face and name. @param {api.UserRef | null | undefined} user @param {string} [none] */
export function person(user, none = "Unassigned") {
  return user ? node("span.who", { title: `@${user.username}` }, face(user),
    node("bdi", user.fullName))
    : quiet(none);
}

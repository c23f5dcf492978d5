/** The elements that views are made of. All of them take text as text, never as markup:
 * `node("p.quiet", { id: "hint", onclick: act }, "Due ", time(at))`. Attributes may be left out.
 *
 * A `reason` (see `denied`) shows a button or a form as not usable, and says why. A `Problem` of what they do
 * stands beside them, with "Try again"; its faults stand at the fields with their names. */
/** @import { Money, UserRef } from "workdesk" */
import { Problem } from "./api/client.js";
import { keepDraft } from "./frame/drafts.js";

/** What is nothing is left out. @typedef {string | number | null | undefined | false} Text */
/** @typedef {Node | Text | readonly any[]} Child */
/** @typedef {{ [name: string]: Text | true | ((event: any) => unknown) }} Attributes */
/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */
/** @typedef {[value: string, label: string]} Choice */
/** @typedef {HTMLElementTagNameMap} Tags */
/** @template {string} S
 * @typedef {S extends `${infer T extends keyof Tags}.${string}` ? Tags[T] : Tags[S & keyof Tags]} Made */

/** The page's words are English, so dates and numbers are, too, in the reader's variant. */
const LOCALE = navigator.languages.find((language) => language.startsWith("en")) ?? "en-GB";
let ids = 0;
export const newId = () => `e${(ids += 1)}`;

/** @template {string} S @param {S} selector @param {...(Attributes | Child)} rest @returns {Made<S>} */
export function node(selector, ...rest) {
  const [tag = "", ...classes] = selector.split(".");
  const made = document.createElement(tag);
  if (classes.length > 0) made.className = classes.join(" ");
  const attributes = rest[0] && Object.getPrototypeOf(rest[0]) === Object.prototype ? rest.shift() : {};
  for (const [name, value] of Object.entries(/** @type {Attributes} */ (attributes))) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (name === "value") /** @type {any} */ (made).value = value ?? "";
    else if ((value ?? false) !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...shown(/** @type {Child[]} */ (rest)));
  return /** @type {Made<S>} */ (made);
}

/** @param {Child} child @returns {(Node | string)[]} */
function shown(child) {
  if (Array.isArray(child)) return child.flatMap(shown);
  return (child ?? false) === false ? [] : [child instanceof Node ? child : String(child)];
}

/** @param {Element} place @param {...Child} children */
export const fill = (place, ...children) => place.replaceChildren(...shown(children));
export const quiet = (/** @type {Child[]} */ ...children) => node("span.quiet", children);
export const empty = (/** @type {string} */ text) => node("p.empty", text);
/** @param {Child} title @param {...Child} children */
export const section = (title, ...children) => node("section", node("h2", title), children);
/** @param {string} href @param {...Child} children */
export const link = (href, ...children) => node("a.link", { href }, children);
/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;
/** Content that is shown when it is wanted. @param {string} key tells it from others
 * @param {Child} summary @param {Child} content @param {() => void} [onOpen] */
export const fold = (key, summary, content, onOpen) =>
  node("details", { "data-fold": key, ontoggle: ({ target }) => target.open && onOpen?.() },
    node("summary", summary), content);
/** What follows the rows of a list: that there is none, or what reads the next page.
 * @param {string | false} none @param {string | null} next @param {(next: string) => unknown} read */
export const ending = (none, next, read, label = "More") =>
  [none && empty(none), next && button(label, () => read(next))];

/** `name`: what a button is called where its label needs the context, such as "Reply to Ada".
 * @param {Child} label @param {() => unknown} act
 * @param {{ reason?: string, kind?: "main" | "plain" | "", name?: string }} [options] */
export function button(label, act, { reason = "", kind = "", name } = {}) {
  const pressed = node("button", { type: "button", class: kind, "aria-label": name }, label);
  const place = node("span.action", pressed);
  pressed.addEventListener("click", () => isIdle(pressed) && run(pressed, place, act));
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
const isIdle = (pressed) => pressed.ariaDisabled !== "true" && pressed.ariaBusy !== "true";

/** Runs what a button or form does, and shows its problem at its end. Resolves to true if it is done.
 * @param {HTMLElement} pressed @param {HTMLElement} place @param {() => unknown} act
 * @param {(problem: unknown) => boolean} [told] shows the problem elsewhere and returns true
 * @param {() => void} [again] what "Try again" does, if not the same */
async function run(pressed, place, act, told, again = () => run(pressed, place, act)) {
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
  const { status = 0, faults = [], detail = "The page failed." } = problem instanceof Problem ? problem : {};
  const said = [detail, ...faults.map((fault) => fault.detail)].join(" ");
  return node("div.trouble", { role: "alert" }, node("span", said), again && status !== 403
    && node("button.plain", { type: "button", onclick: again }, "Try again"));
}

/** Does something. Its problem stands in a place, unless the view closed meanwhile.
 * @param {Element} place @param {() => Promise<unknown>} act @returns {Promise<unknown>} */
export const attempt = (place, act) => act().catch((problem) => {
  if (problem.name !== "AbortError") fill(place, trouble(problem, () => attempt(place, act)));
});

/** A control with its label, hint and fault.
 * @param {string} label @param {Control} control @param {Text} [hint] */
export function field(label, control, hint) {
  control.id ||= newId();
  const [help, fault] = [newId(), newId()];
  control.setAttribute("aria-describedby", `${help} ${fault}`);
  return node("div.field", node("label", { for: control.id }, label), control,
    node("small", { id: help }, hint), node("span.fault", { id: fault }));
}

/** A labelled control: a select if it has options, a text area if it has rows, else an input.
 * @param {string} label @param {string} name
 * @param {{ hint?: Text, options?: Choice[], value?: any, [name: string]: any }} [attributes] */
export function input(label, name, { hint, options, value = "", ...attributes } = {}) {
  return field(label, options ? select(name, options, `${value ?? ""}`, attributes)
    : node(attributes["rows"] ? "textarea" : "input", { name, value, ...attributes }), hint);
}

/** @param {string} name @param {Choice[]} options @param {string} [value] @param {Attributes} [attributes] */
export const select = (name, options, value = "", attributes = {}) =>
  node("select", { name, ...attributes, value: null },
    options.map(([one, label]) => node("option", { value: one, selected: one === value }, label)));

/** @param {Element | null} place a field, or a control in one @param {string} text "" if it has none */
export function setFault(place, text) {
  const [around, control] = [place?.closest(".field"), place?.querySelector("[name]") ?? place];
  around?.querySelector(".fault")?.replaceChildren(text);
  control?.setAttribute("aria-invalid", String(text !== ""));
}

/** @typedef {object} Form
 * @property {Child} [fields] made by `input` or `field`
 * @property {string} submit label of the button
 * @property {(values: any, form: HTMLFormElement) => unknown} act sends it; an empty value is null
 * @property {() => void} [cancel]
 * @property {string} [draft] name under which typed text is kept until `act` is done
 * @property {string} [reason] why the user may not send it */
export function form(/** @type {Form} */ { fields, submit, act, cancel, draft, reason = "" }) {
  const controls = () => /** @type {Control[]} */ ([...made.querySelectorAll("[name]")]);
  /** Shows the faults at the fields. Returns true if no other is left. @param {unknown} problem */
  const told = (problem) => {
    if (!(problem instanceof Problem)) return false;
    for (const one of controls()) setFault(one, problem.faultOf(one.name));
    const faulty = controls().filter(({ name }) => problem.faultOf(name));
    faulty[0]?.focus();
    return faulty.length > 0
      && problem.faults.every(({ pointer }) => faulty.some(({ name }) => pointer.split("/")[1] === name));
  };
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!isIdle(send)) return;
    const missing = controls().find((one) => one.required && !one.value.trim());
    for (const one of controls()) setFault(one, one === missing ? "Fill this in." : "");
    if (missing) return missing.focus();
    const values = Object.fromEntries(controls().map(({ name, type, value }) =>
      [name, (type === "password" ? value : value.trim()) || null]));
    const done = await run(send, made, () => act(values, made), told, () => made.requestSubmit());
    if (done) drop();
  };
  const drop = () => drops.forEach((one) => one());
  const send = node("button.main", submit);
  /** @type {HTMLFormElement} */
  const made = node("form", { novalidate: true, onsubmit, onreset: drop }, fields,
    node("div.end", send, cancel && node("button", { type: "button", onclick: cancel }, "Cancel")));
  allow(send, reason);
  // A password is not kept.
  const drops = draft ? controls().filter(({ type }) => type !== "password")
    .map((one) => keepDraft(one, `${draft} ${one.name}`)) : [];
  return made;
}

/** A labelled select that saves a choice at once. If that fails, the choice stays, with "Try again".
 * @param {string} label @param {Choice[]} options @param {string} value
 * @param {(value: string) => unknown} save */
export function choice(label, options, value, save) {
  const onchange = () => run(control, place, () => save(control.value));
  const control = select(label, options, value, { onchange });
  const place = field(label, control);
  return place;
}

/** A dialog over the page. Escape closes it, unless it stays; the focus returns to where it was.
 * @param {string} title @param {Child} content @param {{ stays?: boolean }} [options] */
export function dialog(title, content, { stays = false } = {}) {
  const heading = newId();
  const stay = (/** @type {Event & { key?: string }} */ event) =>
    stays && (event.type === "cancel" || event.key === "Escape") && event.preventDefault();
  /** @type {HTMLDialogElement} */
  const made = node("dialog",
    { "aria-labelledby": heading, onclose: () => made.remove(), oncancel: stay, onkeydown: stay },
    node("h2", { id: heading }, title), content);
  document.body.append(made);
  made.showModal();
  return made;
}

/** A form in a dialog, closed after `act`. @param {string} title @param {Form & { text?: Child }} options */
export function ask(title, { text, act, ...options }) {
  const send = async (/** @type {Parameters<Form["act"]>} */ ...values) => {
    const done = (await act(...values)) !== false;
    if (done) over.close();
    return done;
  };
  const over = dialog(title,
    [text && node("p", text), form({ ...options, cancel: () => over.close(), act: send })]);
}

/** Saves a change of a record as it was read. After a 412 both versions stand in `place`, and one is kept; it
 * resolves to false then: a form is not done.
 * @param {{ place: HTMLElement, what: string, known: any, save: (known: any) => unknown, mine: () => string,
 *   theirs: (current: any) => string, take: (current: any) => unknown }} saving @returns {Promise<boolean>}
 */
export async function settle(saving) {
  const { place, what, known, save, mine, theirs, take } = saving;
  place.querySelector(".conflict")?.remove();
  try {
    await save(known);
    return true;
  } catch (problem) {
    if (!(problem instanceof Problem && problem.current)) throw problem;
    const { current } = problem;
    const version = (/** @type {string} */ name, /** @type {string} */ text, /** @type {Node} */ keep) =>
      node("section", node("b", name), node("p.text", text || "(empty)"), keep);
    place.append(node("div.conflict", { role: "alert" },
      node("p", `${what} was changed by someone else meanwhile. Nothing typed is lost.`),
      node("div.versions",
        version("Yours", mine(), button("Save yours", () => settle({ ...saving, known: current }))),
        version("Theirs", theirs(current), button("Take theirs", () => take(current))))));
    return false;
  }
}

/** Items that the rows of a list were made from. @type {WeakMap<Element, unknown>} */
const sources = new WeakMap();
const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

/** Shows items as the children of an element. A row is made anew if its item is another object than before.
 * It takes over the focus. @template I @param {HTMLElement} parent @param {I[]} items
 * @param {(item: I) => string | number} key @param {(item: I) => HTMLElement} make */
export function rows(parent, items, key, make) {
  const old = new Map([...parent.children].map((row) => [row.getAttribute("data-key"), row]));
  const made = new Set(items.map((item) => {
    const known = old.get(String(key(item)));
    if (known && sources.get(known) === item) return known;
    const focused = known?.contains(document.activeElement) ? document.activeElement : null;
    const at = known && focused ? [...known.querySelectorAll(FOCUSABLE)].indexOf(focused) : -1;
    const row = make(item);
    row.dataset["key"] = String(key(item));
    sources.set(row, item);
    if (focused) {
      known?.replaceWith(row);
      focusLike(focused, at, row);
    }
    return row;
  }));
  for (const row of [...parent.children]) if (!made.has(row)) row.remove();
  [...made].forEach((row, at) => {
    if (parent.children[at] !== row) parent.insertBefore(row, parent.children[at] ?? null);
  });
}

/** Focuses in a new row what was focused in the old one, with the place of the cursor.
 * @param {Element} focused @param {number} at @param {HTMLElement} row */
function focusLike(focused, at, row) {
  const same = row.contains(focused) ? focused : row.querySelectorAll(FOCUSABLE)[at] ?? row;
  /** @type {HTMLElement} */ (same).focus({ preventScroll: true });
  if (same instanceof HTMLTextAreaElement && focused instanceof HTMLTextAreaElement) {
    same.setSelectionRange(focused.selectionStart, focused.selectionEnd);
  }
}

/** @typedef {[key: string, element: HTMLElement | null | undefined | false]} Part */
/** What a place shows. @type {WeakMap<Element, Map<string, { key: string, text: string, made: any }>>} */
const drawn = new WeakMap();

/** Shows elements by keys. What looks as before stays; else the new one takes over focus and open folds.
 * @param {HTMLElement} place @param {Part[]} parts */
export function redraw(place, parts) {
  const before = drawn.get(place);
  const now = parts.flatMap(([key, made]) => {
    if (!made) return [];
    const old = before?.get(key);
    const text = old?.made === made ? old.text : made.outerHTML.replace(/"e\d+( e\d+)*"/g, "");
    if (old?.text === text) return [old];
    for (const open of old?.made.querySelectorAll("details[open]") ?? []) {
      made.querySelector(`[data-fold="${open.getAttribute("data-fold")}"]`)?.setAttribute("open", "");
    }
    return [{ key, text, made }];
  });
  drawn.set(place, new Map(now.map((one) => [one.key, one])));
  rows(place, now, ({ key }) => key, ({ made }) => made);
}

/** Up and down move the focus among the links of a list. @param {HTMLElement} list */
export function arrows(list) {
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
    const next = step && at >= 0 && links[at + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

/** Shape and tone of each state. @type {Record<string, string>} */
const STATES = {
  // Work
  backlog: "dash quiet", todo: "ring", in_progress: "half accent", in_review: "half good",
  blocked: "stop bad", done: "check good", cancelled: "cross quiet", open: "ring", pending: "pause warn",
  resolved: "check good", closed: "check quiet", active: "half accent", on_hold: "pause warn",
  completed: "check good", archived: "cross quiet", low: "down quiet", medium: "dash", high: "up warn",
  urgent: "up bad",
  // Alerts and sessions
  acknowledged: "half accent", info: "ring", warning: "warning warn", error: "warning bad",
  critical: "stop bad", started: "ring", analyzing: "half accent", awaiting_confirmation: "pause warn",
  executing: "half accent", cancelling: "half warn", failed: "stop bad", expired: "cross quiet",
  // Findings, actions and steps
  true: "check good", false: "cross", unknown: "dash warn", queued: "pause", waiting: "ring quiet",
  running: "half accent", succeeded: "check good", skipped: "cross quiet", done_before: "check good",
  refused: "stop bad", not_now: "pause warn", unclear: "warning warn", not_done: "stop bad",
  not_sent: "cross quiet", waived: "cross quiet", handed_over: "half accent", effective: "check good",
  ineffective: "stop bad",
};

/** A state as a word with a shape. @param {string} value @param {string} [label] @param {string} [look] */
export function state(value, label = words(value), look = STATES[value] ?? "ring") {
  const [shape, tone = ""] = look.split(" ");
  return node("span", { class: `state ${tone}`, "data-shape": shape }, label);
}

/** "in_progress" as "In progress". @param {string} value */
export function words(value) {
  const text = value.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Choices of values, named by their words. @param {readonly string[]} values @returns {Choice[]} */
export const named = (values) => values.map((value) => [value, words(value)]);
/** @param {{ id: number, title?: string, fullName?: string }[]} rows @returns {Choice[]} */
export const choicesOf = (rows) => rows.map(({ id, title, fullName }) => [`${id}`, title ?? fullName ?? ""]);

/** Names with what belongs to them; empty ones are left out. @param {Record<string, Child>} values */
export function facts(values) {
  const row = (/** @type {[string, Child]} */ [name, content]) =>
    (shown(content).some((one) => one !== "") ? [node("dt", name), node("dd", content)] : []);
  return node("dl.facts", Object.entries(values).map(row));
}

/** @param {UserRef | null | undefined} user @param {string} [none] */
export function person(user, none = "Unassigned") {
  return user ? node("span", { title: `@${user.username}` }, user.fullName) : quiet(none);
}

/** @param {Intl.DateTimeFormatOptions} options */
const format = (options) => new Intl.DateTimeFormat(LOCALE, options);
const EXACT = format({ dateStyle: "full", timeStyle: "long" });
const CLOCK = format({ hour: "2-digit", minute: "2-digit" });
const SECOND = format({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = format({ day: "numeric", month: "short" });
const YEAR = format({ day: "numeric", month: "short", year: "numeric" });
const MINUTE_MS = 60_000;

/** Days from today on, by the reader's calendar. @param {Date} date */
function daysAhead(date) {
  const midnight = (/** @type {Date} */ one) => Date.UTC(one.getFullYear(), one.getMonth(), one.getDate());
  return (midnight(date) - midnight(new Date())) / 86_400_000;
}

/** @param {Date} date */
const nearDay = (date) => ({ "-1": "yesterday", 0: "today", 1: "tomorrow" }[daysAhead(date)]);
/** The date in the reader's zone, such as "12 Nov". @param {Date} date */
export const day = (date) => (date.getFullYear() === new Date().getFullYear() ? DAY : YEAR).format(date);

function short(/** @type {string} */ instant) {
  const [date, near] = [new Date(instant), nearDay(new Date(instant))];
  const minutes = Math.round((date.getTime() - Date.now()) / MINUTE_MS);
  if (minutes === 0) return "just now";
  if (Math.abs(minutes) < 60) return minutes < 0 ? `${-minutes} min ago` : `in ${minutes} min`;
  return near ? `${near} ${CLOCK.format(date)}`.replace("today ", "") : day(date);
}

/** @param {string} instant @param {string} text @param {string} [kind] */
const timed = (instant, text, kind) =>
  node("time", { class: kind, datetime: instant, title: EXACT.format(new Date(instant)) }, text);
/** An instant, short in the reader's zone, exact as its title. @param {string} instant */
export const time = (instant) => timed(instant, short(instant));
setInterval(() => {
  for (const one of document.querySelectorAll("time:not([class])")) {
    const text = short(/** @type {HTMLTimeElement} */ (one).dateTime);
    if (one.textContent !== text) one.textContent = text;
  }
}, MINUTE_MS);

/** The time of day to the second, with the date if it was another day. @param {string} instant */
export function clock(instant) {
  const date = new Date(instant);
  return timed(instant, `${daysAhead(date) === 0 ? "" : `${day(date)} `}${SECOND.format(date)}`, "clock");
}

/** A due date. @param {string} instant @param {boolean} open work is left, so that a past date is overdue
 * @param {string} [word] what stands before the day */
export function due(instant, open, word = "Due") {
  const date = new Date(instant);
  const near = nearDay(date) ?? day(date);
  const [over, soon] = [open && date.getTime() < Date.now(), open && daysAhead(date) <= 1];
  return timed(instant, over ? `Overdue ${near}` : word ? `${word} ${near}` : words(near),
    `due ${over ? "bad" : soon ? "warn" : "quiet"}`);
}

export const number = (/** @type {number} */ value, /** @type {number} */ digits = 0) =>
  new Intl.NumberFormat(LOCALE, { maximumFractionDigits: digits }).format(value);

/** Decimals of a currency, by ISO 4217. `Intl` leaves out those of some. @param {string} currency */
export function decimals(currency) {
  if ("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".includes(currency)) return 0;
  return { BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3, CLF: 4, UYW: 4 }[currency] ?? 2;
}

/** An amount of money as text, such as "€1,250.00". @param {Money} amount */
export function money({ minorUnits, currency }) {
  if (!/^[A-Z]{3}$/.test(currency)) return `${number(minorUnits)} ${currency}`;
  const digits = decimals(currency);
  const exact = { currency, minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(LOCALE, { style: "currency", ...exact }).format(minorUnits / 10 ** digits);
}

/**
 * The elements that views are made of. All of them take text as text, never as markup.
 *
 * - node(tag, attributes, ...children): an element. `on…` attributes are listeners; null children are left out.
 * - button(label, act, { reason, kind }): runs `act`; while it runs, it cannot be pressed again. A `Problem` stands
 *   beside it, with "Try again". `reason` (see `denied`) shows the button as not usable, and says why.
 * - field(label, control, { hint }), form({ fields, submit, act, cancel, draft }): faults of a `Problem` stand at their
 *   fields by the control's name. `draft` keeps what is typed, until `act` is done.
 * - select(name, options, value), choice({ label, options, value, save, reason }): a select; one that saves at once.
 * - dialog(title, content), conflict(…), trouble(problem, again), empty(text)
 * - arrows(list): up and down move the focus among its links.
 * - rows(parent, items, key, make): a list whose unchanged rows keep their elements, focus and place.
 * - facts({ Name: value }), quiet(text), named(values)
 * - state(value), words(value), time(instant), clock(instant), due(instant, open), money(amount), number(value), person(user)
 */

/** @import { Money, UserRef } from "workdesk" */
import { Problem } from "./api/client.js";
import { keepDraft } from "./frame/drafts.js";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {{ [name: string]: string | number | boolean | null | undefined | ((event: any) => unknown) }} Attributes */
/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */
/** @typedef {[value: string, label: string]} Choice */

/** The page's words are English, so dates and numbers are, too, in the reader's variant. */
const LOCALE = navigator.languages.find((language) => language.startsWith("en")) ?? "en-GB";

let numbers = 0;
/** A new id for an element. */
export function newId() {
  return `e${(numbers += 1)}`;
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function node(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (name === "value") /** @type {any} */ (made).value = value ?? "";
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...shown(children));
  return made;
}

/** @param {Child[]} children @returns {(Node | string)[]} */
function shown(children) {
  return children.flatMap((child) =>
    child === null || child === undefined || child === false ? [] : [child instanceof Node ? child : String(child)],
  );
}

/**
 * @param {string} label @param {() => unknown} act
 * @param {{ reason?: string, kind?: "main" | "plain" | "danger" | "", name?: string }} [options]
 * `name`: what the button is called where its label needs the context, such as "Reply to Ada"
 */
export function button(label, act, { reason = "", kind = "", name } = {}) {
  const why = newId();
  const press = async () => {
    if (pressed.ariaDisabled === "true") return;
    await run(pressed, place, act);
  };
  const pressed = node("button", {
    type: "button", class: kind, "aria-label": name, onclick: press,
    "aria-disabled": reason ? "true" : null, "aria-describedby": reason ? why : null,
  }, label);
  const place = node("span", { class: "action" }, pressed, reason && node("small", { id: why }, reason));
  return place;
}

/**
 * Runs what a button or form does, and shows its problem at its end.
 * @param {HTMLElement} pressed @param {HTMLElement} place @param {() => unknown} act
 * @param {(problem: Problem) => boolean} [told] shows the problem elsewhere and returns true
 * @param {() => void} [again] what "Try again" does, if not the same
 */
async function run(pressed, place, act, told, again) {
  place.querySelector(":scope > .trouble")?.remove();
  pressed.ariaDisabled = "true";
  pressed.ariaBusy = "true";
  try {
    await act();
    return true;
  } catch (problem) {
    if (/** @type {any} */ (problem).name === "AbortError") return false;
    if (!(problem instanceof Problem)) console.error(problem);
    if (!(problem instanceof Problem && told?.(problem))) place.append(trouble(problem, again ?? (() => run(pressed, place, act))));
    return false;
  } finally {
    pressed.ariaDisabled = null;
    pressed.ariaBusy = null;
  }
}

/** A problem where it happened. @param {unknown} problem @param {() => unknown} [again] */
export function trouble(problem, again) {
  const known = problem instanceof Problem;
  const text = known ? [problem.detail, ...problem.faults.map(({ detail }) => detail)].join(" ") : "The page failed.";
  const useful = again && (!known || problem.status !== 403);
  const retry = useful ? node("button", { type: "button", class: "plain", onclick: again }, "Try again") : null;
  return node("div", { class: "trouble", role: "alert" }, node("span", {}, text), retry);
}

/** @param {string} text */
export function empty(text) {
  return node("p", { class: "empty" }, text);
}

/** A control with its label, hint and fault. @param {string} label @param {Control} control @param {{ hint?: string }} [o] */
export function field(label, control, { hint = "" } = {}) {
  control.id ||= newId();
  const [help, fault] = [newId(), newId()];
  control.setAttribute("aria-describedby", `${help} ${fault}`);
  return node("div", { class: "field" },
    node("label", { for: control.id }, label), control,
    node("small", { id: help }, hint), node("span", { class: "fault", id: fault }));
}

/** @param {HTMLElement} place a field @param {string} text "" if it has none */
export function setFault(place, text) {
  const fault = place.querySelector(".fault");
  if (fault) fault.textContent = text;
  place.querySelector("input, textarea, select")?.setAttribute("aria-invalid", String(text !== ""));
}

/**
 * @param {object} options
 * @param {HTMLElement[]} options.fields each made by `field`
 * @param {string} options.submit label of the button
 * @param {(form: HTMLFormElement) => unknown} options.act sends it
 * @param {() => void} [options.cancel]
 * @param {string} [options.draft] name under which typed text is kept
 * @param {string} [options.reason] why the user may not send it
 */
export function form({ fields, submit, act, cancel, draft, reason = "" }) {
  const why = newId();
  const send = node("button", {
    class: "main", "aria-disabled": reason ? "true" : null, "aria-describedby": reason ? why : null,
  }, submit);
  const end = node("div", { class: "end" }, send,
    cancel && node("button", { type: "button", onclick: cancel }, "Cancel"), reason && node("small", { id: why }, reason));
  const controls = () => /** @type {Control[]} */ ([...made.elements].filter((one) => "name" in one && one.name));
  /** @param {Problem} problem */
  const told = (problem) => {
    const places = fields.map((place) => ({ place, control: /** @type {Control | null} */ (place.querySelector("[name]")) }));
    for (const { place, control } of places) setFault(place, problem.faultOf(control?.name ?? ""));
    const first = places.find(({ control }) => control?.ariaInvalid === "true" || control?.matches("[aria-invalid=true]"));
    first?.control?.focus();
    return first !== undefined && problem.faults.every(({ pointer }) =>
      places.some(({ control }) => pointer.split("/")[1] === control?.name));
  };
  /** @type {HTMLFormElement} */
  const made = node("form", {
    novalidate: true,
    onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (send.ariaDisabled === "true") return;
      const missing = controls().find((one) => one.required && !one.value.trim());
      for (const place of fields) setFault(place, missing && place.contains(missing) ? "Fill this in." : "");
      if (missing) return missing.focus();
      const done = await run(send, made, () => act(made), told, () => made.requestSubmit());
      if (done) for (const drop of drops) drop();
    },
  }, ...fields, end);
  // A password is not kept.
  const drops = draft ? controls().filter(({ type }) => type !== "password").map((one) => keepDraft(one, `${draft} ${one.name}`)) : [];
  made.addEventListener("reset", () => drops.forEach((drop) => drop()));
  return made;
}

/** @param {string} name @param {Choice[]} options @param {string} [value] @param {Attributes} [attributes] */
export function select(name, options, value = "", attributes = {}) {
  return node("select", { name, ...attributes, value: null },
    ...options.map(([one, label]) => node("option", { value: one, selected: one === value }, label)));
}

/**
 * A labelled select that saves a choice at once. If that fails, the choice stays, with "Try again".
 * @param {{ label: string, options: Choice[], value: string, save: (value: string) => unknown, reason?: string }} options
 */
export function choice({ label, options, value, save, reason = "" }) {
  const control = select(label, options, value, { disabled: reason !== "" });
  const place = field(label, control, { hint: reason });
  control.addEventListener("change", () => run(control, place, () => save(control.value)));
  return place;
}

/**
 * A dialog over the page. Escape closes it, and the focus returns to where it was.
 * @param {string} title @param {Child[]} content @param {{ stays?: boolean }} [options] `stays`: Escape does nothing
 */
export function dialog(title, content, { stays = false } = {}) {
  const heading = newId();
  /** @type {HTMLDialogElement} */
  const made = node("dialog", {
    "aria-labelledby": heading,
    onclose: () => made.remove(),
    oncancel: (/** @type {Event} */ event) => stays && event.preventDefault(),
    onkeydown: (/** @type {KeyboardEvent} */ event) => stays && event.key === "Escape" && event.preventDefault(),
  }, node("h2", { id: heading }, title), ...content);
  document.body.append(made);
  made.showModal();
  return made;
}

/**
 * Both versions of a text after a 412. The user keeps one.
 * @param {string} what @param {string} mine @param {string} theirs
 * @param {() => unknown} keepMine sends the user's text over the other one @param {() => unknown} takeTheirs
 */
export function conflict(what, mine, theirs, keepMine, takeTheirs) {
  return node("div", { class: "conflict", role: "alert" },
    node("p", {}, `${what} was changed by someone else meanwhile. Nothing typed is lost.`),
    node("div", { class: "versions" },
      node("section", {}, node("b", {}, "Yours"), node("p", { class: "text" }, mine || "(empty)"),
        button("Save yours", keepMine)),
      node("section", {}, node("b", {}, "Theirs"), node("p", { class: "text" }, theirs || "(empty)"),
        button("Take theirs", takeTheirs))));
}

/** Items that the rows of a list were made from. @type {WeakMap<Element, unknown>} */
const sources = new WeakMap();

/**
 * Shows items as the children of an element. A row is made anew only if its item is another object than before.
 * A row with the focus gives it to its successor.
 * @template I
 * @param {HTMLElement} parent @param {I[]} items @param {(item: I) => string | number} key
 * @param {(item: I) => HTMLElement} make
 */
export function rows(parent, items, key, make) {
  const old = new Map([...parent.children].map((row) => [/** @type {HTMLElement} */ (row).dataset["key"], row]));
  const made = items.map((item) => {
    const name = String(key(item));
    const known = old.get(name);
    if (known && sources.get(known) === item) return known;
    const focused = known?.contains(document.activeElement) ? document.activeElement : null;
    const at = known && focused ? [known, ...known.querySelectorAll(FOCUSABLE)].indexOf(focused) : -1;
    const row = make(item);
    row.dataset["key"] = name;
    sources.set(row, item);
    if (known && focused) {
      known.replaceWith(row);
      focusLike(focused, at, row);
    }
    return row;
  });
  const kept = new Set(made);
  for (const row of [...parent.children]) if (!kept.has(row)) row.remove();
  made.forEach((row, at) => parent.children[at] === row || parent.insertBefore(row, parent.children[at] ?? null));
}

const FOCUSABLE = "a[href], button, input, select, textarea, [tabindex]";
/** Focuses in a new row what was focused in the old one, with the place of the cursor.
 * @param {Element} focused @param {number} at @param {HTMLElement} row */
function focusLike(focused, at, row) {
  const same = row.contains(focused) ? focused : [row, ...row.querySelectorAll(FOCUSABLE)][at] ?? row;
  /** @type {HTMLElement} */ (same).focus({ preventScroll: true });
  if (same instanceof HTMLTextAreaElement && focused instanceof HTMLTextAreaElement) {
    same.setSelectionRange(focused.selectionStart, focused.selectionEnd);
  }
}

/** Up and down move the focus among the links of a list. @param {HTMLElement} list */
export function arrows(list) {
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
    const link = step && at >= 0 && links[at + step];
    if (!link) return;
    event.preventDefault();
    link.focus();
  });
}

/** Shape and tone of each state. @type {Record<string, string>} */
const STATES = {
  backlog: "dash quiet", todo: "ring", in_progress: "half accent", in_review: "half good", blocked: "stop bad",
  done: "check good", cancelled: "cross quiet",
  open: "ring", pending: "pause warn", resolved: "check good", closed: "check quiet",
  active: "half accent", on_hold: "pause warn", completed: "check good", archived: "cross quiet",
  acknowledged: "half accent", info: "ring", warning: "warning warn", error: "warning bad", critical: "stop bad",
  started: "ring", analyzing: "half accent", awaiting_confirmation: "pause warn", executing: "half accent",
  cancelling: "half warn", failed: "stop bad", expired: "cross quiet",
  low: "down quiet", medium: "dash", high: "up warn", urgent: "up bad",
};

/** A state as a word with a shape. @param {string} value @param {string} [label] @param {string} [look] "shape tone" */
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
export function named(values) {
  return values.map((value) => [value, words(value)]);
}

/** @param {...Child} children */
export function quiet(...children) {
  return node("span", { class: "quiet" }, ...children);
}

/** Names and values in two columns. @param {Record<string, Child>} values */
export function facts(values) {
  const row = (/** @type {[string, Child]} */ [name, value]) => [node("dt", {}, name), node("dd", {}, value)];
  return node("dl", { class: "facts" }, ...Object.entries(values).flatMap(row));
}

/** @param {UserRef | null | undefined} user @param {string} [none] */
export function person(user, none = "Unassigned") {
  return user ? node("span", { title: `@${user.username}` }, user.fullName) : node("span", { class: "quiet" }, none);
}

const EXACT = new Intl.DateTimeFormat(LOCALE, { dateStyle: "full", timeStyle: "long" });
const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });
const YEAR = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" });
const MINUTE_MS = 60_000;

/** Days from today on, by the reader's calendar. @param {Date} date */
function daysAhead(date) {
  const midnight = (/** @type {Date} */ one) => Date.UTC(one.getFullYear(), one.getMonth(), one.getDate());
  return (midnight(date) - midnight(new Date())) / 86_400_000;
}

/** The date in the reader's zone, such as "12 Nov". @param {Date} date */
export function day(date) {
  return (date.getFullYear() === new Date().getFullYear() ? DAY : YEAR).format(date);
}

/** An instant in short. @param {string} instant */
function short(instant) {
  const date = new Date(instant);
  const minutes = Math.round((date.getTime() - Date.now()) / MINUTE_MS);
  if (minutes === 0) return "just now";
  if (Math.abs(minutes) < 60) return minutes < 0 ? `${-minutes} min ago` : `in ${minutes} min`;
  const days = daysAhead(date);
  const near = { "-1": "yesterday ", 0: "", 1: "tomorrow " }[days];
  return near === undefined ? day(date) : near + CLOCK.format(date);
}

/** An instant, short in the reader's zone, exact as its title. @param {string} instant */
export function time(instant) {
  return node("time", { datetime: instant, title: EXACT.format(new Date(instant)) }, short(instant));
}
setInterval(() => {
  for (const one of document.querySelectorAll("time:not(.due, .clock)")) {
    const text = short(/** @type {HTMLTimeElement} */ (one).dateTime);
    if (one.textContent !== text) one.textContent = text;
  }
}, MINUTE_MS);

const SECOND = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** An instant of a time line: the time of day to the second, with the date if it was another day. @param {string} instant */
export function clock(instant) {
  const date = new Date(instant);
  const text = `${daysAhead(date) === 0 ? "" : `${day(date)} `}${SECOND.format(date)}`;
  return node("time", { class: "clock", datetime: instant, title: EXACT.format(date) }, text);
}

/**
 * A due date. `open`: work is left, so that a past date is overdue.
 * @param {string} instant @param {boolean} open @param {string} [word] what stands before the day
 */
export function due(instant, open, word = "Due") {
  const date = new Date(instant);
  const days = daysAhead(date);
  const near = { "-1": "yesterday", 0: "today", 1: "tomorrow" }[days] ?? day(date);
  const over = open && date.getTime() < Date.now();
  const soon = open && !over && days <= 1;
  const text = over ? `Overdue ${near}` : word ? `${word} ${near}` : words(near);
  const tone = over ? "bad" : soon ? "warn" : "quiet";
  return node("time", { class: `due ${tone}`, datetime: instant, title: EXACT.format(date) }, text);
}

/** @param {number} value @param {number} [digits] */
export function number(value, digits = 0) {
  return new Intl.NumberFormat(LOCALE, { maximumFractionDigits: digits }).format(value);
}

/** Decimals of the currencies that have not two, by ISO 4217. `Intl` leaves out those of some others. */
const DECIMALS = /** @type {Map<string, number>} */ (new Map([
  ..."BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(" ").map((none) => /** @type {const} */ ([none, 0])),
  ..."BHD IQD JOD KWD LYD OMR TND".split(" ").map((three) => /** @type {const} */ ([three, 3])),
  ["CLF", 4], ["UYW", 4],
]));

/** An amount of money as text, such as "€1,250.00". @param {Money} amount */
export function money({ minorUnits, currency }) {
  if (!/^[A-Z]{3}$/.test(currency)) return `${number(minorUnits)} ${currency}`;
  const digits = DECIMALS.get(currency) ?? 2;
  const exact = { style: /** @type {const} */ ("currency"), currency, minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(LOCALE, exact).format(minorUnits / 10 ** digits);
}

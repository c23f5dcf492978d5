/** The fields and texts of a record, edited in their places and saved with the version that was
 * read. */
/** @import { Change, UserRef } from "workdesk" @import { Child, Choice } from "../kit.js" */
import {
  button, choice, draftOf, draw, form, input, keyed, myId, node, person, Problem, quiet, settle,
} from "../kit.js";
import { writer } from "./writer.js";

/** A record that is shown. `read`: the newest known, nothing after it was deleted; `keep` takes
 * what the API returned; `reason`: why the user may not change it.
 * @typedef {{ read: () => any, keep: (current: any) => unknown, reason: string,
 *   patch: (change: any, match: any) => Promise<{ data: any }> }} Edited */
/** A field: `shown` returns nothing where there is no value; `editor`: its control. It has
 * `choices`, is of a `type` of text, or is a day. `reason`: why the user may not change it, if not
 * that of the record.
 * @typedef {{ label: string, name: string, shown: (record: any) => Child, type?: string,
 *   reason?: string, key?: string, choices?: (record: any) => Choice[] | Promise<Choice[]>,
 *   editor?: (record: any, close: () => void) => Promise<HTMLElement> }} Field */

/** Saves a change. Sends it again for the record as it is now, if only other fields were changed
 * meanwhile.
 * @param {Edited} record @param {Record<string, any>} change @param {any} known
 * @returns {Promise<void>} */
export async function save(record, change, known) {
  try {
    record.keep((await record.patch(change, known)).data);
  } catch (problem) {
    if (!(problem instanceof Problem && problem.current)) throw problem;
    const now = (problem.current = problem.current.ticket ?? problem.current);
    record.keep(now);
    const same = (/** @type {any} */ other) => Object.keys(change).every((name) =>
      now[name] === other[name]);
    if (same(change) || same(known)) return save(record, change, now);
    throw problem;
  }
}

/** @param {string} label @param {Child} value */
export const row = (label, value) => node("div.fact", quiet(label), value);

/** What is shown, and in its place what edits it. @param {HTMLElement} place @param {Edited} record
 * @param {string} name of the field @param {(known: any) => Child} told
 * @param {(known: any, open: () => Promise<void>) => Child[]} value
 * @param {(known: any, close: () => void) => HTMLElement | Promise<HTMLElement>} editor */
function inPlace(place, record, name, told, value, editor) {
  let editing = false;
  /** Who changed it while it was edited. @type {UserRef | null} */
  let other = null;
  const news = node("div", { role: "status" });
  const show = () => {
    const known = record.read();
    if (!editing && known) draw(place, ...value(known, open));
    if (editing && known && other) tellOf(other, known);
  };
  /** Says that another one changed it, and shows it if that is wanted. @param {UserRef} who
   * @param {any} known */
  const tellOf = (who, known) => {
    const theirs = () => draw(news, node("div.versions", node("section", node("b", "Theirs"),
      node("div.text", told(known) || quiet("None")), button("Take theirs", close))));
    draw(news, node("p.unsaved", person(who), " changed this just now. ",
      button("Show", theirs, { kind: "plain" })));
    if (!place.contains(news)) place.prepend(news);
  };
  /** Hears of a change in the feed, before the record is read again. @param {Change} change */
  const changed = ({ actor, fields }) => {
    if (editing && actor && actor.id !== myId() && fields.includes(name)) other = actor;
  };
  const close = () => {
    editing = false;
    other = null;
    draw(news);
    place.classList.remove("whole");
    place.replaceChildren();
    show();
    place.querySelector("button")?.focus();
  };
  const open = async () => {
    const made = await editor(record.read(), close);
    editing = true;
    draw(place, made);
    /** @type {HTMLElement | null} */ (made.querySelector("select, input, textarea"))?.focus();
  };
  return { element: place, show, open, changed };
}

/** A field: its value, and in its place a control that saves what is chosen.
 * @param {Edited} record @param {Field} field */
export function fact(record, field) {
  const { label, name, shown, type = "date", choices, editor, key } = field;
  const reason = field.reason ?? record.reason;
  const place = node("div");
  const told = (/** @type {any} */ known) => node("span", shown(known) || quiet("None"));
  const value = (/** @type {any} */ known, /** @type {() => unknown} */ open) => (reason
    ? node("span", { title: reason }, told(known))
    : button([node("span.only-read", `${label}: `), told(known)], open,
      { kind: "plain", ...(key && { key }) }));
  const { show, changed } = inPlace(place, record, name, told, (known, open) =>
    [value(known, open)],
    async (known, close) => {
      const send = (/** @type {string | null} */ value) => {
        const change = { [name]: value && name.endsWith("Id") ? Number(value) : value || null };
        const chosen = place.querySelector("select")?.selectedOptions[0]?.label;
        return settle({ place, what: label, known, take: close,
          save: (match) => save(record, change, match).then(close),
          mine: () => chosen ?? told({ ...known, ...change }).textContent ?? "",
          theirs: (current) => told(current).textContent ?? "" });
      };
      const now = String(known[name] ?? "");
      const present = () => told(known).textContent ?? now;
      const control = editor ? await editor(known, close)
        : choices ? choice(label, withNow(await choices(known), now, present), now, send)
        : valueForm(label, name, type, now, send, close);
      control.addEventListener("keydown", ({ key }) => key === "Escape" && close());
      // The list is opened, since an arrow chooses at once in a closed one. Browsers want a gesture
      // for it.
      control.addEventListener("focusin", ({ target }) => {
        if (target instanceof HTMLSelectElement && navigator.userActivation.isActive) {
          target.showPicker();
        }
      }, { once: true });
      return control;
    });
  return { element: row(label, place), show, changed };
}

/** Choices, with the present value even if it is none of them any more. @param {Choice[]} choices
 * @param {string} now @param {() => string} label @returns {Choice[]} */
const withNow = (choices, now, label) =>
  (choices.some(([value]) => value === now) ? choices : [...choices, [now, label()]]);

/** A form for a text, or for a day. Work is due at its end, at the user's place.
 * @param {string} label @param {string} name @param {string} type @param {string} now
 * @param {(value: string | null) => unknown} send @param {() => void} cancel */
function valueForm(label, name, type, now, send, cancel) {
  const isDay = type === "date" && now;
  // The day of the reader's calendar as "2026-11-26".
  const day = (date = new Date(now)) => new Date(+date - 60_000 * date.getTimezoneOffset())
    .toISOString();
  return form({
    fields: input(label, name, { type, value: isDay ? day().slice(0, 10) : now,
      max: type === "date" && "9998-12-31" }),
    submit: "Save", cancel,
    act: ({ [name]: value }) => send(type === "date" && value ? instantOf(value, name) : value),
  });
}

/** The end of a day such as "2026-11-26" as an instant, or its beginning where something starts.
 * @param {string} text @param {string} name of the field */
function instantOf(text, name) {
  const end = new Date(`${text}T${name === "startDate" ? "00:00:00" : "23:59:59.999"}`);
  // A browser's field takes years of more digits than an instant of the API has.
  if (!Number.isNaN(+end) && end.getFullYear() <= 9998) return end.toISOString();
  const detail = "There is no such day. Send a year of four digits, such as 2026.";
  throw new Problem(400, { detail, errors: [{ pointer: `/${name}`, code: "range", detail }] });
}

/** A text. `line`: of one line; `shown` shows it, unless it is the heading; `none` stands for no
 * text.
 * @param {Edited} record
 * @param {{ label: string, name: string, line?: boolean, optional?: boolean, none?: string,
 *   draft?: string,
 *   shown?: (text: string) => HTMLElement }} options */
export function text(record, { label, name, line = false, optional = !line, shown, none = "",
    draft = name }) {
  const element = node("div.described");
  const value = (/** @type {any} */ known, /** @type {() => unknown} */ open) => {
    const act = `${known[name] ? "Edit" : "Add a"} ${label.toLowerCase()}`;
    return [keyed("value", known[name] ? shown?.(known[name]) : none ? quiet(none) : null),
      keyed("change", !record.reason && button(act, open,
        { kind: "plain", ...(line && { key: "e" }) }))];
  };
  const made = inPlace(element, record, name, (known) => known[name], value, (known, cancel) => {
    element.classList.add("whole");
    return writer({ label, submit: "Save", draft, value: known[name] ?? "", match: known, line,
      optional, cancel, textOf: (current) => current[name] ?? "",
      save: (written, match) => save(record, { [name]: written || null }, match) });
  });
  if (draftOf(draft) !== null && !record.reason) void made.open();
  return made;
}

/**
 * What sections of settings are made of.
 *
 * - paged(read, line, none): a list that is read page by page; `prepend` shows what was created
 * - confirm(title, text, label, act): asks before what cannot be undone; gone(row) removes a row
 * - secret(what, text): a secret that is shown this once
 * - checks(legend, options, chosen): checkboxes; `values()` has the chosen ones
 * - send(…): sends a change, and shows both versions after a 412
 */

/** @import { Choice } from "../../elements.js" */
/** @import { Answer } from "../../api/client.js" */
import { more, Problem } from "../../api/client.js";
import { button, conflict, dialog, empty, form, newId, node } from "../../elements.js";
import { say } from "../../frame/frame.js";

/**
 * @template R
 * @param {Promise<Answer<R[]>>} first @param {(row: R) => HTMLElement} line @param {string} none
 */
export async function paged(first, line, none) {
  const items = node("ul", { class: "list" });
  const end = node("div");
  /** @param {Answer<R[]>} page */
  const add = ({ data, next }) => {
    items.append(...data.map(line));
    const further = next ? [button("More", async () => add(await more(next)))] : [];
    end.replaceChildren(...(items.childElementCount ? [] : [empty(none)]), ...further);
  };
  add(await first);
  const prepend = (/** @type {R} */ row) => {
    items.prepend(line(row));
    end.querySelector(".empty")?.remove();
  };
  return { element: node("div", {}, items, end), prepend };
}

/** @param {string} title @param {string} text @param {string} label @param {() => unknown} act */
export function confirm(title, text, label, act) {
  const over = dialog(title, [
    node("p", {}, text),
    form({ fields: [], submit: label, cancel: () => over.close(), act: async () => {
      await act();
      over.close();
    } }),
  ]);
}

/** Removes a row; its neighbour gets the focus. @param {HTMLElement} row */
export function gone(row) {
  const near = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  setTimeout(() => /** @type {HTMLElement | null} */ (near?.querySelector("a, button") ?? document.querySelector("h1"))?.focus());
}

/** @param {string} what @param {string | null} text null: it was lost with the answer */
export function secret(what, text) {
  const heading = newId();
  const shown = node("input", { readonly: true, value: text, "aria-labelledby": heading, spellcheck: "false" });
  const copy = async () => {
    shown.select();
    await navigator.clipboard?.writeText(shown.value).catch(() => document.execCommand("copy"));
    say("Copied.");
    copied.textContent = "Copied.";
  };
  const copied = node("span", { class: "quiet" });
  /** @type {HTMLElement} */
  const made = node("section", { class: "secret" }, node("h2", { id: heading }, what),
    node("p", {}, text ? "It is shown this once. Copy it now."
      : "It was created, but its text was lost with the connection. Delete it, and create another."),
    text && shown, node("div", { class: "end" }, text && button("Copy", copy), copied,
      button("Close", () => made.remove(), { kind: "plain", name: `Close: ${what}` })));
  setTimeout(() => shown.select());
  return made;
}

/** @param {string} legend @param {Choice[]} options @param {string[]} chosen */
export function checks(legend, options, chosen) {
  const boxes = options.map(([value]) => node("input", { type: "checkbox", value, checked: chosen.includes(value) }));
  const element = node("fieldset", { class: "choices" }, node("legend", {}, legend),
    ...options.map(([, label], at) => node("label", {}, boxes[at], node("span", {}, label))));
  return { element, values: () => boxes.filter(({ checked }) => checked).map(({ value }) => value) };
}

/**
 * Sends a form's change of the record as it was read, and shows the saved one. After a 412, both versions stand in the form.
 * @template {{ version: number }} R
 * @param {object} options
 * @param {HTMLFormElement} options.place @param {string} options.what @param {R} options.known
 * @param {(known: R) => Promise<R>} options.save
 * @param {string} options.mine @param {(current: R) => string} options.theirs
 * @param {(current: R) => void} options.take shows the record
 * @returns {Promise<void>}
 */
export async function send({ known, ...options }) {
  const { place, what, save, mine, theirs } = options;
  const take = (/** @type {R} */ current) => {
    place.reset();
    options.take(current);
  };
  place.querySelector(".conflict")?.remove();
  try {
    take(await save(known));
  } catch (problem) {
    if (!(problem instanceof Problem && problem.current)) throw problem;
    const { current } = problem;
    place.append(conflict(what, mine, theirs(current), () => send({ ...options, known: current }), () => take(current)));
  }
}

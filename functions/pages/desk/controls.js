/** The controls of forms: each with its label, its hint and its fault. */
/** @import { Fault } from "workdesk"
 * @import { Attributes, Choice, Control } from "./elements.js" */
/** @import { Text } from "./render.js" */
import { capital, newId, node, run } from "./elements.js";

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
    : node(attributes["rows"] ? "textarea" : "input", { name, value, dir: "auto", ...attributes }),
    hint);
}

/** @param {string} name @param {Choice[]} options @param {string} [value]
 * @param {Attributes} [attributes] */
export const select = (name, options, value = "", attributes = {}) =>
  node("select", { name, ...attributes, value: null },
    options.map(([one, label]) => node("option", { value: one, selected: one === value }, label)));

/** A labelled select that saves a choice at once. If that fails, the choice stays, with "Try
 * again".
 * @param {string} label @param {Choice[]} options @param {string} value
 * @param {(value: string) => unknown} save */
export function choice(label, options, value, save) {
  const onchange = (/** @type {any} */ { currentTarget }) =>
    run(currentTarget, currentTarget.closest(".field"), () => save(currentTarget.value));
  return field(label, select(label, options, value, { onchange }));
}

/** The name in the API of a control, or of a group of boxes. @param {HTMLElement} one */
export const nameOf = (one) => one.getAttribute("name") ?? one.dataset["name"] ?? "";

/** @param {Element | null} place a field, or a control in one
 * @param {string} text "" if it has none */
export function setFault(place, text) {
  const [around, control] = [place?.closest(".field, fieldset"), place?.querySelector("[name]")
    ?? place];
  around?.querySelector(".fault")?.replaceChildren(text);
  if (!control?.matches("fieldset")) control?.setAttribute("aria-invalid", String(text !== ""));
}

/** Shows what the API finds wrong with a control, or with a group of boxes.
 * @param {HTMLElement} control @param {Fault | undefined} fault */
export const showFault = (control, fault) => setFault(control, fault ? sayingOf(control, fault)
  : "");

/** What stands at a control. Its label stands for the name that the API begins the sentence with.
 * @param {HTMLElement} control @param {Fault} fault */
function sayingOf(control, { code, pointer, detail }) {
  if (["required", "null", "blank"].includes(code)) return MISSING;
  const isNone = control.matches("fieldset") && !control.querySelector(":checked");
  if (code === "length" && isNone) return "Choose at least one.";
  const name = `\`${pointer.split("/").at(-1)}\` `;
  return capital(detail.startsWith(name) ? detail.slice(name.length) : detail);
}

export const MISSING = "Fill this in.";

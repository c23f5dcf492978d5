/** Fields, forms, dialogs, and the two versions of a conflict. A form may keep what is typed as a draft. */
/** @import { Attributes, Choice, Control } from "./elements.js" @import { Child, Text } from "./render.js" */
import { Problem } from "./api/client.js";
import { allow, button, capital, isIdle, newId, node, run } from "./elements.js";
import { draftAt } from "./frame/drafts.js";
import { heirOf } from "./render.js";
import { time } from "./values.js";

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
    : node(attributes["rows"] ? "textarea" : "input", { name, value, dir: "auto", ...attributes }), hint);
}

/** @param {string} name @param {Choice[]} options @param {string} [value] @param {Attributes} [attributes] */
export const select = (name, options, value = "", attributes = {}) =>
  node("select", { name, ...attributes, value: null },
    options.map(([one, label]) => node("option", { value: one, selected: one === value }, label)));

/** @param {Element | null} place a field, or a control in one @param {string} text "" if it has none */
export function setFault(place, text) {
  const [around, control] = [place?.closest(".field, fieldset"), place?.querySelector("[name]") ?? place];
  // The field's name of the API stands for the label, which is beside it.
  const said = capital(text.replace(/^`[\w./]+` /, ""));
  const isNone = around?.matches("fieldset") && /^Must have 1 to \d+ elements/.test(said);
  around?.querySelector(".fault")?.replaceChildren(isNone ? "Choose at least one." : said);
  if (!control?.matches("fieldset")) control?.setAttribute("aria-invalid", String(text !== ""));
}

/** The name in the API of a control, or of a group of boxes. @param {HTMLElement} one */
const nameOf = (one) => one.getAttribute("name") ?? one.dataset["name"] ?? "";

/** @typedef {object} Form
 * @property {Child} [fields] made by `input` or `field`
 * @property {string} submit label of the button
 * @property {(values: any, form: HTMLFormElement) => unknown} act sends it; an empty value is null
 * @property {() => void} [cancel] also called when a restored draft is discarded
 * @property {string} [draft] name under which typed text is kept, until `act` is done or it is dropped
 * @property {number | null} [version] of the record that the form changes
 * @property {string} [reason] why the user may not send it
 * @property {boolean} [isGrave] what it does destroys something, and looks so */
export function form(/** @type {Form} */ { fields, submit, act, cancel, draft, version, reason = "", isGrave }) {
  const controls = () => /** @type {Control[]} */ ([...made.querySelectorAll("[name]")]);
  /** Shows the faults at the fields. Returns true if no other is left. @param {unknown} problem */
  const told = (problem) => {
    if (!(problem instanceof Problem)) return false;
    const places = /** @type {HTMLElement[]} */ ([...made.querySelectorAll("[name], fieldset[data-name]")]);
    for (const one of places) setFault(one, problem.faultOf(nameOf(one)));
    const faulty = places.filter((one) => problem.faultOf(nameOf(one)));
    const [first] = faulty;
    (first?.matches("fieldset") ? first.querySelector("input") : first)?.focus();
    return faulty.length > 0
      && problem.faults.every(({ pointer }) => faulty.some((one) => pointer.split("/")[1] === nameOf(one)));
  };
  let sent = ""; // What is under way.
  let isFollowed = false; // Another text was submitted meanwhile.
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!isIdle(send)) {
      isFollowed = typedIn(made) !== sent;
      return;
    }
    const missing = controls().find((one) => one.required && !one.value.trim());
    for (const one of controls()) setFault(one, one === missing ? "Fill this in." : "");
    if (missing) return missing.focus();
    const values = Object.fromEntries(controls().map(({ name, type, value }) =>
      [name, (type === "password" ? value : value.trim()) || null]));
    sent = typedIn(made);
    isFollowed = false;
    const done = await run(send, made, () => act(values, made), told, () => made.requestSubmit());
    if (done) drop();
    if (done && isFollowed && made.isConnected) made.requestSubmit();
  };
  const onclick = () => {
    drop();
    cancel?.();
  };
  const send = node(isGrave ? "button.main.danger" : "button.main", submit);
  /** @type {HTMLFormElement} */
  const made = node("form", { novalidate: true, onsubmit }, fields,
    node("div.end", send, cancel && node("button", { type: "button", onclick }, "Cancel")));
  const drop = draft ? keepDraft(made, draft, version ?? null, cancel) : () => {};
  made.addEventListener("reset", drop);
  allow(send, reason);
  return made;
}

/** What the controls of a form hold, to be compared. @param {HTMLFormElement} form */
export const typedIn = (form) => JSON.stringify([...form.querySelectorAll("[name]")]
  .map((one) => /** @type {Control} */ (one).value));

/** Keeps what is typed into a form as a draft, but for passwords. A restored draft is marked, with "Discard".
 * Returns what drops the draft. @param {HTMLFormElement} form @param {string} name
 * @param {number | null} version of the record @param {() => void} [discarded] */
function keepDraft(form, name, version, discarded) {
  const draft = draftAt(name);
  const controls = /** @type {Control[]} */ ([...form.querySelectorAll("[name]")])
    .filter(({ type }) => type !== "password");
  const first = new Map(controls.map((one) => [one, one.value]));
  const kept = draft.read();
  const drop = () => {
    draft.drop();
    form.querySelector(".unsaved")?.remove();
  };
  const discard = () => {
    for (const [one, value] of first) one.value = value;
    drop();
    for (const one of controls) one.dispatchEvent(new Event("change"));
    if (discarded) discarded();
    else controls[0]?.focus();
  };
  for (const one of controls) one.value = kept?.values[one.name] ?? one.value;
  if (controls.some((one) => one.value !== first.get(one))) {
    form.append(node("p.unsaved", node("strong", "Not saved."), " Typed ", time(kept?.at ?? ""), ". ",
      button("Discard", discard, { kind: "plain" })));
  }
  form.addEventListener("input", () => {
    const changed = controls.filter((one) => one.value !== first.get(one));
    if (changed.length === 0) return drop();
    const values = Object.fromEntries(changed.map((one) => [one.name, one.value]));
    draft.keep(values, draft.read()?.version ?? version);
  });
  return drop;
}

/** A labelled select that saves a choice at once. If that fails, the choice stays, with "Try again".
 * @param {string} label @param {Choice[]} options @param {string} value
 * @param {(value: string) => unknown} save */
export function choice(label, options, value, save) {
  const onchange = (/** @type {any} */ { currentTarget }) =>
    run(currentTarget, currentTarget.closest(".field"), () => save(currentTarget.value));
  return field(label, select(label, options, value, { onchange }));
}

/** A dialog over the page. Escape closes it, unless it stays; the focus returns to where it was.
 * @param {Child} title @param {Child} content @param {{ stays?: boolean }} [options] */
export function dialog(title, content, { stays = false } = {}) {
  const heading = newId();
  const stay = (/** @type {Event & { key?: string }} */ event) =>
    stays && (event.type === "cancel" || event.key === "Escape") && event.preventDefault();
  const { activeElement: opener, body } = document;
  // A row that the dialog removed takes its button along.
  const heir = opener instanceof HTMLElement && opener !== body ? heirOf(body, opener) : null;
  const onclose = () => {
    made.remove();
    if (document.activeElement === body && !opener?.isConnected) heir?.();
  };
  /** @type {HTMLDialogElement} */
  const made = node("dialog",
    { "aria-labelledby": heading, onclose, oncancel: stay, onkeydown: stay },
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

/** A button that asks first, since what it does is grave. @param {string} label @param {string} title
 * @param {string} text @param {() => unknown} act @param {Parameters<typeof button>[2]} [options] */
export const asking = (label, title, text, act, options) =>
  button(label, () => ask(title, { text, submit: label, isGrave: true, act }), { kind: "danger", ...options });

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

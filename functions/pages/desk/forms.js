/** Forms, which may keep what is typed as a draft, the two versions of a conflict, and dialogs. */
/** @import { Control } from "./elements.js" @import { Child } from "./render.js" */
import { Problem } from "./api/client.js";
import { MISSING, nameOf, setFault, showFault } from "./controls.js";
import { allow, button, isIdle, newId, node, run } from "./elements.js";
import { heirOf } from "./focus.js";
import { draftAt } from "./frame/drafts.js";
import { time } from "./values.js";

/** @typedef {object} Form
 * @property {Child} [fields] made by `input` or `field`
 * @property {string} submit label of the button
 * @property {(values: any, form: HTMLFormElement) => unknown} act sends it; an empty value is null
 * @property {() => void} [cancel] also called when a restored draft is discarded
 * @property {string} [draft] name under which typed text is kept, until `act` is done or it is
 * dropped
 * @property {number | null} [version] of the record that the form changes
 * @property {string} [reason] why the user may not send it
 * @property {boolean} [isGrave] what it does destroys something, and looks so */
export function form(/** @type {Form} */ wanted) {
  const { fields, submit, cancel, draft, version = null, reason = "", isGrave } = wanted;
  const send = node(isGrave ? "button.main.danger" : "button.main", submit);
  const onclick = () => {
    drop();
    cancel?.();
  };
  const onsubmit = sending(send, wanted.act, () => drop());
  /** @type {HTMLFormElement} */
  const made = node("form", { novalidate: true, onsubmit }, fields,
    node("div.end", send, cancel && node("button", { type: "button", onclick }, "Cancel")));
  const drop = draft ? keepDraft(made, draft, version, cancel) : () => {};
  made.addEventListener("reset", drop);
  allow(send, reason);
  return made;
}

/** What submits a form. A text that is typed and submitted while another one is under way follows
 * it. @param {HTMLElement} send @param {Form["act"]} act @param {() => void} done */
function sending(send, act, done) {
  let sent = ""; // What is under way.
  let isFollowed = false; // Another text was submitted meanwhile.
  return async (/** @type {Event} */ event) => {
    event.preventDefault();
    const made = /** @type {HTMLFormElement} */ (event.currentTarget);
    if (!isIdle(send)) {
      isFollowed = typedIn(made) !== sent;
      return;
    }
    if (lacks(made)) return;
    sent = typedIn(made);
    isFollowed = false;
    const values = valuesOf(made);
    const isDone = await run(send, made, () => act(values, made),
      (problem) => showFaults(made, problem), () => made.requestSubmit());
    if (isDone) done();
    if (isDone && isFollowed && made.isConnected) made.requestSubmit();
  };
}

/** The controls of a form. @param {HTMLFormElement} form */
const controlsOf = (form) => /** @type {Control[]} */ ([...form.querySelectorAll("[name]")]);

/** What is sent: an empty value is null. @param {HTMLFormElement} form */
const valuesOf = (form) => Object.fromEntries(controlsOf(form).map(({ name, type, value }) =>
  [name, (type === "password" ? value : value.trim()) || null]));

/** Does a form lack something? Says so at the first control. @param {HTMLFormElement} form */
function lacks(form) {
  const missing = controlsOf(form).find((one) => one.required && !one.value.trim());
  for (const one of controlsOf(form)) setFault(one, one === missing ? MISSING : "");
  missing?.focus();
  return missing !== undefined;
}

/** Shows the faults at the fields. Returns true if no other is left.
 * @param {HTMLFormElement} form @param {unknown} problem */
function showFaults(form, problem) {
  if (!(problem instanceof Problem)) return false;
  /** @type {NodeListOf<HTMLElement>} */
  const places = form.querySelectorAll("[name], fieldset[data-name]");
  for (const one of places) showFault(one, problem.faultOf(nameOf(one)));
  const faulty = [...places].filter((one) => problem.faultOf(nameOf(one)));
  const [first] = faulty;
  (first?.matches("fieldset") ? first.querySelector("input") : first)?.focus();
  return faulty.length > 0
    && problem.faults.every(({ pointer }) =>
      faulty.some((one) => pointer.split("/")[1] === nameOf(one)));
}

/** What the controls of a form hold, to be compared. @param {HTMLFormElement} form */
export const typedIn = (form) => JSON.stringify([...form.querySelectorAll("[name]")]
  .map((one) => /** @type {Control} */ (one).value));

/** Keeps what is typed into a form as a draft, but for passwords. A restored draft is marked, with
 * "Discard". Returns what drops the draft. @param {HTMLFormElement} form @param {string} name
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
    form.append(node("p.unsaved", node("strong", "Not saved."), " Typed ", time(kept?.at ?? ""),
      ". ",
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

/** Saves a change of a record as it was read. After a 412 both versions stand in `place`, and one
 * is kept; it resolves to false then: a form is not done.
 * @param {{ place: HTMLElement, what: string, known: any, save: (known: any) => unknown,
 *   mine: () => string,
 *   theirs: (current: any) => string, take: (current: any) => unknown }} saving
 *   @returns {Promise<boolean>}
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
    const version = (/** @type {string} */ name, /** @type {string} */ text,
      /** @type {Node} */ keep) =>
      node("section", node("b", name), node("p.text", text || "(empty)"), keep);
    place.append(node("div.conflict", { role: "alert" },
      node("p", `${what} was changed by someone else meanwhile. Nothing typed is lost.`),
      node("div.versions",
        version("Yours", mine(), button("Save yours", () => settle({ ...saving, known: current }))),
        version("Theirs", theirs(current), button("Take theirs", () => take(current))))));
    return false;
  }
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

/** A form in a dialog, closed after `act`. @param {string} title
 * @param {Form & { text?: Child }} options */
export function ask(title, { text, act, ...options }) {
  const send = async (/** @type {Parameters<Form["act"]>} */ ...values) => {
    const done = (await act(...values)) !== false;
    if (done) over.close();
    return done;
  };
  const over = dialog(title,
    [text && node("p", text), form({ ...options, cancel: () => over.close(), act: send })]);
}

/** A button that asks first, since what it does is grave. @param {string} label
 * @param {string} title
 * @param {string} text @param {() => unknown} act
 * @param {Parameters<typeof button>[2]} [options] */
export const asking = (label, title, text, act, options) =>
  button(label, () => ask(title, { text, submit: label, isGrave: true, act }),
    { kind: "danger", ...options });

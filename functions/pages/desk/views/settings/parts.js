/** What sections of settings are made of: lists with what creates a row, records with what changes
 * them. */
/** @import { Answer, Child, Context, Form, PathOf, ResultOf } from "../../kit.js" */
/** @import { Edited } from "../../record/record.js" */
import {
  ask, button, draw, each, ending, get, input, more, newId, node, patch, quiet, say, section,
  settle, takeAway, words,
} from "../../kit.js";

const keyOf = (/** @type {any} */ row) => row.id ?? row.name;

/** A list, page by page. `line` gets what removes the row, and what makes it anew. `create`: label
 * of what creates a row, which `act` of `form` sends. `secret`: its secret, shown once. `title`: if
 * below others.
 * @template {PathOf<"get">} P @template [R=NonNullable<ResultOf<P, "get">> extends (infer I)[] ? I
 * : never]
 * @param {Context} context @param {{ path: P, on?: any, none: string, title?: string,
 *   line: (row: R, gone: () => void, again: (row: R) => void) => HTMLElement, create?: string,
 *   reason?: string, form?: () => Pick<Form, "fields" | "act">,
 *   secret?: (row: any) => [what: string, text: string | null] }} list */
export async function listed({ header, body, signal }, list) {
  const { path, on, line, none, title, create, reason, form, secret } = list;
  const [items, end] = [node("ul.list"), node("div")];
  let [rows, following] = [/** @type {R[]} */ ([]), /** @type {string | null} */ (null)];
  const show = (/** @type {R[]} */ all) => {
    rows = all;
    draw(items, each(rows, keyOf, (row) => line(row, () => show(rows.filter((one) => one !== row)),
      (now) => show(rows.map((one) => (one === row ? now : one))))));
    draw(end, ending(rows.length === 0 && none, following, async (next) => add(await more(next))));
  };
  const add = (/** @type {Answer<any>} */ { data, next }) => {
    following = next;
    show([...rows, ...data]);
  };
  add(await get(path, { limit: 50, ...on }, { signal }));
  body.append(title ? section(title, items, end) : node("div", items, end));
  if (!create || !form) return;
  header.append(button(create, () => {
    const { fields, act } = form();
    ask(create, { fields, submit: create, act: async (...values) => {
      const { data } = /** @type {Answer<any>} */ (await act(...values));
      show([data, ...rows]);
      if (secret) body.prepend(shownOnce(...secret(data)));
    } });
  }, { kind: "main", reason }));
}

/** A text to copy, such as an address to register elsewhere. @param {string} label
 * @param {string} text */
export function copied(label, text) {
  const field = input(label, "", { readonly: true, value: text });
  const control = /** @type {HTMLInputElement} */ (field.querySelector("input"));
  control.removeAttribute("name");
  const done = node("span.quiet", { role: "status" });
  const copy = () => navigator.clipboard.writeText(text)
    .then(() => done.replaceChildren("Copied."));
  return node("div.stack", field, node("div.end", button("Copy", copy, { name: `Copy: ${label}` }),
    done));
}

/** A secret, shown this once. @param {string} what
 * @param {string | null} text null: lost with the answer */
export function shownOnce(what, text) {
  const heading = newId();
  const shown = node("input", { readonly: true, value: text, "aria-labelledby": heading });
  const copied = node("span.quiet", { role: "status" });
  const copy = () => navigator.clipboard.writeText(shown.value)
    .then(() => copied.replaceChildren("Copied."));
  /** @type {HTMLElement} */
  const made = node("section.secret", node("h2", { id: heading }, what),
    node("p", text ? "It is shown this once. Copy it now."
      : "It was created, but its text was lost with the connection. "
        + "Delete it, and create another."),
    text && shown, node("div.end", text && button("Copy", copy), copied,
      button("Close", () => takeAway(made), { kind: "plain", name: `Close: ${what}` })));
  setTimeout(() => shown.select());
  return made;
}

/** A field for the secret of another system. A kept one has a field only when the user wants to
 * replace it: a browser fills the password of this site into such a field, which would then be sent
 * to the other system.
 * @param {string} label @param {string} name @param {boolean} isKept */
export function secretField(label, name, isKept) {
  const control = input(label, name,
    { type: "password", autocomplete: "new-password", hint: "It is never shown again." });
  if (!isKept) return control;
  const replace = () => {
    kept.replaceWith(control);
    control.querySelector("input")?.focus();
  };
  const kept = node("div.field", quiet(label),
    node("div", button("Replace the secret", replace, { name: `Replace the secret: ${label}` })));
  return kept;
}

/** Boxes; `values()` has the chosen ones. A fault of the field `name` stands below them.
 * @template {string | number} V @param {string} legend @param {[value: V, label: string][]} options
 * @param {readonly V[]} [chosen] @param {string} [name] */
export function checks(legend, options, chosen = [], name = "") {
  const [type, fault] = ["checkbox", newId()];
  const boxes = options.map(([value]) => node("input", { type, checked: chosen.includes(value) }));
  const element = node("fieldset.choices", { "data-name": name, "aria-describedby": fault },
    node("legend", legend),
    options.map(([, label], at) => node("label", boxes[at], node("span", label))),
    node("span.fault", { id: fault }));
  return { element, values: () => options.flatMap(
    ([value], at) => (boxes[at]?.checked ? [value] : [])) };
}

/** Fields of a record as text. @param {any} row @param {string[]} names */
const plain = (row, names) => names.map((name) => {
  const label = words(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
  return `${label}: ${JSON.stringify(row[name])?.replace(/[[\]"]/g, "")}`;
}).join("\n");

/** Reads and shows a record with its actions, and again after each change. `make` gets it, what
 * keeps it, and what makes the form of a change: after a 412 both versions of `what` stand in it.
 * `values`: what is sent.
 * @param {Context} context @param {string} what @param {any} path @param {any} on
 * @param {(known: any, record: Edited & { again(): Promise<void> }, change: (submit: string,
 *   form: { fields: Child, values: (typed: any) => any }, told?: typeof plain) => Form,
 *   ) => { acts?: Child, parts: Child }} make @param {any} [write] */
export async function shown({ header, body, signal }, what, path, on, make, write = patch) {
  const [head, place, saved] = [node("span.push"), node("div"), node("p.quiet")];
  const read = async () => (await get(path, on, { signal })).data;
  const show = (/** @type {any} */ known) => {
    const record = { reason: "", read: () => known,
      keep: (/** @type {any} */ now) => show({ ...known, ...now }),
      patch: (/** @type {any} */ change, /** @type {any} */ match) =>
        write(path, on, change, { match }),
      again: async () => show(await read()) };
    const { acts, parts } = make(known, record, (submit, { fields, values }, told = plain) => ({
      fields, submit,
      act: (typed, form) => {
        const change = values(typed);
        const text = (/** @type {any} */ row) => told(row, Object.keys(change));
        const take = (/** @type {any} */ now) => {
          form.reset();
          form.closest("dialog")?.close();
          record.keep(now);
          // The form is another one now, with the same button.
          const again = [...place.querySelectorAll("button.main")].find(
            (one) => one.textContent === submit);
          again?.after(node("span.quiet", "Saved."));
          /** @type {HTMLElement | undefined} */ (again)?.focus();
          draw(saved, !again && "Saved.");
          say("Saved.");
        };
        return settle({ place: form, what, known, mine: () => text({ ...known, ...change }),
          theirs: text,
          take, save: async (match) => take((await record.patch(change, match)).data) });
      },
    }));
    draw(head, node("span.action", acts));
    draw(place, node("div.stack", parts));
  };
  header.append(head);
  body.append(place, saved);
  show(await read());
}

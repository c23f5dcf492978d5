/** What sections of settings are made of: lists with what creates a row, records with what changes them. */
/** @import { Child, Form } from "../../elements.js" */
/** @import { Answer, Options } from "../../api/client.js" */
/** @import { Context } from "../../frame/router.js" */
/** @import { Edited } from "../../record/fields.js" */
import { get, more, patch } from "../../api/client.js";
import { ask, button, empty, newId, node, section, settle, words } from "../../elements.js";

/** A list, page by page. `line` gets what removes the row, and what makes it anew. `create`: label of what
 * creates a row, which `act` of `form` returns. `secret`: its secret, shown once. `title`: if below others.
 * @template R @param {Context} context
 * @param {{ rows: (options: Options) => Promise<Answer<R[]>>, none: string,
 *   line: (row: R, gone: () => void, again: (row: R) => void) => HTMLElement,
 *   create?: string, reason?: string, form?: () => Omit<Form, "submit">, title?: string,
 *   secret?: (row: any) => [what: string, text: string | null] }} list */
export async function listed({ header, body, signal }, list) {
  const { rows, line, none, create, reason, form, secret, title } = list;
  const [items, end] = [node("ul.list"), node("div")];
  const made = (/** @type {R} */ row) => {
    /** @type {HTMLElement} */
    const element = line(row, () => element.remove(), (now) => element.replaceWith(made(now)));
    return element;
  };
  const add = (/** @type {Answer<R[]>} */ { data, next }) => {
    items.append(...data.map(made));
    end.replaceChildren(items.childElementCount ? "" : empty(none),
      next ? button("More", async () => add(await more(next))) : "");
  };
  add(await rows({ signal }));
  body.append(title ? section(title, items, end) : node("div", items, end));
  if (!create || !form) return;
  header.append(button(create, () => {
    const options = form();
    ask(create, { ...options, submit: create, draft: create, act: async (...values) => {
      const row = /** @type {R} */ (await options.act(...values));
      items.prepend(made(row));
      end.querySelector(".empty")?.remove();
      if (secret) body.prepend(shownOnce(...secret(row)));
    } });
  }, { kind: "main", reason }));
}

/** A button that asks first, since what it does cannot be undone.
 * @param {string} label @param {string} title @param {string} text @param {() => unknown} act
 * @param {Parameters<typeof button>[2]} [options] */
export const asking = (label, title, text, act, options) =>
  button(label, () => ask(title, { text, submit: label, act }), options);

/** A secret, shown this once. @param {string} what @param {string | null} text null: lost with the answer */
export function shownOnce(what, text) {
  const heading = newId();
  const shown = node("input", { readonly: true, value: text, "aria-labelledby": heading });
  const copied = node("span.quiet", { role: "status" });
  const copy = () => navigator.clipboard.writeText(shown.value).then(() => copied.replaceChildren("Copied."));
  /** @type {HTMLElement} */
  const made = node("section.secret", node("h2", { id: heading }, what),
    node("p", text ? "It is shown this once. Copy it now."
      : "It was created, but its text was lost with the connection. Delete it, and create another."),
    text && shown, node("div.end", text && button("Copy", copy), copied,
      button("Close", () => made.remove(), { kind: "plain", name: `Close: ${what}` })));
  setTimeout(() => shown.select());
  return made;
}

/** Boxes; `values()` has the chosen ones. @template {string} V
 * @param {string} legend @param {[value: V, label: string][]} options @param {readonly string[]} chosen */
export function checks(legend, options, chosen) {
  const type = "checkbox";
  const boxes = options.map(([value]) => node("input", { type, checked: chosen.includes(value) }));
  const element = node("fieldset.choices", node("legend", legend),
    options.map(([, label], at) => node("label", boxes[at], node("span", label))));
  return { element, values: () => options.flatMap(([value], at) => (boxes[at]?.checked ? [value] : [])) };
}

/** Reads and shows a record with its actions, and again after each change. `write` is what changes it.
 * @param {Context} context @param {any} path @param {any} on
 * @param {(known: any, record: Edited & { again(): Promise<void> }) => { acts?: Child, parts: Child }} draw
 * @param {any} [write] */
export async function shown({ header, body, signal }, path, on, draw, write = patch) {
  const [head, place] = [node("span.push"), node("div")];
  let known = /** @type {any} */ ((await get(path, on, { signal })).data);
  const record = {
    reason: "", read: () => known,
    patch: (/** @type {any} */ change, /** @type {any} */ match) => write(path, on, change, { match }),
    again: async () => record.keep((await get(path, on, { signal })).data),
    keep: (/** @type {any} */ now) => {
      const { acts, parts } = draw(known = { ...known, ...now }, record);
      head.replaceChildren(node("span.action", acts));
      place.replaceChildren(node("div.stack", parts));
    },
  };
  header.append(head);
  body.append(place);
  record.keep(known);
}

/** Fields of a record as text. @param {any} row @param {string[]} names */
const plain = (row, names) => names.map((name) => {
  const label = words(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
  return `${label}: ${JSON.stringify(row[name])?.replace(/[[\]"]/g, "")}`;
}).join("\n");

/** The form of a change. After a 412 both versions of `what` stand in it. `values`: what is sent.
 * @param {string} what @param {any} known @param {Edited} record @param {string} submit
 * @param {{ fields: Child, values: (typed: any) => any }} form @param {typeof plain} [told] */
export const changing = (what, known, { patch, keep }, submit, { fields, values }, told = plain) => ({
  fields, submit, draft: submit,
  /** @param {Record<string, string>} typed @param {HTMLFormElement} place */
  act: (typed, place) => {
    const change = values(typed);
    const text = (/** @type {any} */ row) => told(row, Object.keys(change));
    const take = (/** @type {any} */ current) => {
      place.reset();
      place.closest("dialog")?.close();
      keep(current);
    };
    const save = async (/** @type {any} */ match) => take((await patch(change, match)).data);
    const mine = () => text({ ...known, ...change });
    return settle({ place, what, known, save, mine, theirs: text, take });
  },
});

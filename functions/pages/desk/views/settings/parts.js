/** What sections of settings are made of: lists with what creates a row, records with what changes them. */

/** @import { Child, Form } from "../../elements.js" */
/** @import { Answer, Options } from "../../api/client.js" */
/** @import { Context } from "../../frame/router.js" */
/** @import { Edited } from "../../record/fields.js" */
import { more } from "../../api/client.js";
import { ask, button, empty, newId, node, section, settle, words } from "../../elements.js";

/**
 * @template R
 * @typedef {object} List
 * @property {(options: Options) => Promise<Answer<R[]>>} rows
 * @property {(row: R) => HTMLElement} line @property {string} none
 * @property {string} [create] label of what creates a row @property {string} [reason] why the user may not
 * @property {() => Omit<Form, "submit">} [form] its `act` returns the row
 * @property {(row: any) => [what: string, text: string | null]} [secret] of the row
 * @property {string} [title] of a list below others
 */
/** A list, page by page. @template R @param {Context} context @param {List<R>} list */
export async function listed({ header, body, signal }, { rows, line, none, create, reason, form, secret, title }) {
  const items = node("ul.list");
  const end = node("div");
  const add = (/** @type {Answer<R[]>} */ { data, next }) => {
    items.append(...data.map(line));
    end.replaceChildren(items.childElementCount ? "" : empty(none),
      next ? button("More", async () => add(await more(next))) : "");
  };
  add(await rows({ signal }));
  body.append(title ? section(title, items, end) : node("div", items, end));
  if (!create || !form) return;
  header.append(button(create, () => {
    const options = form();
    ask(create, { ...options, submit: create, act: async (values, made) => {
      const row = /** @type {R} */ (await options.act(values, made));
      items.prepend(line(row));
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

/** Removes the row of a button; its neighbour gets the focus. @param {Element | null} row */
export function gone(row) {
  const near = row?.nextElementSibling ?? row?.previousElementSibling;
  row?.remove();
  const next = /** @type {HTMLElement | null} */ (near?.querySelector("a, button") ?? document.querySelector("h1"));
  setTimeout(() => next?.focus());
}

/** A secret that is shown this once. @param {string} what @param {string | null} text null: lost with the answer */
export function shownOnce(what, text) {
  const heading = newId();
  const shown = node("input", { readonly: true, value: text, "aria-labelledby": heading, spellcheck: "false" });
  const copied = node("span.quiet", { role: "status" });
  const copy = async () => {
    await navigator.clipboard.writeText(shown.value);
    copied.textContent = "Copied.";
  };
  /** @type {HTMLElement} */
  const made = node("section.secret", node("h2", { id: heading }, what),
    node("p", text ? "It is shown this once. Copy it now."
      : "It was created, but its text was lost with the connection. Delete it, and create another."),
    text && shown,
    node("div.end", text && button("Copy", copy), copied,
      button("Close", () => made.remove(), { kind: "plain", name: `Close: ${what}` })));
  setTimeout(() => shown.select());
  return made;
}

/** Boxes; `values()` has the chosen ones. @template {string} V
 * @param {string} legend @param {[value: V, label: string][]} options @param {readonly string[]} chosen */
export function checks(legend, options, chosen) {
  const boxes = options.map(([value]) => node("input", { type: "checkbox", value, checked: chosen.includes(value) }));
  const element = node("fieldset.choices", node("legend", legend),
    options.map(([, label], at) => node("label", boxes[at], node("span", label))));
  return { element, values: () => options.flatMap(([value], at) => (boxes[at]?.checked ? [value] : [])) };
}

/** Shows a record with its actions, and anew after each change.
 * @template R @param {Context} context @param {R} first @param {Edited["patch"]} patch
 * @param {(known: R, record: Edited) => { acts?: Child, parts: Child }} draw */
export function shown({ header, body }, first, patch, draw) {
  const [head, place] = [node("span.push"), node("div")];
  const record = {
    read: () => first, patch, reason: "",
    keep: (/** @type {R} */ known) => {
      first = known;
      const { acts, parts } = draw(known, record);
      head.replaceChildren(node("span.action", acts));
      place.replaceChildren(node("div.stack", parts));
    },
  };
  header.append(head);
  body.append(place);
  record.keep(first);
}

/** Fields of a record as text. @param {any} row @param {string[]} names */
const plain = (row, names) => names.map((name) => {
  const label = words(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
  return `${label}: ${JSON.stringify(row[name])?.replace(/[[\]"]/g, "")}`;
}).join("\n");

/**
 * The form of a change. After a 412 both versions stand in it.
 * @template C
 * @param {object} options
 * @param {string} options.what @param {any} options.known @param {Child} options.fields
 * @param {string} options.submit @param {(values: any) => C} options.values what is sent
 * @param {(change: C, match: any) => Promise<{ data: any }>} options.save
 * @param {(current: any) => void} options.keep @param {(row: any, names: string[]) => string} [options.told]
 */
export function changing({ what, known, values, save, keep, told = plain, submit, ...form }) {
  /** @param {Record<string, string>} typed @param {HTMLFormElement} place */
  const act = (typed, place) => {
    const change = /** @type {any} */ (values(typed));
    const text = (/** @type {any} */ row) => told(row, Object.keys(change));
    const take = (/** @type {any} */ current) => {
      place.reset();
      place.closest("dialog")?.close();
      keep(current);
    };
    return settle({
      place, what, known, mine: () => text({ ...known, ...change }), theirs: text, take,
      save: async (match) => take((await save(change, match)).data),
    });
  };
  return { ...form, submit, draft: submit, act };
}

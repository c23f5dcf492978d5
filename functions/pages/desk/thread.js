/** Texts that people write: a writer with `@` completion, and a thread of comments or messages.
 *
 *     writer({ label: "Comment", submit: "Comment", draft: "comment", save: async (text) => { … } })
 *     const { element, show } = thread({ entry, write: { … }, reply, edit, remove });  show(records);
 *
 * A writer keeps its draft until `save` is done. `match`: the record as read; after a 412, as it is now. */
import {
  button, draftAt, draftOf, everyone, field, form, keepDraft, newId, node, quiet, rows, settle, time,
} from "./kit.js";

/** @typedef {object} Writing
 * @property {string} label @property {string} submit @property {string} draft its name at this address
 * @property {(text: string, match: any) => unknown} save @property {string} [value]
 * @property {{ version: number }} [match] @property {(current: any) => string} [textOf]
 * @property {boolean} [line] a text of one line @property {boolean} [optional] may be empty
 * @property {() => void} [cancel] closes the writer; also called after a save
 * @property {HTMLElement} [extra] a further control, such as "Internal note"
 * @property {string} [reason] why the user may not write */
/** @typedef {object} Entry
 * @property {string} author @property {string} at @property {string | null} text null: deleted
 * @property {string} [label] such as "Internal note" @property {boolean} [support] written by support
 * @property {boolean} [aside] set off from the others, as internal notes are
 * @property {boolean} [edited] @property {boolean} [own] may be edited and deleted
 * @property {number | null} [parentId] */

/** Names shown at most. */
const NAMES = 6;

/** @param {Writing} writing */
export function writer({
  label, submit, draft, save, value = "", match, textOf = () => "", cancel, line = false,
  optional = submit === "Save" && !line, extra, reason = "",
}) {
  const area = node(line ? "input" : "textarea", { name: "content", required: !optional, value });
  // A draft belongs to the version of the record that was edited first.
  const version = draftAt(`${draft} version`);
  const known = match && version.text() ? { version: Number(version.text()) } : match;
  if (known) area.addEventListener("input", () => version.keep(String(known.version)));
  const drop = keepDraft(area, draft);
  const close = () => {
    drop();
    version.drop();
    area.value = value;
    cancel?.();
  };
  const act = () => settle({
    place: made, what: label, known, mine: () => area.value, theirs: textOf, take: close,
    save: async (now) => {
      const sent = area.value;
      await save(sent, now);
      // What was typed meanwhile stays.
      if (area.value === sent) close();
    },
  });
  const control = field(label, area);
  if (area instanceof HTMLTextAreaElement) control.append(completion(area));
  const made = form({ fields: [control, extra], submit, act, reason, ...(cancel && { cancel: close }) });
  area.addEventListener("keydown", (/** @type {any} */ { key, ctrlKey, metaKey }) => {
    if (key === "Enter" && (ctrlKey || metaKey)) made.requestSubmit();
    if (key === "Escape" && cancel && area.value === value) close();
  });
  return made;
}

/** The list that completes `@` and the beginning of a name. @param {HTMLTextAreaElement} area */
function completion(area) {
  const list = node("ul.names", { role: "listbox", id: newId(), "aria-label": "People", hidden: true });
  let chosen = 0;
  area.setAttribute("aria-autocomplete", "list");
  area.setAttribute("aria-controls", list.id);
  const begun = () => /(?:^|[^\p{L}\p{N}])@([\p{L}\p{N}._-]*)$/u
    .exec(area.value.slice(0, area.selectionStart))?.[1]?.toLowerCase();
  const close = () => {
    list.hidden = true;
    area.removeAttribute("aria-activedescendant");
  };
  const choose = (/** @type {number} */ at) => {
    chosen = at;
    for (const [index, one] of [...list.children].entries()) one.ariaSelected = String(index === at);
    area.setAttribute("aria-activedescendant", list.children[at]?.id ?? "");
  };
  const take = (/** @type {string} */ username) => {
    const from = area.selectionStart - (begun() ?? "").length;
    area.setRangeText(`${username} `, from, area.selectionStart, "end");
    area.dispatchEvent(new Event("input"));
    area.focus();
  };
  const option = (/** @type {import("workdesk").User} */ { username, fullName }) => node("li", {
    role: "option", id: newId(), "data-name": username,
    onpointerdown: (/** @type {Event} */ event) => {
      event.preventDefault();
      take(username);
    },
  }, fullName, " ", quiet(`@${username}`));
  area.addEventListener("input", async () => {
    const word = begun();
    if (word === undefined) return close();
    const people = await everyone().catch(() => []);
    if (begun() !== word) return;
    const names = people.filter(({ username, fullName }) =>
      [username, ...fullName.split(" ")].some((one) => one.toLowerCase().startsWith(word)));
    list.replaceChildren(...names.slice(0, NAMES).map(option));
    if (names.length === 0) return close();
    list.hidden = false;
    choose(0);
  });
  area.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const { key, ctrlKey, metaKey, shiftKey } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const count = list.children.length;
    if (step) choose((chosen + step + count) % count);
    else if (key === "Escape") close();
    else if (["Enter", "Tab"].includes(key) && !ctrlKey && !metaKey && !shiftKey) {
      take(list.children[chosen]?.getAttribute("data-name") ?? "");
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  area.addEventListener("blur", close);
  return list;
}

/** A thread: oldest first, replies under what they reply to, a writer at the end.
 * @template {{ id: number, version?: number }} R
 * @param {object} options
 * @param {(record: R) => Entry} options.entry
 * @param {Writing | null} options.write what is written at the end
 * @param {(text: string, parentId: number) => unknown} [options.reply]
 * @param {(record: R, text: string, match: any) => unknown} [options.edit]
 * @param {(record: R) => unknown} [options.remove] */
export function thread({ entry, write, reply, edit, remove }) {
  const list = node("ol.thread");
  /** Comments whose change is being saved: their drafts are still kept. @type {Set<number>} */
  const saving = new Set();
  const row = (/** @type {R} */ record) => {
    const { author, at, text, label, aside, support, edited, own, parentId } = entry(record);
    const { id } = record;
    const place = node("div.entry-acts");
    const content = node(text === null ? "p.quiet" : "p.text", text ?? "This comment was deleted.");
    const open = (/** @type {Writing} */ writing) => {
      const cancel = () => {
        place.replaceChildren(...acts);
        content.hidden = false;
      };
      place.replaceChildren(writer({ ...writing, cancel }));
      return place.querySelector("textarea");
    };
    const change = () => {
      content.hidden = true;
      return open({
        label: "Comment", submit: "Save", draft: `edit ${id}`, value: text ?? "",
        textOf: (current) => current.content, match: /** @type {{ version: number }} */ (record),
        save: async (changed, match) => {
          saving.add(id);
          await Promise.resolve(edit?.(record, changed, match)).finally(() => saving.delete(id));
        },
      });
    };
    const answer = () => open({ label: `Reply to ${author}`, submit: "Reply", draft: `reply ${id}`,
      save: (written) => reply?.(written, id) });
    const kind = "plain";
    const acts = text === null ? [] : [
      reply && button("Reply", () => answer()?.focus(), { kind, name: `Reply to ${author}` }),
      edit && own && button("Edit", () => change()?.focus(), { kind, name: "Edit your comment" }),
      remove && own && button("Delete", () => remove(record), { kind, name: "Delete your comment" }),
    ].flatMap((one) => one || []);
    place.append(...acts);
    const kinds = [parentId && "reply", aside && "aside", support && "support"].filter(Boolean).join(" ");
    if (own && !saving.has(id) && draftOf(`edit ${id}`) !== null) change();
    else if (reply && draftOf(`reply ${id}`) !== null) answer();
    return node("li", { class: kinds || null },
      node("p.by", node("b", author), label && quiet(label), time(at), edited && quiet("edited")),
      content, place);
  };
  const show = (/** @type {R[]} */ records) => {
    const known = new Map(records.map((record) => [record.id, record]));
    /** @param {R} record @returns {R} */
    const root = (record) => {
      const parent = known.get(entry(record).parentId ?? 0);
      return parent ? root(parent) : record;
    };
    const sorted = records.map((record) => {
      const top = root(record);
      return { record, order: `${entry(top).at} ${String(top.id).padStart(16)} ${entry(record).at}` };
    });
    sorted.sort((one, other) => (one.order < other.order ? -1 : 1));
    rows(list, sorted.map(({ record }) => record), ({ id }) => id, row);
  };
  return { element: node("div.threaded", list, write && writer(write)), show };
}

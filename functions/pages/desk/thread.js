/**
 * Texts that people write: a writer with `@` completion, and a thread of comments or messages.
 *
 *     writer({ label: "Comment", submit: "Comment", draft: "comment", save: async (text) => { … } })
 *     writer({ label: "Description", submit: "Save", draft: "description", value, match: task,
 *       save: async (text, match) => { … }, textOf: (current) => current.description, cancel })
 *     const { element, show } = thread({ entry, write: { … }, reply, edit, remove });  show(records);
 *
 * A writer keeps its draft until `save` is done. A 412 shows both versions: `match` is then the record as it is now.
 */
import { Problem } from "./api/client.js";
import { everyone } from "./api/records.js";
import { button, conflict, field, form, newId, node, rows, time } from "./elements.js";
import { draftAt, draftOf, keepDraft } from "./frame/drafts.js";

/**
 * @typedef {object} Writing
 * @property {string} label @property {string} submit @property {string} draft name of the draft at this address
 * @property {(text: string, match: any) => unknown} save
 * @property {string} [value] @property {{ version: number }} [match] @property {(current: any) => string} [textOf]
 * @property {boolean} [line] a text of one line @property {boolean} [optional] may be empty
 * @property {() => void} [cancel] closes the writer; also called after a save
 * @property {HTMLElement} [extra] a further control, such as "Internal note"
 * @property {string} [reason] why the user may not write
 */
/**
 * @typedef {object} Entry
 * @property {string} author @property {string} at
 * @property {string | null} text null: deleted
 * @property {string} [label] such as "Support" or "Internal note"
 * @property {boolean} [aside] set off from the others, as internal notes are
 * @property {boolean} [support] written by support
 * @property {boolean} [edited] @property {boolean} [own] may be edited and deleted
 * @property {number | null} [parentId]
 */

/** Names shown at most. */
const NAMES = 6;

/** @param {Writing} writing */
export function writer({
  label, submit, draft, save, value = "", match, textOf, cancel, line = false, optional = submit === "Save" && !line, extra,
  reason = "",
}) {
  const area = node(line ? "input" : "textarea", { name: "content", required: !optional, value });
  // A draft belongs to the version of the record that was edited first.
  const version = draftAt(`${draft} version`);
  const restored = version.text() !== null;
  const edited = match && restored ? { version: Number(version.text()) } : match;
  if (edited) area.addEventListener("input", () => version.keep(String(edited.version)));
  const drop = keepDraft(area, draft);
  const close = () => {
    drop();
    version.drop();
    area.value = value;
    cancel?.();
  };
  /** @param {{ version: number } | undefined} known */
  const send = /** @returns {Promise<void>} */ async (known) => {
    made.querySelector(".conflict")?.remove();
    try {
      const sent = area.value;
      await save(sent, known);
      if (area.value === sent) close();
    } catch (problem) {
      if (!(problem instanceof Problem && problem.status === 412 && problem.current && textOf)) throw problem;
      const { current } = problem;
      // Only something else was changed, while this text was written.
      if (!restored && known === match && textOf(current) === value) return send(current);
      version.keep(String(current.version));
      made.append(conflict(label, area.value, textOf(current), () => send(current), close));
    }
  };
  const control = field(label, area);
  if (area instanceof HTMLTextAreaElement) control.append(...completion(area));
  const fields = extra ? [control, extra] : [control];
  const made = form({ fields, submit, act: () => send(edited), reason, ...(cancel && { cancel: close }) });
  /** @type {HTMLElement} */ (area).addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) made.requestSubmit();
    if (event.key === "Escape" && cancel && area.value === value) close();
  });
  return made;
}

/** Completes `@` and the beginning of a name. @param {HTMLTextAreaElement} area @returns {HTMLElement[]} */
function completion(area) {
  const list = node("ul", { class: "names", role: "listbox", id: newId(), "aria-label": "People", hidden: true });
  let chosen = 0;
  area.setAttribute("aria-autocomplete", "list");
  area.setAttribute("aria-controls", list.id);
  const begun = () => /(?:^|[^\p{L}\p{N}])@([\p{L}\p{N}._-]*)$/u.exec(area.value.slice(0, area.selectionStart))?.[1];
  const close = () => {
    list.hidden = true;
    area.removeAttribute("aria-activedescendant");
  };
  const choose = (/** @type {number} */ at) => {
    chosen = at;
    [...list.children].forEach((one, index) => one.setAttribute("aria-selected", String(index === at)));
    area.setAttribute("aria-activedescendant", list.children[at]?.id ?? "");
  };
  const take = (/** @type {string} */ username) => {
    const word = begun() ?? "";
    area.setRangeText(`${username} `, area.selectionStart - word.length, area.selectionStart, "end");
    area.dispatchEvent(new Event("input"));
    area.focus();
  };
  area.addEventListener("input", async () => {
    const word = begun()?.toLowerCase();
    if (word === undefined) return close();
    const people = await everyone().catch(() => []);
    if (begun()?.toLowerCase() !== word) return;
    const names = people.filter(({ username, fullName }) =>
      [username, ...fullName.split(" ")].some((one) => one.toLowerCase().startsWith(word)));
    if (names.length === 0) return close();
    list.replaceChildren(...names.slice(0, NAMES).map(({ username, fullName }) =>
      node("li", { role: "option", id: newId(), "data-name": username, onpointerdown: (/** @type {Event} */ event) => {
        event.preventDefault();
        take(username);
      } }, fullName, " ", node("span", { class: "quiet" }, `@${username}`))));
    list.hidden = false;
    choose(0);
  });
  area.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const count = list.children.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) choose((chosen + step + count) % count);
    else if (event.key === "Escape") close();
    else if (["Enter", "Tab"].includes(event.key) && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      take(/** @type {HTMLElement} */ (list.children[chosen]).dataset["name"] ?? "");
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  area.addEventListener("blur", close);
  return [list];
}

/**
 * A thread: oldest first, replies under what they reply to, a writer at the end.
 * @template {{ id: number, version?: number }} R
 * @param {object} options
 * @param {(record: R) => Entry} options.entry
 * @param {Writing | null} options.write what is written at the end
 * @param {(text: string, parentId: number) => unknown} [options.reply]
 * @param {(record: R, text: string, match: any) => unknown} [options.edit]
 * @param {(record: R) => unknown} [options.remove]
 */
export function thread({ entry, write, reply, edit, remove }) {
  const list = node("ol", { class: "thread" });
  /** Comments whose change is being saved: their drafts are still kept. @type {Set<number>} */
  const saving = new Set();
  /** @param {R} record */
  const row = (record) => {
    const { author, at, text, label, aside, support, edited, own, parentId } = entry(record);
    const place = node("div", { class: "entry-acts" });
    const content = node("p", { class: text === null ? "quiet" : "text" }, text ?? "This comment was deleted.");
    const open = (/** @type {Writing} */ writing) => {
      const made = writer({ ...writing, cancel: () => (place.replaceChildren(...acts), (content.hidden = false)) });
      place.replaceChildren(made);
      return made.querySelector("textarea");
    };
    const change = () => {
      content.hidden = true;
      return open({ label: "Comment", submit: "Save", draft: `edit ${record.id}`, value: text ?? "",
        match: /** @type {{ version: number }} */ (record), textOf: (current) => current.content,
        save: async (changed, match) => {
          saving.add(record.id);
          try {
            await edit?.(record, changed, match);
          } finally {
            saving.delete(record.id);
          }
        } });
    };
    const answer = () => open({ label: `Reply to ${author}`, submit: "Reply", draft: `reply ${record.id}`,
      save: (written) => reply?.(written, record.id) });
    const acts = text === null ? [] : [
      reply && button("Reply", () => answer()?.focus(), { kind: "plain", name: `Reply to ${author}` }),
      edit && own && button("Edit", () => change()?.focus(), { kind: "plain", name: "Edit your comment" }),
      remove && own && button("Delete", () => remove(record), { kind: "plain", name: "Delete your comment" }),
    ].flatMap((one) => one || []);
    place.append(...acts);
    const kinds = [parentId && "reply", aside && "aside", support && "support"].filter(Boolean).join(" ");
    const made = node("li", { class: kinds || null },
      node("p", { class: "by" }, node("b", {}, author), label && node("span", { class: "quiet" }, label), time(at),
        edited && node("span", { class: "quiet" }, "edited")),
      content, place);
    if (own && draftOf(`edit ${record.id}`) !== null && !saving.has(record.id)) change();
    else if (reply && draftOf(`reply ${record.id}`) !== null) answer();
    return made;
  };
  /** @param {R[]} records */
  const show = (records) => {
    const parent = new Map(records.map((record) => [record.id, entry(record).parentId ?? 0]));
    const root = (/** @type {number} */ id) => {
      while (parent.get(id)) id = parent.get(id) ?? 0;
      return id;
    };
    const sorted = records.map((record) => ({ record, top: root(record.id), at: entry(record).at }));
    const begun = new Map(sorted.map(({ record, at }) => [record.id, at]));
    const order = (/** @type {{ top: number, at: string, record: R }} */ one) =>
      `${begun.get(one.top) ?? one.at} ${String(one.top).padStart(16)} ${one.at}`;
    sorted.sort((one, other) => (order(one) < order(other) ? -1 : 1));
    rows(list, sorted.map(({ record }) => record), ({ id }) => id, row);
  };
  const element = node("div", { class: "threaded" }, list, write && writer(write));
  return { element, show };
}

/** The writer of a text, with `@` completion. It keeps its draft until `save` is done.
 * `match`: the record as it was read; after a 412, as it is now. */
/** @import { User } from "workdesk" */
import { button, draftAt, draw, everyone, field, form, newId, node, quiet, settle, written } from "../kit.js";

/** @typedef {object} Writing
 * @property {string} label @property {string} submit @property {string} draft its name at this address
 * @property {(text: string, match: any) => unknown} save @property {string} [value]
 * @property {{ version: number }} [match] @property {(current: any) => string} [textOf]
 * @property {boolean} [line] a text of one line @property {boolean} [optional] may be empty
 * @property {() => void} [cancel] closes the writer; also called after a save
 * @property {string} [key] that leads to it @property {HTMLElement} [extra] a further control @property {string} [reason] why the user may not write */

const NAMES = 6; // Shown at most.

/** Scripts without spaces between words. A letter of another script before an `@` makes it an address. */
const SPACELESS = ["Han", "Hira", "Kana", "Hang", "Bopo", "Yiii", "Thai", "Laoo", "Khmr", "Mymr", "Tale",
  "Talu", "Lana", "Tavt", "Ahom", "Java", "Bali"].map((script) => `\\p{scx=${script}}`).join("");
/** The beginning of a name behind an `@`, by the service's rule for mentions. */
const BEFORE = `(?:^|[^\\p{L}\\p{N}\\p{M}]|[${SPACELESS}])\\p{M}*`;
const MENTION = new RegExp(`${BEFORE}[@＠﹫]([\\p{L}\\p{M}\\p{N}._+-]*)$`, "u");
const folded = (/** @type {string} */ name) => name.normalize("NFKC").toLowerCase();

/** @param {Writing} writing */
export function writer({
  label, submit, draft, save, value = "", match, textOf = () => "", cancel, line = false,
  optional = submit === "Save" && !line, extra, reason = "", key,
}) {
  const area = node(line ? "input" : "textarea",
    { name: "content", required: !optional, value, dir: "auto", "aria-keyshortcuts": key });
  // A draft belongs to the version of the record that was edited first.
  const before = draftAt(draft).read()?.version;
  const known = match && before ? { version: before } : match;
  const close = () => {
    made.reset();
    area.value = value;
    cancel?.();
  };
  const act = async () => {
    let isAll = false;
    const done = await settle({
      place: made, what: label, known, mine: () => area.value, theirs: textOf, take: close,
      save: async (now) => {
        const sent = area.value;
        await save(sent, now);
        // What was typed meanwhile stays.
        isAll = area.value === sent;
        if (isAll) close();
      },
    });
    return done && isAll;
  };
  const control = field(label, area);
  if (area instanceof HTMLTextAreaElement) control.append(completion(area));
  const preview = node("div.preview");
  const made = form({ fields: [line ? control : node("div.previewed", control, preview), extra],
    submit, act, reason, draft, version: known?.version ?? null,
    ...(cancel && { cancel: close }) });
  if (!line) previews(made, area, preview);
  area.addEventListener("keydown", (/** @type {any} */ { key: pressed, ctrlKey, metaKey, shiftKey }) => {
    if (pressed === "Enter" && !shiftKey && (ctrlKey || metaKey)) made.requestSubmit();
    if (pressed === "Escape" && cancel && area.value === value) close();
  });
  return made;
}

/** Does the user want to see what a text becomes? For all writers, until the page is left. */
let isPreviewed = false;

/** Shows beside a text what it becomes, on demand. @param {HTMLFormElement} made
 * @param {HTMLInputElement | HTMLTextAreaElement} area @param {Element} preview */
function previews(made, area, preview) {
  const show = () => draw(preview, isPreviewed && [quiet("Preview"), written(area.value)]);
  const turn = button("Preview", () => {
    isPreviewed = !isPreviewed;
    mark();
  }, { kind: "plain" });
  const mark = () => {
    turn.querySelector("button")?.setAttribute("aria-pressed", String(isPreviewed));
    show();
  };
  for (const event of ["input", "change"]) area.addEventListener(event, show);
  made.addEventListener("reset", () => setTimeout(show));
  made.querySelector(".end")?.append(turn);
  mark();
}

/** The list that completes `@` and the beginning of a name. @param {HTMLTextAreaElement} area */
function completion(area) {
  const list = node("ul.names", { role: "listbox", id: newId(), "aria-label": "People", hidden: true });
  let chosen = 0;
  let spaced = -1; // The place behind a space that the completion wrote.
  area.setAttribute("aria-autocomplete", "list");
  area.setAttribute("aria-controls", list.id);
  const begun = () => MENTION.exec(area.value.slice(0, area.selectionStart))?.[1];
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
    spaced = area.selectionStart;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    area.focus();
  };
  const option = (/** @type {User} */ { username, fullName }) => {
    const onpointerdown = (/** @type {Event} */ event) => {
      event.preventDefault();
      take(username);
    };
    return node("li", { role: "option", id: newId(), "data-name": username, onpointerdown },
      fullName, " ", quiet(`@${username}`));
  };
  // The reader's own space behind a name is that one.
  area.addEventListener("beforeinput", (event) => {
    const { selectionStart, selectionEnd } = area;
    if (event.data === " " && selectionStart === spaced && selectionEnd === spaced) event.preventDefault();
    spaced = -1;
  });
  area.addEventListener("input", async () => {
    const word = begun();
    if (word === undefined) return close();
    const people = await everyone().catch(() => []);
    if (begun() !== word) return;
    const names = people.filter(({ username, fullName }) =>
      [username, ...fullName.split(" ")].some((one) => folded(one).startsWith(folded(word))));
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

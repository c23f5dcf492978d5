/** The writer of a text, with `@` completion. It keeps its draft until `save` is done.
 * `match`: the record as it was read; after a 412, as it is now. */
import { button, draftAt, draw, field, form, node, quiet, settle, written } from "../kit.js";
import { completion } from "./mentions.js";

/** @typedef {object} Writing
 * @property {string} label @property {string} submit
 * @property {string} draft its name at this address
 * @property {(text: string, match: any) => unknown} save @property {string} [value]
 * @property {{ version: number }} [match] @property {(current: any) => string} [textOf]
 * @property {boolean} [line] a text of one line @property {boolean} [optional] may be empty
 * @property {() => void} [cancel] closes the writer; also called after a save
 * @property {string} [key] that leads to it
 * @property {HTMLElement} [extra] a further control
 * @property {string} [reason] why the user may not write */

/** @param {Writing} writing */
export function writer(writing) {
  const { label, submit, draft, value = "", match, cancel, line = false, extra, reason, key } =
    writing;
  const optional = writing.optional ?? (submit === "Save" && !line);
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
  const control = field(label, area);
  if (area instanceof HTMLTextAreaElement) control.append(completion(area));
  const preview = node("div.preview");
  /** @type {HTMLFormElement} */
  const made = form({ fields: [line ? control : node("div.previewed", control, preview), extra],
    submit, draft, version: known?.version ?? null, ...(reason && { reason }),
    act: () => saveText(writing, area, known, made, close), ...(cancel && { cancel: close }) });
  if (!line) previews(made, area, preview);
  area.addEventListener("keydown", (/** @type {any} */ event) => {
    const { key: pressed, ctrlKey, metaKey, shiftKey } = event;
    if (pressed === "Enter" && !shiftKey && (ctrlKey || metaKey)) made.requestSubmit();
    if (pressed === "Escape" && cancel && area.value === value) close();
  });
  return made;
}

/** Saves what was typed. Returns false if there is a conflict, or more was typed meanwhile.
 * @param {Writing} writing @param {HTMLInputElement | HTMLTextAreaElement} area @param {any} known
 * @param {HTMLElement} place @param {() => void} close */
async function saveText({ label, save, textOf = () => "" }, area, known, place, close) {
  let isAll = false;
  const done = await settle({
    place, what: label, known, mine: () => area.value, theirs: textOf, take: close,
    save: async (now) => {
      const sent = area.value;
      await save(sent, now);
      // What was typed meanwhile stays.
      isAll = area.value === sent;
      if (isAll) close();
    },
  });
  return done && isAll;
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

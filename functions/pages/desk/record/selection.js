/** Several rows at once: a box for each, and a bar that changes all that are chosen. */
/** @import { Choice, Records } from "../kit.js" */
import { button, denied, draw, menu, node, record, say } from "../kit.js";
import { fieldSteps, KINDS, stepper, tagActs, tagSteps } from "./steps.js";

/** @typedef {"task" | "service_request" | "ticket"} Type */
/** What the bar changes: the choices of each field by its name; `tagIds` has all tags.
 * @typedef {Record<string, () => Choice[] | Promise<Choice[]>>} Fields */
const LABELS = /** @type {Record<string, string>} */ ({ assigneeId: "Assignee",
  milestoneId: "Milestone", tagIds: "Tags", status: "Status", priority: "Priority" });

/** @param {Type} type @param {() => number[]} ids of the rows in their order
 * @param {Fields} fields */
export function selectionOf(type, ids, fields) {
  const chosen = /** @type {Set<number>} */ (new Set());
  const [element, problems] =
    [node("div.selection", { role: "group", "aria-label": "Selected" }), node("div")];
  const show = () => {
    for (const id of chosen) if (!record(type, id)) chosen.delete(id);
    markBoxes(chosen);
    draw(element, chosen.size > 0 && [
      node("strong", { role: "status" }, `${chosen.size} selected`), changes(),
      button("Clear", clear, { kind: "plain" })], problems);
  };
  const clear = () => {
    chosen.clear();
    show();
  };
  const rows = () => [...chosen].flatMap((id) => record(type, id) ?? []);
  const change = stepper(KINDS[type].noun, problems, show);
  const changes = () => changesOf(type, fields, rows, change);
  const choose = chooser(chosen, ids);
  /** The box of a row. With Shift, all from the last one on. @param {Records[Type]} row */
  const box = ({ id, title }) => (denied(KINDS[type].permission) ? null : node("input.select", {
    type: "checkbox", "data-select": id, checked: chosen.has(id), "aria-label": `Select ${title}`,
    "aria-keyshortcuts": "x Shift+X",
    onclick: (/** @type {any} */ { target, shiftKey }) => {
      choose(id, target.checked, shiftKey);
      show();
      say(`${chosen.size} selected`);
    } }));
  return { element, box, show };
}

/** Has the boxes in sight show what is chosen. @param {Set<number>} chosen */
function markBoxes(chosen) {
  /** @type {NodeListOf<HTMLInputElement>} */
  const boxes = document.querySelectorAll("input[data-select]");
  for (const one of boxes) one.checked = chosen.has(Number(one.dataset["select"]));
}

/** Chooses a row, or the range from the last one on.
 * @param {Set<number>} chosen @param {() => number[]} ids of the rows in their order */
function chooser(chosen, ids) {
  let last = 0;
  return (/** @type {number} */ id, /** @type {boolean} */ is, /** @type {boolean} */ isRange) => {
    const all = ids();
    const [from, to] = [all.indexOf(isRange && last ? last : id), all.indexOf(id)];
    const range = from < 0 ? [id] : all.slice(Math.min(from, to), Math.max(from, to) + 1);
    for (const one of range) chosen[is ? "add" : "delete"](one);
    last = id;
  };
}

/** The buttons of the fields, each with a menu of its choices. @param {Type} type
 * @param {Fields} fields @param {() => Records[Type][]} rows that are chosen
 * @param {ReturnType<typeof stepper>} change */
function changesOf(type, fields, rows, change) {
  return Object.entries(fields).map(([name, choicesOf]) => {
    const label = LABELS[name] ?? name;
    const isTags = name === "tagIds";
    const onclick = async (/** @type {any} */ { currentTarget }) => {
      const known = choicesOf();
      // The next key may choose: what is known is shown at once.
      const choices = known instanceof Promise ? await known : known;
      menu(currentTarget, label, isTags ? tagActs(rows(), choices) : choices, (value) =>
        change(isTags ? tagSteps(type, rows(), value) : fieldSteps(type, rows(), name, value)));
    };
    const key = label.charAt(0).toLowerCase();
    return node("button", { type: "button", key: name, "aria-keyshortcuts": key, onclick }, label);
  });
}

/** The completion of `@` and the beginning of a name. */
/** @import { User } from "workdesk" */
import { everyone, newId, node, quiet } from "../kit.js";

const NAMES = 6; // Shown at most.

/** Scripts without spaces between words. A letter of another script before an `@` makes it an
 * address. */
const SPACELESS = ["Han", "Hira", "Kana", "Hang", "Bopo", "Yiii", "Thai", "Laoo", "Khmr", "Mymr",
  "Tale",
  "Talu", "Lana", "Tavt", "Ahom", "Java", "Bali"].map((script) => `\\p{scx=${script}}`).join("");
/** The beginning of a name behind an `@`, by the service's rule for mentions. */
const BEFORE = `(?:^|[^\\p{L}\\p{N}\\p{M}]|[${SPACELESS}])\\p{M}*`;
const MENTION = new RegExp(`${BEFORE}[@＠﹫]([\\p{L}\\p{M}\\p{N}._+-]*)$`, "u");
const folded = (/** @type {string} */ name) => name.normalize("NFKC").toLowerCase();

/** The list that completes `@` and the beginning of a name. @param {HTMLTextAreaElement} area */
export function completion(area) {
  const list = node("ul.names",
    { role: "listbox", id: newId(), "aria-label": "People", hidden: true });
  area.setAttribute("aria-autocomplete", "list");
  area.setAttribute("aria-controls", list.id);
  const begun = () => MENTION.exec(area.value.slice(0, area.selectionStart))?.[1];
  const close = () => {
    list.hidden = true;
    area.removeAttribute("aria-activedescendant");
  };
  const choices = chooserOf(area, list);
  const take = takerOf(area, begun);
  area.addEventListener("input", async () => {
    const word = begun();
    if (word === undefined) return close();
    const names = await namesOf(word);
    if (begun() !== word) return;
    list.replaceChildren(...names.map((user) => optionOf(user, take)));
    if (names.length === 0) return close();
    list.hidden = false;
    choices.choose(0);
  });
  area.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const { key, ctrlKey, metaKey, shiftKey } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) choices.move(step);
    else if (key === "Escape") close();
    else if (["Enter", "Tab"].includes(key) && !ctrlKey && !metaKey && !shiftKey) {
      take(choices.name());
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  area.addEventListener("blur", close);
  return list;
}

/** The option of a list that is chosen. @param {HTMLTextAreaElement} area
 * @param {HTMLElement} list */
function chooserOf(area, list) {
  let chosen = 0;
  const choose = (/** @type {number} */ at) => {
    chosen = at;
    for (const [index, one] of [...list.children].entries()) {
      one.ariaSelected = String(index === at);
    }
    area.setAttribute("aria-activedescendant", list.children[at]?.id ?? "");
  };
  const move = (/** @type {number} */ step) => {
    const count = list.children.length;
    choose((chosen + step + count) % count);
  };
  return { choose, move, name: () => list.children[chosen]?.getAttribute("data-name") ?? "" };
}

/** Completes a name, with a space behind it. @param {HTMLTextAreaElement} area
 * @param {() => string | undefined} begun */
function takerOf(area, begun) {
  let spaced = -1; // The place behind a space that the completion wrote.
  // The reader's own space behind a name is that one.
  area.addEventListener("beforeinput", (event) => {
    const { selectionStart, selectionEnd } = area;
    const isSpaced = selectionStart === spaced && selectionEnd === spaced;
    if (event.data === " " && isSpaced) event.preventDefault();
    spaced = -1;
  });
  return (/** @type {string} */ username) => {
    const from = area.selectionStart - (begun() ?? "").length;
    area.setRangeText(`${username} `, from, area.selectionStart, "end");
    spaced = area.selectionStart;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    area.focus();
  };
}

/** @param {User} user @param {(username: string) => void} take */
function optionOf({ username, fullName }, take) {
  const onpointerdown = (/** @type {Event} */ event) => {
    event.preventDefault();
    take(username);
  };
  return node("li", { role: "option", id: newId(), "data-name": username, onpointerdown },
    fullName, " ", quiet(`@${username}`));
}

/** The people whose name begins so. @param {string} word */
async function namesOf(word) {
  const people = await everyone().catch(() => []);
  const begins = (/** @type {string} */ one) => folded(one).startsWith(folded(word));
  return people.filter(({ username, fullName }) => [username, ...fullName.split(" ")].some(begins))
    .slice(0, NAMES);
}

/** Faces and icons: small pictures that are drawn here. Each stands beside its words, or has a name
 * of its own. */
/** @import { UserRef } from "workdesk" */

const SVG = "http://www.w3.org/2000/svg";
const HUES = 10; // Colours of faces, as in style/base.css.
const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Lines of the icons, in a square of 16. @type {Record<string, string>} */
const ICONS = /** @satisfies {Record<Icon, string>} */ ({
  home: "M2.5 7.5 8 2.5l5.5 5M4 6.5v7h8v-7M6.5 13.5v-4h3v4",
  projects: "M2.5 2.5h3v11h-3zM6.5 2.5h3v7h-3zM10.5 2.5h3v9h-3z",
  tasks: "M2.5 4l1.2 1.2L6 2.8M8 4h5.5M2.5 9l1.2 1.2L6 7.8M8 9h5.5M3 13.5h3M8 13.5h5.5",
  requests: "M2.5 9.5 4 3h8l1.5 6.5v4h-11zM2.5 9.5h3.2l1 1.5h2.6l1-1.5h3.2",
  tickets: "M2.5 3h11v8h-6l-3 2.5V11h-2zM5 6h6M5 8.3h4",
  customers: "M3 13.5v-11h6.5v11M9.5 6.5H13v7M1.5 13.5h13M5.2 5.5h2M5.2 8.5h2",
  alerts: "M8 2.5a4 4 0 0 0-4 4v3l-1.5 2h11L12 9.5v-3a4 4 0 0 0-4-4M6.5 13.5h3",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3l3.2 3.2",
  settings: "M2.5 4.5h5M11.5 4.5h2M9.5 2.7v3.6M2.5 11.5h2M8.5 11.5h5M6.5 9.7v3.6",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  comments: "M2.5 3h11v8h-6l-3 2.5V11h-2z",
  tags: "M2.5 2.5h5l6 6-5 5-6-6zM5.3 5.3h.01",
  due: "M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v2.5M10.5 2v2.5",
  add: "M8 3v10M3 8h10",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
});
/** @typedef {"home" | "projects" | "tasks" | "requests" | "tickets" | "customers" | "alerts"
 *   | "search" | "settings" | "more"
 *   | "comments" | "tags" | "due" | "add" | "close"} Icon */

/** An icon in the colour of the text. Words beside it name it. @param {Icon} name */
export function icon(name) {
  const [made, path] = [document.createElementNS(SVG, "svg"),
    document.createElementNS(SVG, "path")];
  for (const [key, value] of [["class", "icon"], ["viewBox", "0 0 16 16"],
      ["aria-hidden", "true"]]) {
    made.setAttribute(`${key}`, `${value}`);
  }
  path.setAttribute("d", ICONS[name] ?? "");
  made.append(path);
  return made;
}

/** The picture of the page, as in its tab. */
export function brand() {
  const made = document.createElement("img");
  made.src = document.querySelector("link[rel=icon]")?.getAttribute("href") ?? "";
  made.alt = "";
  return made;
}

/** The initials of a user in a circle, whose colour comes from the id. The name stands beside it;
 * else `alone` has it as the face's own name. @param {Pick<UserRef, "id" | "fullName">} user
 * @param {boolean} [alone] */
export function face({ id, fullName }, alone = false) {
  const made = document.createElement("span");
  made.className = `face hue-${id % HUES}`;
  // Not a text: who reads or copies the row gets the name once.
  made.dataset["initials"] = initials(fullName);
  if (alone) for (const [key, value] of [["role", "img"], ["aria-label", fullName],
      ["title", fullName]]) {
    made.setAttribute(`${key}`, `${value}`);
  } else made.ariaHidden = "true";
  return made;
}

/** The first letters of the first and the last word. @param {string} name */
function initials(name) {
  const words = name.trim().split(/\s+/u);
  const first = (/** @type {string | undefined} */ word) =>
    [...letters.segment(word ?? "")][0]?.segment.toLocaleUpperCase() ?? "";
  return words.length > 1 ? first(words[0]) + first(words.at(-1)) : first(words[0]);
}

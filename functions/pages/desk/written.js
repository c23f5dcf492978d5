/** What people write, as nodes: paragraphs, lists, code, quotes, emphasis, links, `@names`, `#12`
 * and ids of records of other systems, such as `ub_1001`. It is a part of CommonMark without HTML.
 *
 * All of it is set as text of elements that are named here, and a link leads to `http` or `https`
 * alone: so no text becomes markup. */
import { node } from "./elements.js";

const DEPTH = 4; // Lists and quotes within each other, at most.
const FENCE = /^ {0,3}```/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*•]|\d{1,4}[.)])( +)(?=\S)/;
const INLINE = new RegExp([
  "`(?<code>[^`\\n]+)`",
  "\\*\\*(?=\\S)(?<strong>[^*\\n]+)\\*\\*",
  "(?<![\\p{L}\\p{N}_*])\\*(?=\\S)(?<em>[^*\\n]+)\\*(?![\\p{L}\\p{N}*])",
  "(?<![\\p{L}\\p{N}_*])_(?=\\S)(?<em2>[^_\\n]+)_(?![\\p{L}\\p{N}_])",
  "\\[(?<label>[^\\[\\]\\n]+)\\]\\((?<target>https?:\\/\\/[^\\s()<>]+)\\)",
  "(?<url>https?:\\/\\/[^\\s<>\"]+)",
  "(?<![\\p{L}\\p{N}.])(?<name>@[\\p{L}\\p{N}_][\\p{L}\\p{N}._+-]*)",
  "(?<![\\p{L}\\p{N}&/#])#(?<id>\\d{1,15})(?![\\p{L}\\p{N}])",
  "(?<![\\p{L}\\p{N}_])(?<entity>[a-z]{2,10}_(?=[a-z\\d]*\\d)[a-z\\d]{1,40})(?![\\p{L}\\p{N}_])",
].join("|"), "gu");

/** @param {string} text @returns {HTMLElement} */
export const written = (text) => node("div.text.written", blocks(text.split("\n"), 0));

/** @param {string[]} lines @param {number} depth @returns {HTMLElement[]} */
function blocks(lines, depth) {
  const found = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const isDeep = depth >= DEPTH;
    if (!line.trim()) at += 1;
    else if (FENCE.test(line)) {
      const end = endOf(lines, at + 1, (one) => FENCE.test(one));
      found.push(node("pre", { tabindex: 0 }, node("code", lines.slice(at + 1, end).join("\n"))));
      at = end + 1;
    } else if (!isDeep && QUOTE.test(line)) {
      const end = endOf(lines, at, (one) => !QUOTE.test(one));
      const inner = lines.slice(at, end).map((one) => one.replace(QUOTE, ""));
      found.push(node("blockquote", blocks(inner, depth + 1)));
      at = end;
    } else if (!isDeep && ITEM.test(line)) {
      const [list, end] = listAt(lines, at, depth);
      found.push(list);
      at = end;
    } else {
      const end = endOf(lines, at + 1, (one) => !one.trim() || FENCE.test(one)
        || (!isDeep && (QUOTE.test(one) || ITEM.test(one))));
      found.push(node("p", inline(lines.slice(at, end).join("\n"))));
      at = end;
    }
  }
  return found;
}

/** The first line from a place on that fits, or the end. @param {string[]} lines
 * @param {number} from
 * @param {(line: string) => boolean} fits */
function endOf(lines, from, fits) {
  const found = lines.slice(from).findIndex(fits);
  return found < 0 ? lines.length : from + found;
}

/** A list with its items, and the line after it. @param {string[]} lines @param {number} from
 * @param {number} depth @returns {[HTMLElement, number]} */
function listAt(lines, from, depth) {
  const items = /** @type {string[][]} */ ([]);
  const isOrdered = (/** @type {string} */ line) => /\d/.test(ITEM.exec(line)?.[2] ?? "");
  const [first = ""] = lines.slice(from);
  let at = from;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const mark = ITEM.exec(line);
    if (mark && isOrdered(line) === isOrdered(first)) items.push([line.slice(mark[0].length)]);
    else if (!mark && /^ {2,}\S|^\t/.test(line)) items.at(-1)?.push(
      line.replace(/^( {2,4}|\t)/, ""));
    else break;
  }
  const start = Number.parseInt(ITEM.exec(first)?.[2] ?? "", 10);
  return [node(isOrdered(first) ? "ol" : "ul", { start: start > 1 && start },
    items.map((item) => node("li", blocks(item, depth + 1)))), at];
}

/** @param {string} text */
function inline(text) {
  const found = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [all] = match;
    const { code, strong, em = match.groups?.["em2"], label, target, url, name, id, entity } =
      /** @type {Record<string, string | undefined>} */ (match.groups);
    found.push(text.slice(from, match.index));
    from = match.index + all.length;
    if (code) found.push(node("code", code));
    else if (strong || em) found.push(node(strong ? "strong" : "em", strong ?? em));
    else if (target) found.push(outer(target, label ?? target));
    else if (name) found.push(node("a.mention",
      { href: `#/search?q=${encodeURIComponent(name.slice(1))}` }, name));
    else if (id ?? entity) found.push(node("a.link", { href: `#/search?q=${id ?? entity}` }, all));
    else if (url) {
      // A mark behind an address belongs to the sentence.
      const own = url.replace(/[.,:;!?'")\]]+$/, "");
      found.push(outer(own, own));
      from -= url.length - own.length;
    }
  }
  return [...found, text.slice(from)];
}

/** A link to another page, which learns nothing of this one. @param {string} href
 * @param {string} label */
const outer = (href, label) => (URL.canParse(href)
  ? node("a.link", { href, target: "_blank", rel: "noopener noreferrer" }, label) : label);

/** The filters of a list, in its address. */
/** @import { User } from "workdesk" @import { Choice, Context } from "../kit.js" */
/** @import { Listed } from "../list.js" */
import { choicesOf, draw, input, keyed, myId } from "../kit.js";

/** A filter in the address: one of some values, or a text.
 * @typedef {[label: string, name: string, options?: Choice[]]} Filter */
/** What the filters depend on: those that are set, and what their choices need.
 * @typedef {{ asked: URLSearchParams, people: User[], further: any }} Known */

/** The filter by words of titles, which all lists have. */
const WORDS = "query";
const TYPED_MS = 250; // After the last key.
const LETTER = /[\p{L}\p{N}]/u; // The API wants one in the words.
let typing = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);

/** The names of the filters of a list. @param {Listed} kind */
export const namesOf = (kind) => [WORDS, ...kind.filters([]).map(([, name]) => name)];

/** Shows the filters. @param {Element} place @param {Listed} kind @param {Known} known
 * @param {Context["filter"]} filter */
export function drawFilters(place, { filters, orders, defaults }, { asked, people, further },
    filter) {
  const all = filters(choicesOf(people.filter(({ id }) => id !== myId())), further);
  const order = orders?.(asked)
    .map(([value, label], at) => /** @type {Choice} */ ([at ? value : "", label]));
  if (order) all.push(["Order", "sort", order]);
  const chips = all.map(([label, name, options]) => {
    const value = (asked.has(name) ? asked.getAll(name) : defaults?.[name] ?? []).join(",");
    if (options && !options.some(([one]) => one === value)) options.push([value, value]);
    const onchange = (/** @type {any} */ { target }) =>
      filter({ [name]: target.value.trim() || null });
    return keyed(name,
      input(label, name, { options, value, onchange, maxlength: options ? null : 100 }));
  });
  draw(place, wordsField(asked.get(WORDS) ?? "", filter), chips);
}

/** The field of words, which filters once the typing pauses.
 * @param {string} value @param {Context["filter"]} filter */
function wordsField(value, filter) {
  const set = (/** @type {any} */ { target }) => {
    clearTimeout(typing);
    const words = target.value.trim();
    if (target.isConnected && words !== value) filter({ [WORDS]: words || null });
  };
  const oninput = (/** @type {Event} */ event) => {
    clearTimeout(typing);
    typing = setTimeout(() => set(event), TYPED_MS);
  };
  return keyed(WORDS, input("Words", WORDS, { type: "search", placeholder: "Words",
    value, maxlength: 200, autocomplete: "off", oninput, onchange: set }));
}

/** The values that the list must have. @param {URLSearchParams} query @param {string} name
 * @param {Pick<Listed, "defaults">} kind */
export function wantedOf(query, name, { defaults }) {
  const values = query.has(name) ? query.getAll(name) : defaults?.[name] ?? [];
  if (name === WORDS) return values.filter((value) => LETTER.test(value));
  return values.filter((value) => value !== "any");
}

/** Would the list have the row? Archived projects are there only if they are asked for.
 * @param {any} row @param {URLSearchParams} query @param {Listed} kind */
export const matches = (row, query, kind) => namesOf(kind).every((name) => {
  const values = wantedOf(query, name, kind);
  if (name === WORDS) return values.every((words) => beginWords(words, row.title ?? row.name));
  const wanted = values.flatMap((value) => value.split(","));
  if (name === "tagId" && wanted.length > 0) {
    return row.tags.some((/** @type {{ id: number }} */ { id }) => wanted.includes(`${id}`));
  }
  const [value, word] = [`${row[name]}`,
    row[name] === null ? "none" : row[name] === myId() ? "me" : ""];
  if (name === "archived") return (wanted[0] ?? "false") === value;
  return wanted.length === 0 ? value !== "archived"
    : wanted.includes(value) || wanted.includes(word);
});

/** Does each word begin a word of the title, without regard to case and accents?
 * @param {string} words @param {string} title */
function beginWords(words, title) {
  const own = wordsOf(title);
  return wordsOf(words).every((word) => own.some((one) => one.startsWith(word)));
}

const wordsOf = (/** @type {string} */ text) => text.normalize("NFKD").replace(/\p{M}/gu, "")
  .toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);

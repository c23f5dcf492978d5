/** Search: results by type, as one types. Down goes to the results, Enter opens the first. `#/search?q=` */

/** @import { FoundRecord } from "workdesk" */
/** @import { Context, Requery } from "../../frame/router.js" */
/** @import { Choice } from "../../elements.js" */
import { get, more } from "../../api/client.js";
import { arrows, button, empty, field, node, quiet, select, state, time, trouble } from "../../elements.js";
import { say } from "../../frame/frame.js";
import { address, groups, marked, TYPES } from "./results.js";

/** The pause after the last key. */
const PAUSE_MS = 250;
const LIMIT = 50;
/** Text that the API can search for. */
const WORD = /[\p{L}\p{N}]|[^\x00-\x7f]/u;

/** @param {Context} context @returns {Promise<Requery>} */
export async function view({ body, query, signal, filter }) {
  const words = node("input", { type: "search", name: "q", maxlength: 255, autocomplete: "off", value: query.get("q") });
  const type = select("type", [["", "All"], .../** @type {Choice[]} */ (Object.entries(TYPES))], query.get("type") ?? "");
  const results = node("div", { class: "results" });
  const end = node("div");
  const hint = "Each word begins a word of the record. A number finds the record with that id.";
  const wide = field("Words", words, { hint });
  wide.classList.add("grow");
  body.append(node("div", { class: "filters searching" }, wide, field("Type", type)), results, end);
  arrows(results);

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let asking = new AbortController();
  /** What the shown rows answer. */
  let answered = "";
  /** @type {FoundRecord[]} */
  let found = [];

  const asked = () => `${words.value.trim()} ${type.value}`;
  const search = async () => {
    clearTimeout(timer);
    // An answer to other words is never shown.
    asking.abort();
    asking = new AbortController();
    const text = words.value.trim();
    if (text !== (new URLSearchParams(location.hash.split("?")[1]).get("q") ?? "")) filter({ q: text || null });
    if (!WORD.test(text)) {
      [found, answered] = [[], asked()];
      results.replaceChildren();
      end.replaceChildren();
      return;
    }
    const options = { signal: AbortSignal.any([signal, asking.signal]) };
    const kinds = type.value ? { type: [/** @type {FoundRecord["type"]} */ (type.value)] } : {};
    try {
      const page = await get("/api/search", { query: text, ...kinds, limit: LIMIT }, options);
      [found, answered] = [[], asked()];
      add(page, options);
    } catch (problem) {
      if (/** @type {Error} */ (problem).name !== "AbortError") end.replaceChildren(trouble(problem, search));
    }
  };
  /** @param {{ data: FoundRecord[], next: string | null }} page @param {{ signal: AbortSignal }} options */
  const add = ({ data, next }, options) => {
    found = [...found, ...data];
    results.replaceChildren(...groups(found).map((group) => section(group, words.value)));
    const none = next ? "Nothing among the records read so far." : "Nothing found.";
    const go = async () => add(await more(/** @type {string} */ (next), options), options);
    end.replaceChildren(...(found.length ? [] : [empty(none)]), ...(next ? [button("More", go)] : []));
    say(found.length ? `${found.length} results.` : none);
  };

  words.addEventListener("input", () => {
    clearTimeout(timer);
    asking.abort();
    timer = setTimeout(search, PAUSE_MS);
  });
  words.addEventListener("keydown", (event) => {
    const first = results.querySelector("a");
    if (event.key === "ArrowDown") first?.focus();
    else if (event.key === "Enter" && answered !== asked()) search();
    else if (event.key === "Enter") first?.click();
    else return;
    event.preventDefault();
  });
  results.addEventListener("keydown", (event) => {
    if (event.key === "ArrowUp" && document.activeElement === results.querySelector("a")) words.focus();
  }, { capture: true });
  type.addEventListener("change", () => {
    filter({ type: type.value || null });
    search();
  });
  signal.addEventListener("abort", () => clearTimeout(timer));
  words.focus();
  await search();

  return (changed) => {
    const [q, kind] = [changed.get("q") ?? "", changed.get("type") ?? ""];
    if (q === words.value.trim() && kind === type.value) return;
    [words.value, type.value] = [q, kind];
    search();
  };
}

/** @param {{ title: string, rows: FoundRecord[] }} group @param {string} query */
function section({ title, rows }, query) {
  return node("section", {}, node("h2", {}, title, node("span", { class: "count" }, rows.length)),
    node("ul", { class: "list found" }, ...rows.map((row) => line(row, query))));
}

/** @param {FoundRecord} row @param {string} query */
function line(row, query) {
  const parts = (/** @type {string} */ text) =>
    marked(text, query).map((part) => (part.marked ? node("mark", {}, part.text) : part.text));
  const excerpt = row.excerpt !== null && row.excerpt !== row.title;
  const text = [node("span", {}, ...parts(row.title)), excerpt && quiet(...parts(row.excerpt ?? ""))];
  const href = address(row);
  return node("li", {},
    href ? node("a", { class: "grow", href }, ...text) : node("span", { class: "grow" }, ...text),
    row.status && state(row.status), node("span", { class: "quiet when" }, time(row.updatedAt)));
}

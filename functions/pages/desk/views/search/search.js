/** Search: results by type, as one types. Down goes to the results, Enter opens the first. `#/search?q=` */

/** @import { FoundRecord } from "workdesk" */
/** @import { View } from "../../frame/router.js" */
import { get, more } from "../../api/client.js";
import { arrows, button, counted, empty, input, node, quiet, state, time, trouble } from "../../elements.js";
import { say } from "../../frame/frame.js";
import { addressOf, to } from "../../frame/router.js";

/** The pause after the last key. */
const PAUSE_MS = 250;
/** The groups in their order on the page. @type {[FoundRecord["type"], string][]} */
const TYPES = [["task", "Tasks"], ["service_request", "Requests"], ["ticket", "Tickets"], ["project", "Projects"],
  ["milestone", "Milestones"], ["activity", "Activities"], ["comment", "Comments"], ["ticket_message", "Messages"]];

/** @type {View} */
export async function view({ body, query, signal, filter }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** The shown rows, and what they answer. @type {FoundRecord[]} */
  let found = [];
  let answered = "";
  const field = input("Words", "q", {
    type: "search", maxlength: 255, autocomplete: "off", value: query.get("q"),
    hint: "Each word begins a word of the record. A number finds the record with that id.",
  });
  const kinds = input("Type", "type", { options: [["", "All"], ...TYPES], value: query.get("type") });
  const [words, type] = [field, kinds].map((one) => /** @type {HTMLInputElement} */ (one.querySelector("[name]")));
  const results = node("div.results");
  const end = node("div");
  if (!words || !type) return;
  field.classList.add("grow");
  body.append(node("div.filters.searching", field, kinds), results, end);
  arrows(results);

  const asked = () => `${words.value.trim()} ${type.value}`;
  const search = async () => {
    clearTimeout(timer);
    const text = words.value.trim();
    const now = asked();
    filter({ q: text || null, type: type.value || null });
    // Text that the API can search for.
    if (!/[\p{L}\p{N}]|[^\x00-\x7f]/u.test(text)) return add({ data: [], next: null }, now, "");
    const parameters = { query: text, ...(type.value && { type: [/** @type {any} */ (type.value)] }), limit: 50 };
    try {
      add(await get("/api/search", parameters, { signal }), now);
    } catch (problem) {
      if (now === asked() && !signal.aborted) end.replaceChildren(trouble(problem, search));
    }
  };
  /** Shows rows, unless they answer what is no longer asked.
   * @param {{ data: FoundRecord[], next: string | null }} page @param {string} now @param {string} [none] */
  const add = ({ data, next }, now, none = next ? "Nothing among the records read so far." : "Nothing found.") => {
    if (now !== asked()) return;
    found = answered === now ? [...found, ...data] : data;
    answered = now;
    const groups = TYPES.map(([type, name]) => ({ name, rows: found.filter((row) => row.type === type) }));
    results.replaceChildren(...groups.filter(({ rows }) => rows.length > 0).map(({ name, rows }) =>
      node("section", node("h2", name, node("span.count", rows.length)),
        node("ul.list.found", rows.map((row) => line(row, words.value))))));
    end.replaceChildren(found.length ? "" : empty(none),
      next ? button("More", async () => add(await more(next, { signal }), now)) : "");
    say(found.length ? `${counted(found.length, "result")}.` : none);
  };

  words.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE_MS);
  });
  words.addEventListener("keydown", (event) => {
    const first = results.querySelector("a");
    if (event.key === "ArrowDown") first?.focus();
    else if (event.key === "Enter" && answered !== asked()) void search();
    else if (event.key === "Enter") first?.click();
    else return;
    event.preventDefault();
  });
  results.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowUp" && document.activeElement === results.querySelector("a")) words.focus();
  }, { capture: true });
  type.addEventListener("change", search);
  signal.addEventListener("abort", () => clearTimeout(timer));
  words.focus();
  await search();
  return (changed) => {
    const [q, kind] = [changed.get("q") ?? "", changed.get("type") ?? ""];
    if (q === words.value.trim() && kind === type.value) return;
    [words.value, type.value] = [q, kind];
    void search();
  };
}

/** @param {FoundRecord} row @param {string} query */
function line({ type, id, parent, projectId, title, excerpt, status, updatedAt }, query) {
  const text = [node("span", marked(title, query)), excerpt && excerpt !== title && quiet(marked(excerpt, query))];
  // Its own page, that of its parent, or that of its project, if there is one.
  const own = parent ? addressOf(parent.type, parent.recordId) : addressOf(type, id);
  const href = own ?? (projectId && to(`/projects/${projectId}`, type === "milestone" ? { milestone: `${id}` } : undefined));
  return node("li", href ? node("a.grow", { href }, text) : node("span.grow", text),
    status && state(status), node("span.quiet.when", time(updatedAt)));
}

/** The text with the beginnings of words that are asked for marked. @param {string} text @param {string} query */
function marked(text, query) {
  const words = query.match(/[\p{L}\p{N}]+/gu)?.join("|") ?? "$^";
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${words})`, "giu"))
    .map((part, at) => (at % 2 ? node("mark", part) : part));
}

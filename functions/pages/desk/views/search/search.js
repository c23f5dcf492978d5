/** Search: results by type, as one types. Down goes to the results, Enter opens the first. `#/search?q=` */
/** @import { FoundRecord } from "workdesk" @import { Answer, View } from "../../kit.js" */
import {
  addressOf, arrows, counted, draw, ending, get, input, keyed, more, node, quiet, say, section, state, time, to,
  trouble,
} from "../../kit.js";

const PAUSE_MS = 250; // After the last key.
/** The groups in their order on the page. @type {Record<FoundRecord["type"], string>} */
const NAMES = {
  task: "Tasks", service_request: "Requests", ticket: "Tickets", project: "Projects", milestone: "Milestones",
  activity: "Activities", comment: "Comments", ticket_message: "Messages",
};
const TYPES = Object.entries(NAMES);

/** @type {View} */
export async function view({ body, query, signal, filter }) {
  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  let answered = ""; // By the shown rows.
  const placeholder = "Beginnings of words, or the number of a record";
  const field = input("Words", "q",
    { type: "search", maxlength: 255, autocomplete: "off", value: query.get("q"), placeholder });
  const kinds = input("Type", "type", { options: [["", "All"], ...TYPES], value: query.get("type") });
  const [words, type] = [field, kinds].map((one) => /** @type {any} */ (one.querySelector("[name]")));
  const [results, end] = [node("div.results"), node("div")];
  field.classList.add("grow");
  body.append(node("div.filters.searching", field, kinds), results, end);
  arrows(results);

  const asked = () => `${words.value.trim()} ${type.value}`;
  const search = async () => {
    clearTimeout(timer);
    const [text, now] = [words.value.trim(), asked()];
    filter({ q: text || null, type: type.value || null });
    // Text that the API can search for.
    if (!/[\p{L}\p{N}]|[^\x00-\x7f]/u.test(text)) return show([], { data: [], next: null }, now, "");
    try {
      const parameters = { query: text, ...(type.value && { type: type.value }), limit: 50 };
      show([], await get("/api/search", parameters, { signal }), now);
    } catch (problem) {
      if (now === asked() && !signal.aborted) draw(end, trouble(problem, search));
    }
  };
  /** Shows rows, unless they answer what is no longer asked. @param {FoundRecord[]} before
   * @param {Answer<FoundRecord[]>} page @param {string} now @param {string} [none] */
  const show = (before, { data, next }, now, none = next ? "Nothing so far." : "Nothing found.") => {
    if (now !== asked()) return;
    answered = now;
    const found = [...before, ...data];
    draw(results, TYPES.map(([type, name]) => {
      const rows = found.filter((row) => row.type === type).map(line);
      return rows.length > 0 && keyed(type, section([name, node("span.count", rows.length)], node("ul.list.found", rows)));
    }));
    draw(end, ending(found.length === 0 && none, next,
      async (next) => show(found, await more(next, { signal }), now)));
    say(found.length ? `${counted(found.length, "result")}.` : none);
  };

  words.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE_MS);
  });
  words.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const first = results.querySelector("a");
    if (event.key === "ArrowDown") first?.focus();
    else if (event.key === "Enter" && answered === asked()) first?.click();
    else if (event.key === "Enter") void search();
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
    if (`${q} ${kind}` === asked()) return;
    [words.value, type.value] = [q, kind];
    void search();
  };
}

function line(/** @type {FoundRecord} */ { type, id, parent, projectId, title, excerpt, status, updatedAt }) {
  // Its own page, that of its parent, or that of its project, if there is one.
  const own = parent ? addressOf(parent.type, parent.recordId) : addressOf(type, id);
  const filter = type === "milestone" ? { milestone: `${id}` } : undefined;
  const href = own ?? (projectId && to(`/projects/${projectId}`, filter));
  const found = excerpt && excerpt !== title && quiet(excerpt);
  return node("li", { key: `${type} ${id}` }, node(href ? "a.grow" : "span.grow", { href }, node("span", title), found),
    status && state(status), node("span.quiet.when", time(updatedAt)));
}

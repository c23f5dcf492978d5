/** Search: results by type, as one types. Down goes to the results, Enter opens the first.
 * `#/search?q=` */
/** @import { FoundRecord } from "workdesk" @import { Answer, View } from "../../kit.js" */
import {
  addressOf, arrows, counted, draw, ending, get, input, keyed, more, node, quiet, say, section,
  state, time, to, trouble,
} from "../../kit.js";

const PAUSE_MS = 250; // After the last key.
const SEARCHED = /[\p{L}\p{N}]|[^\x00-\x7f]/u;
/** The groups in their order on the page. @type {Record<FoundRecord["type"], string>} */
const NAMES = {
  task: "Tasks", service_request: "Requests", ticket: "Tickets", project: "Projects",
  milestone: "Milestones",
  activity: "Activities", comment: "Comments", ticket_message: "Messages",
};
const TYPES = Object.entries(NAMES);

/** @type {View} */
export async function view({ body, query, signal, filter }) {
  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  const { field, kinds, words, type } = fieldsOf(query);
  const asked = () => `${words.value.trim()} ${type.value}`;
  const { results, end, show, isAnswered } = resultsOf(asked, signal);
  body.append(node("div.filters.searching", field, kinds), results, end);

  const search = async () => {
    clearTimeout(timer);
    const [text, kind, now] = [words.value.trim(), type.value, asked()];
    filter({ q: text || null, type: kind || null });
    // Text that the API can search for.
    if (!SEARCHED.test(text)) return show([], { data: [], next: null }, now, "");
    try {
      const parameters = { query: text, ...(kind && { type: /** @type {any} */ (kind) }),
        limit: 50 };
      show([], await get("/api/search", parameters, { signal }), now);
    } catch (problem) {
      if (now === asked() && !signal.aborted) draw(end, trouble(problem, search));
    }
  };
  words.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE_MS);
  });
  type.addEventListener("change", search);
  hearKeys(words, results, isAnswered, search);
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

/** The results of what is asked. @param {() => string} asked @param {AbortSignal} signal */
function resultsOf(asked, signal) {
  let answered = ""; // By the shown rows.
  const [results, end] = [node("div.results"), node("div")];
  arrows(results);
  /** Shows rows, unless they answer what is no longer asked. @param {FoundRecord[]} before
   * @param {Answer<FoundRecord[]>} page @param {string} now @param {string} [none] */
  const show = (before, { data, next }, now, none) => {
    if (now !== asked()) return;
    none ??= next ? "Nothing so far." : "Nothing found.";
    answered = now;
    const found = [...before, ...data];
    draw(results, groupsOf(found));
    draw(end, ending(found.length === 0 && none, next,
      async (next) => show(found, await more(next, { signal }), now)));
    say(found.length ? `${counted(found.length, "result")}.` : none);
  };
  return { results, end, show, isAnswered: () => answered === asked() };
}

/** The field of words and the choice of a type. @param {URLSearchParams} query */
function fieldsOf(query) {
  const placeholder = "Beginnings of words, or the number of a record";
  const field = input("Words", "q", { type: "search", maxlength: 255, autocomplete: "off",
    value: query.get("q"), placeholder });
  const kinds = input("Type", "type",
    { options: [["", "All"], ...TYPES], value: query.get("type") });
  field.classList.add("grow");
  return { field, kinds, words: /** @type {HTMLInputElement} */ (field.querySelector("[name]")),
    type: /** @type {HTMLSelectElement} */ (kinds.querySelector("[name]")) };
}

/** Results by type. @param {FoundRecord[]} found */
const groupsOf = (found) => TYPES.map(([type, name]) => {
  const rows = found.filter((row) => row.type === type).map(line);
  return rows.length > 0 && keyed(type,
    section([name, node("span.count", rows.length)], node("ul.list.found", rows)));
});

/** Down goes to the results, Up comes back, and Enter opens the first result.
 * @param {HTMLInputElement} words @param {HTMLElement} results @param {() => boolean} isAnswered
 * @param {() => unknown} search */
function hearKeys(words, results, isAnswered, search) {
  words.addEventListener("keydown", (event) => {
    const first = results.querySelector("a");
    if (event.key === "ArrowDown") first?.focus();
    else if (event.key === "Enter" && isAnswered()) first?.click();
    else if (event.key === "Enter") search();
    else return;
    event.preventDefault();
  });
  results.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowUp" && document.activeElement === results.querySelector("a")) words.focus();
  }, { capture: true });
}

function line(/** @type {FoundRecord} */ { type, id, parent, projectId, title, excerpt, status,
    updatedAt }) {
  // Its own page, that of its parent, or that of its project, if there is one.
  const own = parent ? addressOf(parent.type, parent.recordId) : addressOf(type, id);
  const filter = type === "milestone" ? { milestone: `${id}` } : undefined;
  const href = own ?? (projectId && to(`/projects/${projectId}`, filter));
  const found = excerpt && excerpt !== title && quiet(excerpt);
  return node("li", { key: `${type} ${id}` }, node(href ? "a.grow" : "span.grow", { href },
    node("span", title), found),
    status && state(status), node("span.quiet.when", time(updatedAt)));
}

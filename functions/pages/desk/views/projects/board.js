/** The board of a project: its tasks by status, filtered by phase and milestone. `#/projects/1?phase=2` */
/** @import { Choice, Records, View } from "../../kit.js" */
import {
  choicesOf, counted, denied, ending, fill, form, get, input, more, named, node, number, post, quiet, record,
  redraw, say, store, watch, words,
} from "../../kit.js";
import { columnsOf, STATUSES } from "./columns.js";
import { movesOf } from "./moves.js";
import { timeline } from "./timeline.js";

/** @typedef {"task" | "phase" | "milestone"} Part */

/** @type {View} */
export async function view({ header, body, query, signal, title, filter }, { id }) {
  const projectId = Number(id);
  const on = { projectId };
  /** @type {Record<Part, Set<number>>} */
  const ids = { task: new Set(), phase: new Set(), milestone: new Set() };
  /** @template {Part} T @param {T} type @param {Records[T][]} rows */
  const keep = (type, rows) => store(type, rows).forEach((row) => ids[type].add(row.id));
  /** @template {Part} T @param {T} type */
  const kept = (type) =>
    [...ids[type]].flatMap((one) => record(type, one) ?? []).filter((row) => row.projectId === projectId);
  const chosen = (/** @type {string} */ name) => Number(query.get(name)) || null;

  const known = record("project", projectId);
  title(known?.title ?? "Project");
  const [page, milestones] = await Promise.all([get("/api/projects/{projectId}/tasks", on, { signal }),
    get("/api/projects/{projectId}/milestones", on, { signal })]);
  keep("task", page.data);
  keep("milestone", milestones.data);
  // A view asks three times at most: a board without tasks needs no phases.
  const phases = "/api/projects/{projectId}/phases";
  if (page.data.length > 0) keep("phase", (await get(phases, on, { signal })).data);
  else if (!known) store("project", (await get("/api/projects/{id}", { id: projectId }, { signal })).data);
  title(page.data[0]?.project?.title ?? record("project", projectId)?.title ?? "Project");

  const [count, filters, problems, end] = [quiet(), node("div.filters"), node("div"), node("div")];
  const moves = movesOf(visible, show, problems);
  const columns = columnsOf(moves.move);
  const times = timeline(() => kept("milestone"), visible);

  /** The tasks that the filters leave, at the places where they are shown. */
  function visible() {
    const [phase, milestone] = [chosen("phase"), chosen("milestone")];
    return kept("task").filter((task) => (!phase || task.phaseId === phase)
      && (!milestone || task.milestoneId === milestone)).map(moves.placed);
  }

  function show() {
    const found = visible();
    const done = found.filter(({ status }) => status === "done").length;
    columns.show(found);
    times.show();
    count.textContent = `${counted(found.length, "task")}, ${number(done)} done`;
    const none = ids.task.size === 0 && "This project has no tasks yet.";
    fill(end, ending(none, page.next, readMore, "Show more tasks"));
    redraw(filters, /** @type {const} */ (["phase", "milestone"]).map((name) => {
      const onchange = (/** @type {any} */ { target }) => filter({ [name]: target.value });
      const options = /** @type {Choice[]} */ ([["", `All ${name}s`], ...choicesOf(kept(name))]);
      return [name, options[1] && input(words(name), name, { options, value: query.get(name), onchange })];
    }));
  }

  async function readMore(/** @type {string} */ from) {
    const { data, next } = await more(from, { signal });
    page.next = next;
    keep("task", data);
    show();
  }

  const add = form({
    fields: [input("Add a task", "title", { required: true, autocomplete: "off" }),
      input("Status", "status", { options: named(STATUSES), value: "todo" })],
    submit: "Add", draft: "new task", reason: denied("create_task"),
    act: async (values, made) => {
      const task = { phaseId: chosen("phase"), milestoneId: chosen("milestone"), ...on };
      const { data } = await post("/api/tasks", {}, /** @type {any} */ ({ ...values, ...task }));
      keep("task", [data]);
      /** @type {HTMLInputElement} */ (made.elements[0]).value = "";
      say(`Added ${data.title}`);
    },
  });
  add.classList.add("quick-add");
  header.append(count);
  body.append(node("div.board-head", filters, add), times.element, problems, columns.element, end);
  show();
  watch(signal, {
    wants: ({ type, recordId, parent }) => {
      const known = ids[/** @type {Part} */ (type)];
      if (known && parent?.type === "project" && parent.recordId === projectId) known.add(recordId);
      return known?.has(recordId) ?? false;
    },
    changed: show,
  });
  return (changed) => {
    query = changed;
    show();
  };
}

/** The board of a project: its tasks by status, with filters in the address. `#/projects/1?phase=2&task=7`
 *
 * First the open tasks, the numbers, milestones and phases are read; then the newest tasks that are over. */
/** @import { Records, View } from "../../kit.js" */
import {
  all, attempt, choicesOf, counted, draw, empty, everyone, get, named, node, number, PRIORITIES, quiet,
  record, say, store, TASK_STATUSES, watch,
} from "../../kit.js";
import { loaded } from "../../frame/release.js";
import { selectionOf } from "../../record/selection.js";
import { addingOf } from "./adding.js";
import { columnsOf } from "./columns.js";
import { fits, showFilters, startOf, wantedOf } from "./filters.js";
import { countsOf } from "./milestones.js";
import { movesOf } from "./moves.js";
import { opener } from "./opener.js";
import { panelOf } from "./panel.js";
import { tasksOf } from "./tasks.js";
import { timeline } from "./timeline.js";

/** @typedef {"phase" | "milestone"} Part */

/** @type {View} */
export async function view({ header, body, query, signal, title, filter }, { id }) {
  const projectId = Number(id);
  const on = { projectId };
  /** @type {Record<Part, Set<number>>} */
  const ids = { phase: new Set(), milestone: new Set() };
  /** @template {Part} T @param {T} type @param {Records[T][]} rows */
  const keep = (type, rows) => store(type, rows).forEach((row) => ids[type].add(row.id));
  /** @template {Part} T @param {T} type */
  const kept = (type) =>
    [...ids[type]].flatMap((one) => record(type, one) ?? []).filter((row) => row.projectId === projectId);
  const wanted = () => wantedOf(query);

  const tasks = tasksOf(projectId, signal, () => show());
  const counts = countsOf(tasks.kept);
  title(record("project", projectId)?.title ?? "Project");
  const [people, milestones, phases] = await Promise.all([everyone().catch(() => []),
    get("/api/projects/{projectId}/milestones", on, { signal }),
    get("/api/projects/{projectId}/phases", on, { signal }), tasks.read(wanted())]);
  keep("milestone", milestones.data);
  keep("phase", phases.data);
  await counts.take(milestones.data, signal);
  const [first] = tasks.kept();
  if (!first && !record("project", projectId)) {
    store("project", (await get("/api/projects/{id}", { id: projectId }, { signal })).data);
  }

  const [count, filters, problems, end] = [quiet(), node("div.filters"), node("div"), node("div")];
  const moves = movesOf(visible, show, problems);
  const isFiltered = () => Object.values(wanted()).some((one) => one !== null);
  /** @type {import("./columns.js").NumberOf} */
  const numberOf = (status, shown) => tasks.numberOf(status, shown, isFiltered());
  const selection = selectionOf("task", () => columns.ids(), {
    status: () => named(TASK_STATUSES), priority: () => named(PRIORITIES),
    assigneeId: () => [["0", "Nobody"], ...choicesOf(people)],
    milestoneId: () => [["0", "None"], ...choicesOf(kept("milestone"))],
    tagIds: async () => choicesOf(await all("/api/tags", {})) });
  const panel = panelOf({ signal, filter }, () => Number(query.get("task")) || 0, (card) => columns.focus(card));
  const columns = columnsOf(`${projectId}`, numberOf,
    { move: moves.move, open: panel.open, readAll: tasks.readAll, box: selection.box });
  const times = timeline(() => kept("milestone"), counts.of);
  const timesPlace = node("div", times.element);
  const timesOpener = opener("Milestones", timesPlace);

  /** The tasks that the filters leave, at the places where they are shown. */
  function visible() {
    const now = wanted();
    return tasks.kept().filter((task) => fits(task, now)).map(moves.placed);
  }

  function show() {
    title(record("project", projectId)?.title ?? tasks.kept()[0]?.project?.title ?? "Project");
    const found = visible();
    columns.show(found);
    selection.show();
    timesOpener.hidden = !times.show();
    const numbers = TASK_STATUSES.map((status) => ({ status,
      ...numberOf(status, found.filter((task) => task.status === status).length) }));
    const total = numbers.reduce((sum, one) => sum + one.number, 0);
    const done = numbers.find(({ status }) => status === "done");
    const more = numbers.every(({ isExact }) => isExact) ? "" : " or more";
    count.textContent = `${counted(total, "task")}${more}, ${number(done?.number ?? 0)} done`;
    draw(end, total === 0 && !more && !isFiltered() && empty("This project has no tasks yet."));
    showFilters(filters, { query, filter },
      { people, tasks: tasks.kept(), phase: kept("phase"), milestone: kept("milestone") });
  }

  const adding = addingOf(() => ({ ...startOf(wanted()), ...on }), (task) => {
    tasks.keep([task]);
    show();
    columns.reveal(task.id);
    say(`Added ${task.title}${fits(task, wanted()) ? "" : ". The filters hide it"}`);
  });
  const setupPlace = node("div.setup");
  let setup = /** @type {ReturnType<import("./setup.js")["setupOf"]> | undefined} */ (undefined);
  const openSetup = () => void attempt(setupPlace, async () => {
    const { setupOf } = await loaded(() => import("./setup.js"));
    setup ??= setupOf(setupPlace, projectId,
      { keep, phase: () => kept("phase"), milestone: () => kept("milestone") }, signal);
    await setup.read();
  });
  header.append(count, timesOpener, opener("Project parts", setupPlace, openSetup), adding.element);
  body.append(panel.element, filters, timesPlace, setupPlace,
    node("div", adding.place, problems, selection.element, columns.element), end);
  show();
  panel.show();
  columns.keepPlace(signal);
  // A file that is dropped beside a field does not leave the page.
  for (const type of ["dragover", "drop"]) {
    addEventListener(type, (event) => /** @type {DragEvent} */ (event).dataTransfer?.types.includes("Files")
      && event.preventDefault(), { signal });
  }
  watch(signal, {
    wants: ({ type, recordId, parent, action }) => {
      const known = type === "task" ? tasks.ids : ids[/** @type {Part} */ (type)];
      if (known && parent?.type === "project" && parent.recordId === projectId) known.add(recordId);
      if (type === "task" && action === "deleted") counts.forget(recordId);
      return (known?.has(recordId) ?? false) || setup?.wants(type, recordId) || false;
    },
    changed: () => {
      show();
      setup?.show();
    },
  });
  return (changed) => {
    const before = JSON.stringify(wanted());
    query = changed;
    panel.show();
    if (JSON.stringify(wanted()) === before) return;
    show();
    say(`${count.textContent}.`);
    tasks.readFor(wanted()).catch(() => {});
  };
}

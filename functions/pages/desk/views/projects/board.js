/** The board of a project: its tasks by status, with filters in the address.
 * `#/projects/1?phase=2&task=7`
 *
 * First the open tasks, the numbers, milestones and phases are read; then the newest tasks that are
 * over. */
/** @import { Context, Records, View } from "../../kit.js" */
import {
  attempt, choicesOf, counted, draw, empty, everyone, get, named, node, number, PRIORITIES, quiet,
  record, say, store, TASK_STATUSES, watch,
} from "../../kit.js";
import { loaded } from "../../frame/release.js";
import { selectionOf } from "../../record/selection.js";
import { tagChoices } from "../../record/tags.js";
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
/** @typedef {Awaited<ReturnType<typeof readBoard>>} Known */

/** @type {View} */
export async function view(context, { id }) {
  const { header, body, query, signal, title } = context;
  const projectId = Number(id);
  title(record("project", projectId)?.title ?? "Project");
  const known = await readBoard(projectId, query, signal, () => show());
  const { count, filters, problems, end, selection, panel, columns, times, show } =
    shownOf(known, context);
  const adding = addingOf(() => ({ ...startOf(known.wanted()), projectId }), (task) => {
    known.tasks.keep([task]);
    show();
    columns.reveal(task.id);
    say(`Added ${task.title}${fits(task, known.wanted()) ? "" : ". The filters hide it"}`);
  });
  const setup = setupIn(known, signal);
  header.append(count, times.opener, opener("Project parts", setup.place, setup.open),
    adding.element);
  body.append(panel.element, filters, times.place, setup.place,
    node("div", adding.place, problems, selection.element, columns.element), end);
  show();
  panel.show();
  columns.keepPlace(signal);
  keepsFilesOut(signal);
  watchBoard(known, setup, show, signal);
  return (changed) => {
    const before = JSON.stringify(known.wanted());
    known.query = changed;
    panel.show();
    if (JSON.stringify(known.wanted()) === before) return;
    show();
    say(`${count.textContent}.`);
    known.tasks.readFor(known.wanted()).catch(() => {});
  };
}

/** What the board knows of its project, and what the address asks for.
 * @param {number} projectId @param {URLSearchParams} query @param {AbortSignal} signal
 * @param {() => void} changed called when more tasks were read */
async function readBoard(projectId, query, signal, changed) {
  const on = { projectId };
  const parts = partsOf(projectId);
  const tasks = tasksOf(projectId, signal, changed);
  const counts = countsOf(tasks.kept);
  const [people, milestones, phases] = await Promise.all([everyone().catch(() => []),
    get("/api/projects/{projectId}/milestones", on, { signal }),
    get("/api/projects/{projectId}/phases", on, { signal }), tasks.read(wantedOf(query))]);
  parts.keep("milestone", milestones.data);
  parts.keep("phase", phases.data);
  await counts.take(milestones.data, signal);
  if (!tasks.kept()[0] && !record("project", projectId)) {
    store("project", (await get("/api/projects/{id}", { id: projectId }, { signal })).data);
  }
  const known = { projectId, query, parts, tasks, counts, people,
    wanted: () => wantedOf(known.query),
    isFiltered: () => Object.values(known.wanted()).some((one) => one !== null) };
  return known;
}

/** The phases and milestones of a project. @param {number} projectId */
function partsOf(projectId) {
  /** @type {Record<Part, Set<number>>} */
  const ids = { phase: new Set(), milestone: new Set() };
  /** @template {Part} T @param {T} type @param {Records[T][]} rows */
  const keep = (type, rows) => store(type, rows).forEach((row) => ids[type].add(row.id));
  /** @template {Part} T @param {T} type */
  const kept = (type) => [...ids[type]].flatMap((one) => record(type, one) ?? [])
    .filter((row) => row.projectId === projectId);
  return { ids, keep, kept };
}

/** What the board shows. @param {Known} known @param {Context} context */
function shownOf(known, { signal, title, filter }) {
  const { projectId, tasks, parts, people } = known;
  const [count, filters, problems, end] = [quiet(), node("div.filters"), node("div"), node("div")];
  const moves = movesOf(visible, show, problems);
  /** @type {import("./columns.js").NumberOf} */
  const numberOf = (status, shown) => tasks.numberOf(status, shown, known.isFiltered());
  const selection = selectionIn(known, () => columns.ids());
  const panel = panelOf({ signal, filter }, () => Number(known.query.get("task")) || 0,
    (card) => columns.focus(card));
  const columns = columnsOf(`${projectId}`, numberOf,
    { move: moves.move, open: panel.open, readAll: tasks.readAll, box: selection.box });
  const times = timesOf(known);

  /** The tasks that the filters leave, at the places where they are shown. */
  function visible() {
    const now = known.wanted();
    return tasks.kept().filter((task) => fits(task, now)).map(moves.placed);
  }

  function show() {
    title(record("project", projectId)?.title ?? tasks.kept()[0]?.project?.title ?? "Project");
    const found = visible();
    columns.show(found);
    selection.show();
    times.show();
    const { text, isEmpty } = summary((status) =>
      numberOf(status, found.filter((task) => task.status === status).length));
    count.textContent = text;
    draw(end, isEmpty && !known.isFiltered() && empty("This project has no tasks yet."));
    showFilters(filters, { query: known.query, filter }, { people, tasks: tasks.kept(),
      phase: parts.kept("phase"), milestone: parts.kept("milestone") });
  }
  return { count, filters, problems, end, selection, panel, columns, times, show };
}

/** How many tasks there are, in words. @param {(status: typeof TASK_STATUSES[number]) =>
 *   { number: number, isExact: boolean }} numberOf */
function summary(numberOf) {
  const numbers = TASK_STATUSES.map((status) => ({ status, ...numberOf(status) }));
  const total = numbers.reduce((sum, one) => sum + one.number, 0);
  const done = numbers.find(({ status }) => status === "done");
  const more = numbers.every(({ isExact }) => isExact) ? "" : " or more";
  return { text: `${counted(total, "task")}${more}, ${number(done?.number ?? 0)} done`,
    isEmpty: total === 0 && !more };
}

/** Changes several tasks of the board. @param {Known} known @param {() => number[]} ids in sight */
const selectionIn = ({ people, parts }, ids) => selectionOf("task", ids, {
  status: () => named(TASK_STATUSES), priority: () => named(PRIORITIES),
  assigneeId: () => [["0", "Nobody"], ...choicesOf(people)],
  milestoneId: () => [["0", "None"], ...choicesOf(parts.kept("milestone"))],
  tagIds: tagChoices });

/** The milestones, which a button shows. @param {Known} known */
function timesOf({ parts, counts }) {
  const times = timeline(() => parts.kept("milestone"), counts.of);
  const place = node("div", times.element);
  const pressed = opener("Milestones", place);
  return { place, opener: pressed, show: () => (pressed.hidden = !times.show()) };
}

/** What the project is made of, loaded when it is opened.
 * @param {Known} known @param {AbortSignal} signal */
function setupIn({ projectId, parts: { keep, kept } }, signal) {
  const place = node("div.setup");
  let setup = /** @type {ReturnType<import("./setup.js")["setupOf"]> | undefined} */ (undefined);
  const open = () => void attempt(place, async () => {
    const { setupOf } = await loaded(() => import("./setup.js"));
    setup ??= setupOf(place, projectId,
      { keep, phase: () => kept("phase"), milestone: () => kept("milestone") }, signal);
    await setup.read();
  });
  const wants = (/** @type {string} */ type, /** @type {number} */ id) =>
    setup?.wants(type, id) ?? false;
  return { place, open, wants, show: () => setup?.show() };
}

/** A file that is dropped beside a field does not leave the page. @param {AbortSignal} signal */
function keepsFilesOut(signal) {
  for (const type of ["dragover", "drop"]) {
    addEventListener(type, (event) => /** @type {DragEvent} */ (event).dataTransfer?.types
      .includes("Files") && event.preventDefault(), { signal });
  }
}

/** Shows what others change. @param {Known} known @param {ReturnType<typeof setupIn>} setup
 * @param {() => void} show @param {AbortSignal} signal */
function watchBoard({ projectId, tasks, parts, counts }, setup, show, signal) {
  watch(signal, {
    wants: ({ type, recordId, parent, action }) => {
      const ids = type === "task" ? tasks.ids : parts.ids[/** @type {Part} */ (type)];
      if (ids && parent?.type === "project" && parent.recordId === projectId) ids.add(recordId);
      if (type === "task" && action === "deleted") counts.forget(recordId);
      return (ids?.has(recordId) ?? false) || setup.wants(type, recordId);
    },
    changed: () => {
      show();
      setup.show();
    },
  });
}

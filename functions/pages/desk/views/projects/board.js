/** The board of a project: its tasks by status, filtered by phase and milestone. `#/projects/1?phase=2&milestone=3` */

/** @import { JoinedTask } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, more, post } from "../../api/client.js";
import { put, record, watch } from "../../api/records.js";
import { button, empty, field, form, node, number, select, words } from "../../elements.js";
import { say } from "../../frame/frame.js";
import { denied } from "../../frame/session.js";
import { columnsOf, STATUSES } from "./columns.js";
import { movesOf } from "./moves.js";
import { timeline } from "./timeline.js";

/** @param {Context} context @param {Record<string, string>} parameters */
export async function view({ header, body, query, signal, title, filter }, parameters) {
  const projectId = Number(parameters["id"]);
  const ids = { task: new Set(), phase: new Set(), milestone: new Set() };
  /**
   * Keeps records of the board, and their ids.
   * @template {keyof ids} T @param {T} type @param {import("../../api/records.js").Records[T][]} rows
   */
  const keep = (type, rows) => put(type, rows).forEach(({ id }) => ids[type].add(id));
  /** @template {keyof ids} T @param {T} type */
  const kept = (type) => [...ids[type]].flatMap((id) => record(type, id) ?? []);

  const known = record("project", projectId);
  if (known) title(known.title);
  const [page, { data: milestoneRows }] = await Promise.all([
    get("/api/projects/{projectId}/tasks", { projectId }, { signal }),
    get("/api/projects/{projectId}/milestones", { projectId }, { signal }),
  ]);
  keep("task", page.data);
  keep("milestone", milestoneRows);
  // A view asks three times at most: a board without tasks needs no phases.
  if (page.data.length > 0) keep("phase", (await get("/api/projects/{projectId}/phases", { projectId }, { signal })).data);
  else if (!known) put("project", (await get("/api/projects/{id}", { id: projectId }, { signal })).data);
  title(page.data[0]?.project?.title ?? record("project", projectId)?.title ?? "Project");

  const count = node("span", { class: "quiet" });
  const phase = select("phase", [], "", { onchange: () => filter({ phase: phase.value }) });
  const milestone = select("milestone", [], "", { onchange: () => filter({ milestone: milestone.value }) });
  const problems = node("div", {});
  const moves = movesOf(visible, show, problems);
  const columns = columnsOf(moves.move);
  const times = timeline(() => kept("milestone"), visible);
  const [phaseField, milestoneField] = [field("Phase", phase), field("Milestone", milestone)];
  header.append(count);
  body.append(
    node("div", { class: "board-head" }, node("div", { class: "filters" }, phaseField, milestoneField), quickAdd()),
    times.element, problems, columns.element);
  if (page.next) body.append(moreTasks(page.next));

  /** The tasks that the filters leave, at the places where they are shown. */
  function visible() {
    const [inPhase, inMilestone] = [Number(query.get("phase")), Number(query.get("milestone"))];
    return kept("task")
      .filter((task) => !(inPhase && task.phaseId !== inPhase) && !(inMilestone && task.milestoneId !== inMilestone))
      .map(moves.placed);
  }

  function show() {
    const found = visible();
    columns.show(found);
    const done = found.filter(({ status }) => status === "done").length;
    count.textContent = `${number(found.length)} ${found.length === 1 ? "task" : "tasks"}, ${number(done)} done`;
    problems.querySelector(".empty")?.remove();
    if (ids.task.size === 0) problems.append(empty("This project has no tasks yet."));
  }

  function showFilters() {
    fill(phase, "All phases", kept("phase"), query.get("phase"));
    fill(milestone, "All milestones", kept("milestone"), query.get("milestone"));
    phaseField.hidden = ids.phase.size === 0;
    milestoneField.hidden = ids.milestone.size === 0;
    times.show();
  }

  function quickAdd() {
    const name = node("input", { name: "title", required: true, autocomplete: "off" });
    const status = select("status", STATUSES.map((one) => [one, words(one)]), "todo");
    const made = form({
      fields: [field("Add a task", name), field("Status", status)],
      submit: "Add", draft: "new task", reason: denied("create_task"),
      act: async () => {
        const [phaseId, milestoneId] = [Number(query.get("phase")) || null, Number(query.get("milestone")) || null];
        const chosen = /** @type {JoinedTask["status"]} */ (status.value);
        const { data } = await post("/api/tasks", {}, { title: name.value, status: chosen, projectId, phaseId, milestoneId });
        keep("task", [data]);
        name.value = "";
        say(`Added ${data.title}`);
      },
    });
    made.classList.add("quick-add");
    return made;
  }

  /** @param {string} next */
  function moreTasks(next) {
    const place = node("div", {}, button("Show more tasks", async () => {
      const page = await more(next, { signal });
      keep("task", page.data);
      show();
      place.replaceWith(page.next ? moreTasks(page.next) : "");
    }));
    return place;
  }

  show();
  showFilters();
  watch(signal, {
    wants: ({ type, recordId, parent }) => type in ids
      && ((parent?.type === "project" && parent.recordId === projectId) || ids[/** @type {keyof ids} */ (type)].has(recordId)),
    changed: (keys) => {
      for (const key of keys) {
        const [type, id] = /** @type {[keyof ids, string]} */ (key.split(":"));
        if (record(type, Number(id))?.projectId === projectId) ids[type]?.add(Number(id));
        else ids[type]?.delete(Number(id));
      }
      show();
      showFilters();
    },
  });
  return (/** @type {URLSearchParams} */ changed) => {
    query = changed;
    show();
    showFilters();
  };
}

/** @param {HTMLSelectElement} control @param {string} all @param {{ id: number, title: string }[]} found
 * @param {string | null} chosen */
function fill(control, all, found, chosen) {
  const choices = [["", all], ...found.map(({ id, title }) => [String(id), title])];
  if (control.dataset["choices"] !== JSON.stringify(choices)) {
    control.replaceChildren(...choices.map(([value, label]) => node("option", { value }, label)));
    control.dataset["choices"] = JSON.stringify(choices);
  }
  control.value = chosen ?? "";
}

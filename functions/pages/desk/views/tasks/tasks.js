/** Tasks: the list of all, and one: its text, fields, tags, comments and history. `#/tasks`,
 * `#/tasks/7` */
/** @import { JoinedTask } from "workdesk" @import { Context, View } from "../../kit.js" */
/** @import { Field } from "../../record/record.js" */
import {
  all, ask, button, choicesOf, denied, due, go, input, link, me, named, node, person, post,
  PRIORITIES, quiet, record, state, store, TASK_OVER, TASK_STATUSES, to, unreadMark,
} from "../../kit.js";
import {
  assignee, chips, commented, list, page, stateField, tagChoices, tagField,
} from "../../record/record.js";

/** @type {View} */
export function view(context, parameters) {
  if (!parameters["id"]) return tasks(context);
  const id = Number(parameters["id"]);
  const comments = "/api/tasks/{taskId}/comments";
  return page(context, {
    type: "task", noun: "task", id, path: "/api/tasks/{id}", on: { id }, permission: "update_task",
    said: "Comments", described: true,
    talk: async () => {
      const read = await commented("task", id, comments, { taskId: id }, "comment_activity",
        context.signal);
      const task = record("task", id);
      if (task?.phaseId && !record("phase", task.phaseId)) await phases(task);
      return read;
    },
    about: ({ project: of }) =>
      [`Task ${id}`, of && [" in ", link(to(`/projects/${of.id}`), of.title)]],
    names: async (task) => ({ phaseId: await phases(task),
      milestoneId: task.projectId ? await milestones(task) : [],
      tagIds: await all("/api/tags", {}) }),
    fields: (people) => [stateField("status", () => named(TASK_STATUSES)),
      stateField("priority", () => named(PRIORITIES)), assignee(people), ...FIELDS,
      tagField("task")],
    erase: ({ projectId }) =>
      ({ reason: denied("delete_task"), path: projectId ? `/projects/${projectId}` : "/" }),
  });
}

const OPEN = TASK_STATUSES.filter((one) => !TASK_OVER.includes(one)).join(",");

/** What the filters of the list need: projects and tags. */
async function parts() {
  const [projects, tags] = await Promise.all([all("/api/projects", {}), tagChoices()]);
  return { projects: choicesOf(projects), tags };
}

/** The list: at first the open tasks; those of one person by their due dates.
 * @param {Context} context */
function tasks(context) {
  const known = parts();
  known.catch(() => {});
  context.header.append(button("New task", async () => create((await known).projects),
    { kind: "main", key: "c", reason: denied("create_task") }));
  return list(context, { ...LIST, read: () => known });
}

/** Asks for a new task, of a project or of none.
 * @param {import("../../kit.js").Choice[]} projects */
function create(projects) {
  ask("New task", {
    fields: [input("Title", "title", { required: true, maxlength: 255 }),
      input("Project", "projectId", { options: [["", "None"], ...projects] }),
      input("Priority", "priority", { options: named(PRIORITIES.toReversed()), value: "medium" })],
    submit: "Create", draft: "task",
    act: async ({ title, projectId, priority }) => {
      const of = projectId ? { projectId: Number(projectId) }
        : { organizationId: me().organization.id };
      const { data } = await post("/api/tasks", {}, { title, priority, ...of });
      store("task", data);
      go(`/tasks/${data.id}`);
    },
  });
}

/** @type {import("../../kit.js").Choice} */
const DUE_FIRST = ["dueDate", "Due first"];
/** The API orders the tasks of one person by their due dates. @param {URLSearchParams} query */
const isOnePerson = (query) => /^(me|\d+)$/.test(query.getAll("assigneeId").join(","));

/** @type {import("../../list.js").Listed} */
const LIST = { type: "task", noun: "task", list: "/api/tasks",
  defaults: { status: [OPEN] },
  filters: (people, { projects = [], tags = [] } = {}) => [
    ["Status", "status", [["any", "Any"], [OPEN, "Open"], ...named(TASK_STATUSES)]],
    ["Priority", "priority", [["", "Any"], ...named(PRIORITIES.toReversed())]],
    ["Assignee", "assigneeId", [["", "Anyone"], ["me", "Me"], ["none", "Nobody"], ...people]],
    ["Project", "projectId", [["", "Any"], ...projects]], ["Tag", "tagId", [["", "Any"], ...tags]]],
  orders: (query) => [...(isOnePerson(query) ? [DUE_FIRST] : []), ["-updatedAt", "Changed last"],
    ["-createdAt", "Newest"]],
  fields: (people) => ({ status: () => named(TASK_STATUSES), priority: () => named(PRIORITIES),
    assigneeId: () => [["0", "Nobody"], ...people()], tagIds: tagChoices }),
  line: (task, _people, box, isUnread) => line(task, box(task), isUnread) };

/** A row of the list. @param {JoinedTask} task @param {HTMLElement | null} box
 * @param {boolean} isUnread */
function line(task, box, isUnread) {
  const { id, title, status, priority, assignee: user, dueDate, project, tags } = task;
  return node("li", box,
    node("div.grow.named", node("a", { href: to(`/tasks/${id}`) }, node("bdi", title),
      unreadMark(isUnread)), chips(tags)),
    state(status), state(priority), person(user), quiet(project?.title ?? ""),
    node("span.when", dueDate && due(dueDate, !TASK_OVER.includes(status), "")));
}

/** @type {Field[]} */
const FIELDS = [
  { label: "Due", name: "dueDate",
    shown: ({ dueDate, status }) => dueDate && due(dueDate, !TASK_OVER.includes(status), "") },
  {
    label: "Milestone", name: "milestoneId", shown: ({ milestone }) => milestone?.title,
    choices: async ({ projectId }) => [["", "None"],
      ...choicesOf(projectId ? await milestones({ projectId }) : [])],
  },
  { label: "Phase", name: "phaseId",
    shown: ({ phaseId }) => phaseId && (record("phase", phaseId)?.title ?? `Phase ${phaseId}`),
    choices: async (task) => [["", "None"], ...choicesOf(await phases(task))] },
];

/** Reads the phases of a project, also for their names.
 * @param {{ projectId: number | null }} task */
const phases = async ({ projectId }) =>
  (projectId ? store("phase", await all("/api/projects/{projectId}/phases", { projectId })) : []);

const milestones = (/** @type {{ projectId: number }} */ { projectId }) =>
  all("/api/projects/{projectId}/milestones", { projectId });

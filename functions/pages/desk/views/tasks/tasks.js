/** Tasks: the list of all, and one: its text, fields, tags, comments and history. `#/tasks`, `#/tasks/7` */
/** @import { Context, View } from "../../kit.js" @import { Field } from "../../record/record.js" */
import {
  all, ask, button, choicesOf, denied, due, empty, go, input, link, me, named, node, person, post, PRIORITIES,
  quiet, record, state, store, TASK_OVER, TASK_STATUSES, to, trouble, unreadMark,
} from "../../kit.js";
import { assignee, commented, list, page, setTag, stateField } from "../../record/record.js";

/** @type {View} */
export function view(context, parameters) {
  if (!parameters["id"]) return tasks(context);
  const id = Number(parameters["id"]);
  const comments = "/api/tasks/{taskId}/comments";
  return page(context, {
    type: "task", noun: "task", id, path: "/api/tasks/{id}", on: { id }, permission: "update_task",
    said: "Comments", described: true,
    talk: async () => {
      const read = await commented("task", id, comments, { taskId: id }, "comment_activity", context.signal);
      const task = record("task", id);
      if (task?.phaseId && !record("phase", task.phaseId)) await phases(task);
      return read;
    },
    about: ({ project: of }) => [`Task ${id}`, of && [" in ", link(to(`/projects/${of.id}`), of.title)]],
    names: async (task) => ({ phaseId: await phases(task),
      milestoneId: task.projectId ? await milestones(task) : [], tagIds: await all("/api/tags", {}) }),
    fields: (people) => [stateField("status", () => named(TASK_STATUSES)),
      stateField("priority", () => named(PRIORITIES)), assignee(people), ...FIELDS],
    erase: ({ projectId }) =>
      ({ reason: denied("delete_task"), path: projectId ? `/projects/${projectId}` : "/" }),
  });
}

const OPEN = TASK_STATUSES.filter((one) => !TASK_OVER.includes(one)).join(",");

/** What the filters of the list need: projects and tags. */
async function parts() {
  const [projects, tags] = await Promise.all([all("/api/projects", {}), all("/api/tags", {})]);
  return { projects: choicesOf(projects), tags: choicesOf(tags) };
}

/** The list: at first the open tasks; those of one person by their due dates. @param {Context} context */
function tasks(context) {
  const known = parts();
  known.catch(() => {});
  context.header.append(button("New task", async () => create((await known).projects),
    { kind: "main", key: "c", reason: denied("create_task") }));
  return list(context, { ...LIST, read: () => known.catch(() => undefined) });
}

/** Asks for a new task, of a project or of none. @param {import("../../kit.js").Choice[]} projects */
function create(projects) {
  ask("New task", {
    fields: [input("Title", "title", { required: true, maxlength: 255 }),
      input("Project", "projectId", { options: [["", "None"], ...projects] }),
      input("Priority", "priority", { options: named(PRIORITIES.toReversed()), value: "medium" })],
    submit: "Create", draft: "task",
    act: async ({ title, projectId, priority }) => {
      const of = projectId ? { projectId: Number(projectId) } : { organizationId: me().organization.id };
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
const tagChoices = async () => choicesOf(await all("/api/tags", {}));

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
  line: ({ id, title, status, priority, assignee: user, dueDate, project }, _people, box, isUnread) => node("li",
    box({ id, title }), node("a.grow", { href: to(`/tasks/${id}`) }, node("bdi", title), unreadMark(isUnread)),
    state(status), state(priority), person(user), quiet(project?.title ?? ""),
    node("span.when", dueDate && due(dueDate, !TASK_OVER.includes(status), ""))) };

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
  { label: "Tags", name: "tags", editor: tagBoxes,
    shown: ({ tags }) => tags.map((/** @type {{ name: string }} */ { name }) => name).join(", ") },
];

/** Reads the phases of a project, also for their names. @param {{ projectId: number | null }} task */
const phases = async ({ projectId }) =>
  (projectId ? store("phase", await all("/api/projects/{projectId}/phases", { projectId })) : []);

const milestones = (/** @type {{ projectId: number }} */ { projectId }) =>
  all("/api/projects/{projectId}/milestones", { projectId });

/** A box for each tag of the organization. @param {any} task @param {() => void} close */
async function tagBoxes({ id, tags: attached }, close) {
  const tags = await all("/api/tags", {});
  const failed = node("div");
  const set = async (/** @type {any} */ box, /** @type {number} */ tagId) => {
    failed.replaceChildren();
    try {
      await setTag("task", id, tagId, box.checked);
    } catch (problem) {
      box.checked = !box.checked;
      failed.append(trouble(problem));
    }
  };
  const box = (/** @type {{ id: number, name: string }} */ tag) => node("label", node("input", {
    type: "checkbox", checked: attached.some((/** @type {typeof tag} */ one) => one.id === tag.id),
    onchange: ({ target }) => set(target, tag.id) }), tag.name);
  return node("fieldset", node("legend.only-read", "Tags"), tags.map(box), failed,
    tags.length === 0 && empty("The organization has no tags."), button("Close", close));
}

/** A task: its text, fields, tags, comments and history. `#/tasks/7` */
/** @import { View } from "../../kit.js" @import { Field } from "../../record/record.js" */
import {
  all, button, choicesOf, denied, due, empty, get, link, named, node, post, PRIORITIES, record, remove, store,
  TASK_OVER, TASK_STATUSES, to, trouble,
} from "../../kit.js";
import { assignee, commented, page, stateField } from "../../record/record.js";

/** @type {View} */
export function view(context, parameters) {
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
    fields: (people) => [stateField("status", () => named(TASK_STATUSES)),
      stateField("priority", () => named(PRIORITIES)), assignee(people), ...FIELDS],
    erase: ({ projectId }) =>
      ({ reason: denied("delete_task"), path: projectId ? `/projects/${projectId}` : "/" }),
  });
}

/** @type {Field[]} */
const FIELDS = [
  { label: "Due", name: "dueDate",
    shown: ({ dueDate, status }) => dueDate && due(dueDate, !TASK_OVER.includes(status), "") },
  {
    label: "Milestone", name: "milestoneId", shown: ({ milestone }) => milestone?.title,
    choices: async ({ projectId }) => [["", "None"],
      ...choicesOf(projectId ? await all("/api/projects/{projectId}/milestones", { projectId }) : [])],
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

/** A box for each tag of the organization. @param {any} task @param {() => void} close */
async function tagBoxes({ id, tags: attached }, close) {
  const tags = await all("/api/tags", {});
  const failed = node("div");
  const set = async (/** @type {any} */ box, /** @type {number} */ tagId) => {
    failed.replaceChildren();
    try {
      if (box.checked) await post("/api/tasks/{taskId}/tags", { taskId: id }, { tagId });
      else await remove("/api/tasks/{taskId}/tags/{tagId}", { taskId: id, tagId });
      store("task", (await get("/api/tasks/{id}", { id })).data);
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

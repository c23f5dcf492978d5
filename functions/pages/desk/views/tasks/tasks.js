/** A task: its text, fields, tags, comments and history. `#/tasks/7` */
/** @import { View } from "../../kit.js" */
/** @import { Field } from "../../record/fields.js" */
import {
  all, button, denied, due, empty, everyone, get, link, named, node, post, record, remove, store, to, trouble,
} from "../../kit.js";
import { assignee, choicesOf, page, stateField } from "../../record/page.js";
import { comments } from "../../record/talk.js";
import { ENDED, STATUSES } from "../projects/columns.js";

/** @type {View} */
export async function view(context, parameters) {
  const { signal, title } = context;
  const id = Number(parameters["id"]);
  title(record("task", id)?.title ?? "Task");
  const [{ data }, talk, people] = await Promise.all([
    get("/api/tasks/{id}", { id }, { signal }),
    comments("/api/tasks/{taskId}/comments", { taskId: id }, "task", id, "comment_activity", signal),
    everyone().catch(() => []),
  ]);
  store("task", data);
  if (data.phaseId && !record("phase", data.phaseId)) await phases(data);
  page(context, {
    type: "task", noun: "task", id, path: "/api/tasks/{id}", on: { id }, permission: "update_task",
    talk: ["Comments", talk.element], wants: talk.wants, changed: talk.show, described: true,
    about: ({ project: of }) => [`Task ${id}`, of && [" in ", link(to(`/projects/${of.id}`), of.title)]],
    fields: [stateField("status", () => named(STATUSES)),
      stateField("priority", () => named(["low", "medium", "high", "urgent"])), assignee(people), ...FIELDS],
    erase: {
      reason: denied("delete_task"), path: ({ projectId }) => (projectId ? `/projects/${projectId}` : "/"),
    },
  });
}

/** @type {Field[]} */
const FIELDS = [
  {
    label: "Due", name: "dueDate",
    shown: ({ dueDate, status }) => dueDate && due(dueDate, !ENDED.has(status), ""),
  },
  {
    label: "Milestone", name: "milestoneId", shown: ({ milestone }) => milestone?.title,
    choices: async ({ projectId }) => [["", "None"],
      ...choicesOf(projectId ? await all("/api/projects/{projectId}/milestones", { projectId }) : [])],
  },
  {
    label: "Phase", name: "phaseId",
    shown: ({ phaseId }) => phaseId && (record("phase", phaseId)?.title ?? `Phase ${phaseId}`),
    choices: async (task) => [["", "None"], ...choicesOf(await phases(task))],
  },
  {
    label: "Tags", name: "tags", editor: tagBoxes,
    shown: ({ tags }) => tags.map((/** @type {{ name: string }} */ { name }) => name).join(", "),
  },
];

/** Reads the phases of a project, also for their names. @param {{ projectId: number | null }} task */
async function phases({ projectId }) {
  return projectId ? store("phase", await all("/api/projects/{projectId}/phases", { projectId })) : [];
}

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
    onchange: ({ target }) => set(target, tag.id),
  }), tag.name);
  return node("fieldset", node("legend.only-read", "Tags"), tags.map(box), failed,
    tags.length === 0 && empty("The organization has no tags."), button("Close", close));
}

/** A board: the tasks of a project in columns by status. What others change appears without a reload. */

import type { JoinedTask, ProjectId, TaskId } from "./api";
import { api, dataOf } from "./client";
import { follow } from "./follow";

const STATUSES = ["todo", "in_progress", "done"] as const;
type Status = (typeof STATUSES)[number];

/** Shows the board of a project in an element until `signal` aborts. */
export async function board(project: ProjectId, into: Element, signal: AbortSignal): Promise<void> {
  const shown = follow(project, (tasks) => into.replaceChildren(...columns([...tasks.values()])), signal);
  await shown.catch((error: unknown) => {
    if (!signal.aborted) {
      throw error;
    }
  });
}

/** Adds a task to the project. */
export async function add(projectId: ProjectId, title: string): Promise<TaskId> {
  const task = await dataOf(api.POST("/api/tasks", { body: { title, projectId } }));
  return task.id;
}

/** Comments on a task. */
export async function comment(taskId: TaskId, content: string): Promise<void> {
  const params = { path: { taskId } };
  await dataOf(api.POST("/api/tasks/{taskId}/comments", { params, body: { content } }));
}

/** Deletes a task. */
export async function remove(id: TaskId): Promise<void> {
  await dataOf(api.DELETE("/api/tasks/{id}", { params: { path: { id } } }));
}

/** Drops a task into a column: before the card under it, or at the end. */
async function drop(id: TaskId, status: Status, before: TaskId | undefined): Promise<void> {
  const path = { id };
  if (before === undefined || before === id) {
    await dataOf(api.PATCH("/api/tasks/{id}", { params: { path }, body: { status } }));
  } else {
    const params = { path };
    await dataOf(api.POST("/api/tasks/{id}/move", { params, body: { before, status } }));
  }
}

function columns(tasks: JoinedTask[]): Element[] {
  tasks.sort((one, other) => one.order - other.order || one.id - other.id);
  return STATUSES.map((status) => {
    const column = document.createElement("section");
    column.dataset["status"] = status;
    column.append(...tasks.filter((task) => task.status === status).map(card));
    column.addEventListener("dragover", (event) => event.preventDefault());
    column.addEventListener("drop", (event) => {
      event.preventDefault();
      const under = (event.target as Element).closest<HTMLElement>("article")?.dataset["id"];
      const id = Number(event.dataTransfer?.getData("text/plain"));
      void drop(id, status, under === undefined ? undefined : Number(under));
    });
    return column;
  });
}

function card(task: JoinedTask): Element {
  const card = document.createElement("article");
  card.dataset["id"] = String(task.id);
  card.draggable = true;
  card.textContent = task.title;
  card.addEventListener("dragstart", (event) => {
    event.dataTransfer?.setData("text/plain", String(task.id));
  });
  return card;
}

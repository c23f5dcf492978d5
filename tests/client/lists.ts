/** What a client does with lists and writes beside others: several values, pages, conflicts, replays. */

import type { JoinedTask, ProjectId, TaskId } from "./api";
import { api, dataOf, nextPage, problemOf } from "./client";

/** Works on a project's tasks. Throws if the API does otherwise than its document says. */
export async function listsAndConflicts(projectId: ProjectId): Promise<void> {
  const [open, begun] = [await added(projectId, "todo"), await added(projectId, "in_progress")];
  const closed = await added(projectId, "done");
  await severalValues(projectId, [open, begun], closed);
  await severalPages(projectId);
  await byId([begun, open]);
  await conflict(open);
  await replay(projectId);
  for (const id of [open, begun, closed]) {
    await dataOf(api.DELETE("/api/tasks/{id}", { params: { path: { id } } }));
  }
}

async function added(projectId: ProjectId, status: "todo" | "in_progress" | "done"): Promise<TaskId> {
  const task = await dataOf(api.POST("/api/tasks", { body: { title: "Compare", projectId, status } }));
  return task.id;
}

/** Filters by two values. openapi-fetch repeats the parameter, whatever the document says of it. */
async function severalValues(project: ProjectId, wanted: TaskId[], unwanted: TaskId): Promise<void> {
  const query = { status: ["todo" as const, "in_progress" as const], projectId: [project, "none" as const] };
  const ids = (await dataOf(api.GET("/api/tasks", { params: { query } }))).map(({ id }) => id);
  check(wanted.every((id) => ids.includes(id)), "tasks of both values");
  check(!ids.includes(unwanted), "no tasks of other values");
  const type = ["task" as const, "comment" as const];
  const feed = { type, projectId: [project], cursor: "first" };
  const changes = await dataOf(api.GET("/api/changes", { params: { query: feed } }));
  check(changes.every((one) => one.type === "task" || one.type === "comment"), "changes of both types");
}

/** Follows the pages of a list to its end. */
async function severalPages(projectId: ProjectId): Promise<void> {
  const path = { projectId };
  const whole = await dataOf(api.GET("/api/projects/{projectId}/tasks", { params: { path } }));
  const { data, response } = await api.GET("/api/projects/{projectId}/tasks", {
    params: { path, query: { limit: 2 } },
  });
  const ids = (data ?? []).map(({ id }) => id);
  for (let page = response; ; ) {
    const { rows, response } = await nextPage<JoinedTask>(page);
    if (response === undefined) {
      break;
    }
    check(rows.length > 0 && rows.length <= 2, "pages of two");
    ids.push(...rows.map(({ id }) => id));
    page = response;
  }
  check(ids.join() === whole.map(({ id }) => id).join(), "the pages have each row once");
}

/** Reads tasks by id, at once. One that is gone has no row. */
async function byId(ids: TaskId[]): Promise<void> {
  const query = { id: [...ids, 999_999_999], sort: "-id" as const };
  const tasks = await dataOf(api.GET("/api/tasks", { params: { query } }));
  const expected = [...ids].sort((one, other) => other - one);
  check(tasks.map(({ id }) => id).join() === expected.join(), "the tasks with these ids");
}

/** Changes a task that another client has changed. */
async function conflict(id: TaskId): Promise<void> {
  const path = { id };
  const { response } = await api.GET("/api/tasks/{id}", { params: { path } });
  const header = { "If-Match": response.headers.get("ETag") ?? "" };
  await dataOf(api.PATCH("/api/tasks/{id}", { params: { path }, body: { priority: "high" } }));
  const late = await api.PATCH("/api/tasks/{id}", { params: { path, header }, body: { title: "Late" } });
  check(problemOf(late.error)?.code === "precondition_failed", "a conflict");
  check(late.response.status === 412, "412");
  const fresh = await api.GET("/api/tasks/{id}", { params: { path } });
  header["If-Match"] = fresh.response.headers.get("ETag") ?? "";
  await dataOf(api.PATCH("/api/tasks/{id}", { params: { path, header }, body: { title: "Now" } }));
}

/** Sends a create again, as after a lost answer. */
async function replay(projectId: ProjectId): Promise<void> {
  const header = { "Idempotency-Key": crypto.randomUUID() };
  const body = { title: "Once", projectId };
  const first = await api.POST("/api/tasks", { params: { header }, body });
  const again = await api.POST("/api/tasks", { params: { header }, body });
  check(first.data !== undefined && first.data.id === again.data?.id, "one task");
  check(first.response.headers.get("Idempotency-Replayed") === null, "a new task");
  check(again.response.headers.get("Idempotency-Replayed") === "true", "a replay");
}

function check(holds: boolean, what: string): void {
  if (!holds) {
    throw new Error(`not so: ${what}`);
  }
}

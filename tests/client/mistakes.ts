/**
 * What must not compile. A line under `@ts-expect-error` that does compile is an error, so a
 * document that lets one of these pass is found here.
 */

import type {
  Activity,
  ExecutionResult,
  Fault,
  Problem,
  Task,
  TaskCreate,
  TaskUpdate,
  operations,
} from "./api";
import { api } from "./client";

type SearchParameters = operations["searchReferences"]["parameters"]["query"];

const path = { id: 1 };

export async function bodies(): Promise<void> {
  // @ts-expect-error: a task needs a title
  await api.POST("/api/tasks", { body: { projectId: 1 } });
  // @ts-expect-error: a creation takes no null for what it needs
  await api.POST("/api/tasks", { body: { title: null, projectId: 1 } });
  // @ts-expect-error: no such status
  await api.POST("/api/tasks", { body: { title: "Draft", status: "started" } });
  // @ts-expect-error: no such priority
  await api.POST("/api/tasks", { body: { title: "Draft", priority: "huge" } });
  // @ts-expect-error: no such status to change to
  await api.PATCH("/api/tasks/{id}", { params: { path }, body: { status: "started" } });
  // @ts-expect-error: no such status of a milestone
  await api.PUT("/api/milestones/{id}", { params: { path }, body: { status: "done" } });
  // @ts-expect-error: a title cannot be cleared
  await api.PATCH("/api/tasks/{id}", { params: { path }, body: { title: null } });
  // @ts-expect-error: a status cannot be cleared
  await api.PATCH("/api/tasks/{id}", { params: { path }, body: { status: null } });
  // @ts-expect-error: left out is not the same as undefined
  await api.PATCH("/api/tasks/{id}", { params: { path }, body: { dueDate: undefined } });
  // @ts-expect-error: phaseId is null or an id, and has to be there
  await api.PATCH("/api/tasks/{taskId}/phase", { params: { path: { taskId: 1 } }, body: {} });
  // @ts-expect-error: a place needs an order
  await api.PATCH("/api/tasks/reorder", { body: { tasks: [{ id: 1 }] } });
  // @ts-expect-error: no such type of activity
  await api.POST("/api/activities", { body: { type: "party", description: "Cake" } });
  // @ts-expect-error: metadata is an object
  await api.POST("/api/activities", { body: { type: "note", description: "x", metadata: "crm" } });
  const execute = "/api/concierge/agent-sessions/{id}/execute";
  // @ts-expect-error: ids of actions are strings
  await api.POST(execute, { params: { path }, body: { actionIds: [1] } });
  // @ts-expect-error: a rejection has a reason
  await api.POST("/api/concierge/agent-sessions/{id}/reject", { params: { path }, body: {} });
  // @ts-expect-error: what is approved has to be said
  await api.POST(execute, { params: { path } });
}

export async function addresses(): Promise<void> {
  // @ts-expect-error: no such path
  await api.GET("/api/task");
  // @ts-expect-error: no such method there
  await api.PUT("/api/tasks/{id}", { params: { path }, body: {} });
  // @ts-expect-error: the id is missing
  await api.DELETE("/api/tasks/{id}");
  // @ts-expect-error: an id is a number
  await api.DELETE("/api/tasks/{id}", { params: { path: { id: "1" } } });
  const search = "/api/managed-services/search-references";
  // @ts-expect-error: no such type of reference
  await api.GET(search, { params: { query: { type: "task" } } });
  // @ts-expect-error: no such query parameter
  await api.GET(search, { params: { query: { status: "open" } } });
  // @ts-expect-error: this list takes no query parameter
  await api.GET("/api/tasks", { params: { query: { status: "open" } } });
}

/**
 * Members that are misspelt beside right ones. The calls of openapi-fetch let them pass, which is
 * why the story says `satisfies` where it writes a body with members that may be left out.
 */
export const misspelt = [
  // @ts-expect-error: it is dueDate
  { title: "Draft", due: "2026-01-31T09:30:00.000Z" } satisfies TaskCreate,
  // @ts-expect-error: it is assigneeId
  { title: "Draft", assignee: 1 } satisfies TaskUpdate,
  // @ts-expect-error: it is query
  { type: "project", text: "website" } satisfies SearchParameters,
];

export function answers(task: Task, activity: Activity, result: ExecutionResult): unknown[] {
  return [
    // @ts-expect-error: a task has no such member
    task.completedAt,
    // @ts-expect-error: only lists have the assignee itself
    task.assignee,
    // @ts-expect-error: a due date may be null
    task.dueDate.length,
    // @ts-expect-error: no such status
    task.status === "started",
    // @ts-expect-error: metadata may be null
    activity.metadata["source"],
    // @ts-expect-error: what is in metadata is not known
    activity.metadata?.["source"].length,
    // @ts-expect-error: what a target system answered may be null
    result.response["status"],
  ];
}

export function problems(problem: Problem, fault: Fault): unknown[] {
  return [
    // @ts-expect-error: no such problem
    problem.code === "gone",
    // @ts-expect-error: only validation errors have faults
    problem.errors.length,
    // @ts-expect-error: no such fault
    fault.code === "ugly",
  ];
}

export async function problemsOfOperations(): Promise<unknown[]> {
  const read = await api.GET("/api/tasks");
  const created = await api.POST("/api/tasks", { body: { title: "Draft", projectId: 1 } });
  return [
    // @ts-expect-error: a list takes no body that could be too large
    read.error?.code === "body_too_large",
    // @ts-expect-error: what does not exist yet is not changed by others
    created.error?.code === "concurrent_change",
    // @ts-expect-error: there may be a problem instead of data
    created.data.id,
  ];
}

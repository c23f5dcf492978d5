/**
 * Code that must not compile. A line under `@ts-expect-error` that compiles is an error, so this file
 * detects a document that allows one of these mistakes.
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
import { api, problemOf } from "./client";

type SearchParameters = operations["searchReferences"]["parameters"]["query"];

const path = { id: 1 };

export async function bodies(): Promise<void> {
  // @ts-expect-error: a task needs a title
  await api.POST("/api/tasks", { body: { projectId: 1 } });
  // @ts-expect-error: a required field of a create is not null
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
  // @ts-expect-error: an absent field is not the same as undefined
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
  // @ts-expect-error: an approval names its actions
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
 * Misspelt members beside correct ones. openapi-fetch's calls accept them, so the story uses `satisfies`
 * for bodies with optional members.
 */
export const misspelt = [
  // @ts-expect-error: the name is dueDate
  { title: "Draft", due: "2026-01-31T09:30:00.000Z" } satisfies TaskCreate,
  // @ts-expect-error: the name is assigneeId
  { title: "Draft", assignee: 1 } satisfies TaskUpdate,
  // @ts-expect-error: the name is query
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
    // @ts-expect-error: values in metadata have no known type
    activity.metadata?.["source"].length,
    // @ts-expect-error: the answer of a target system may be null
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
  const created = await api.POST("/api/milestones", { body: { title: "Draft", projectId: 1 } });
  return [
    // @ts-expect-error: a list has no body that could be too large
    problemOf(read.error)?.code === "body_too_large",
    // @ts-expect-error: a new record has no concurrent changes
    problemOf(created.error)?.code === "concurrent_change",
    // @ts-expect-error: there may be a problem instead of data
    created.data.id,
    // @ts-expect-error: an answer of the gateway itself has no code
    read.error?.code,
  ];
}

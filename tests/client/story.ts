/**
 * The morning of a team as a front end would code it. It calls every operation of the document once;
 * those of the resolution agent are in resolution.ts, those of the change feed and webhooks in updates.ts,
 * those of users, invitations, projects, phases and tags in directory.ts. lists.ts has several values, pages, conflicts and
 * replays.
 *
 * tests/browser runs it in Chromium against a local stack. It reads the members on which clients rely, so it
 * does not compile against a document that lacks one.
 */

import type {
  ActivityCreate,
  ActivityUpdate,
  CommentCreate,
  CreatedToken,
  CommentUpdate,
  Fault,
  JsonObject,
  MilestoneCreate,
  MilestoneUpdate,
  OrganizationId,
  ProjectId,
  ServiceRequestCreate,
  ServiceRequestUpdate,
  Session,
  TagId,
  Task,
  TaskCreate,
  TaskId,
  TaskUpdate,
  TicketCreate,
  TicketId,
  Token,
  TokenCreate,
  TicketUpdate,
  UserRef,
} from "./api";
import { api, dataOf, never, problemOf } from "./client";
import { customers, directory, follow, invitations, links, members, people, provider, unsubscribes } from "./directory";
import { listsAndConflicts } from "./lists";
import { policy, resolution } from "./resolution";
import { followTasks, webhooks } from "./updates";

export async function morning(username: string, password: string): Promise<void> {
  const said = await signIn(username, password);
  if (said !== undefined) {
    return alert(said);
  }
  const session = await dataOf(api.GET("/api/auth/session"));
  const project = await chosenProject();
  await searched();
  await listsAndConflicts(project);
  await serviceRequests(project);
  await tasks(project, session);
  await milestones(project);
  await people(session.user.organizationId);
  const tag = await directory(project);
  await customers(project);
  await members(project, session.user.id);
  await activities(project, session.user.organizationId, tag);
  await tickets(session);
  await dashboard();
  console.log(await followTasks());
  await webhooks();
  if (session.planFeatures.includes("agentAI")) {
    await resolution();
    // Afterwards: by its rules, another user than the opener approves.
    await policy();
  }
  await inbox();
  console.log(await invitations());
  await links(session.user.email ?? "ada@example.com", password);
  for (const view of ["accept", "reset", "confirm"]) {
    console.log(await follow(view, "a token of another day", "four words of your own"));
  }
  console.log(await provider(session.user.organizationId, session.user.username, password));
  console.log(await unsubscribes("1.4.mentioned.of-another-day"));
  await account(password);
  await ends(session.user.id);
  await dataOf(api.POST("/api/auth/logout"));
}

/** Reads what is new for the user, and lets go of what they do not want to hear. */
async function inbox(): Promise<void> {
  const { unread } = await dataOf(api.GET("/api/notifications/count"));
  const query = { unread: true, limit: 20 };
  const news = await dataOf(api.GET("/api/notifications", { params: { query } }));
  for (const { kind, actor, subject, excerpt } of news) {
    console.log(unread, actor?.fullName ?? "the service", kind, subject.title ?? subject.type, excerpt);
  }
  const [newest] = news;
  const before = newest?.at ?? new Date().toISOString();
  await dataOf(api.POST("/api/notifications/read", { body: { before } }));
  const wanted = await dataOf(api.GET("/api/notifications/preferences"));
  const body = { commented: !wanted.commented.inbox };
  const changed = await dataOf(api.PUT("/api/notifications/preferences", { body }));
  console.log(changed.commented.inbox === body.commented);
}

/** Manages the user's sessions, tokens and password. */
async function account(currentPassword: string): Promise<void> {
  for (const open of await dataOf(api.GET("/api/auth/sessions", { params: { query: { limit: 20 } } }))) {
    const where: string = open.userAgent ?? open.address ?? "somewhere";
    console.log(open.id, where, open.current ? "here" : open.lastUsedAt, open.expiresAt);
  }
  const [other] = await dataOf(api.GET("/api/auth/sessions")).then((all) => all.filter((one) => !one.current));
  if (other) {
    await dataOf(api.DELETE("/api/auth/sessions/{id}", { params: { path: { id: other.id } } }));
  }
  await dataOf(api.DELETE("/api/auth/sessions"));
  const body: TokenCreate = { name: "nightly export", permissions: ["view_work"] };
  const created: CreatedToken = await dataOf(api.POST("/api/tokens", { body }));
  console.log("Keep it now:", created.token);
  const tokens: Token[] = await dataOf(api.GET("/api/tokens"));
  for (const { id, name, permissions, lastUsedAt } of tokens) {
    console.log(name, permissions?.length ?? "all of mine", lastUsedAt ?? "never used");
    await dataOf(api.DELETE("/api/tokens/{id}", { params: { path: { id } } }));
  }
  const { error } = await api.PUT("/api/auth/password", {
    body: { currentPassword, newPassword: "four words of your own" },
  });
  const problem = problemOf(error);
  if (problem?.code === "validation_error") {
    console.log(faultAt("/currentPassword", problem.errors)?.detail ?? problem.detail);
  }
}

/** Ends the sessions and tokens of a user who left, and shows who changed what. */
async function ends(id: number): Promise<void> {
  const sessions = await dataOf(api.GET("/api/users/{id}/sessions", { params: { path: { id } } }));
  if (sessions.some((one) => !one.current)) {
    await dataOf(api.DELETE("/api/users/{id}/sessions", { params: { path: { id } } }));
  }
  const tokens = await dataOf(api.GET("/api/users/{id}/tokens", { params: { path: { id } } }));
  for (const { id: tokenId } of tokens) {
    const path = { id, tokenId };
    await dataOf(api.DELETE("/api/users/{id}/tokens/{tokenId}", { params: { path } }));
  }
  const query = { subject: `user:${id}` };
  const entries = await dataOf(api.GET("/api/journal", { params: { query } }));
  for (const { at, event, before, after } of entries) {
    console.log(at, event, before, after);
  }
  const { verified, breaks } = await dataOf(api.GET("/api/journal/check"));
  console.log(verified ? "complete" : breaks);
}

/** Signs in. Returns a message for the user if that fails. */
async function signIn(username: string, password: string): Promise<string | undefined> {
  const { data, error, response } = await api.POST("/api/auth/login", {
    body: { username, password },
  });
  if (error === undefined) {
    greet(data.fullName);
    return undefined;
  }
  const problem = problemOf(error);
  switch (problem.code) {
    case "invalid_credentials":
      return "Wrong username or password.";
    case "too_many_attempts":
      return `Try again in ${response.headers.get("Retry-After")} seconds.`;
    case "validation_error":
      return faultAt("/username", problem.errors)?.detail ?? problem.detail;
    case "organization_suspended":
    case "password_sign_in_off":
      return problem.detail;
    case "cross_site":
    case "body_too_large":
    case "unsupported_media_type":
    case "paused":
    case "unavailable":
    case "internal_error":
      return `${problem.title} (${problem.requestId})`;
    default:
      return never(problem);
  }
}

function greet(name: string): void {
  document.title = `Workdesk: ${name}`;
}

/** Returns the fault of a field by its JSON pointer. */
function faultAt(pointer: string, faults: readonly Fault[]): Fault | undefined {
  return faults.find((fault) => fault.pointer === pointer);
}

async function chosenProject(): Promise<ProjectId> {
  const found = await dataOf(
    api.GET("/api/managed-services/search-references", {
      params: { query: { query: "billing", type: "project" } },
    }),
  );
  const [first] = found;
  if (first === undefined) {
    throw new Error("no such project");
  }
  const about: string | null = first.description;
  console.log(first.title, about?.length);
  return first.id;
}

async function searched(): Promise<void> {
  const found = await dataOf(
    api.GET("/api/search", { params: { query: { query: "invoices", type: ["task", "comment"], limit: 5 } } }),
  );
  for (const { type, id, title, excerpt, parent } of found) {
    console.log(type, id, title, excerpt?.length, parent?.recordId);
  }
}

async function serviceRequests(project: ProjectId): Promise<void> {
  const request = await dataOf(
    api.POST("/api/managed-services/request", {
      body: {
        title: "Invoices are late",
        priority: "high",
        category: null,
        referenceType: "project",
        referenceId: project,
      } satisfies ServiceRequestCreate,
    }),
  );
  const assignee: number | null = request.assigneeId;
  console.log(request.status === "open", assignee);

  const tagged = { params: { path: { id: request.id, tagId: 1 } } };
  const attached = await api.PUT("/api/service-requests/{id}/tags/{tagId}", tagged);
  if (problemOf(attached.error)?.code === "too_many_tags") {
    alert("The request has 50 tags.");
  }
  await dataOf(api.DELETE("/api/service-requests/{id}/tags/{tagId}", tagged));
  console.log(request.tags.map((tag) => tag.name));

  const path = { serviceRequestId: request.id };
  const comment = await dataOf(
    api.POST("/api/service-requests/{serviceRequestId}/comments", {
      params: { path },
      body: { content: "Since Monday" },
    }),
  );
  await dataOf(
    api.POST("/api/service-requests/{serviceRequestId}/comments", {
      params: { path },
      body: { content: "We look into it", parentId: comment.id } satisfies CommentCreate,
    }),
  );
  const thread = await dataOf(
    api.GET("/api/service-requests/{serviceRequestId}/comments", { params: { path } }),
  );
  const authors: (string | undefined)[] = thread.map((row) => row.user?.fullName);
  const replies = thread.filter((row) => row.parentId === comment.id);
  console.log(authors, replies.length);
  const one = { params: { path: { ...path, commentId: comment.id } } };
  const edited = await dataOf(
    api.PATCH("/api/service-requests/{serviceRequestId}/comments/{commentId}", {
      ...one,
      body: { content: "Since Tuesday" } satisfies CommentUpdate,
    }),
  );
  const gone: string | null = edited.deletedAt;
  console.log(gone ?? edited.content);
  await dataOf(api.DELETE("/api/service-requests/{serviceRequestId}/comments/{commentId}", one));

  const id = { params: { path: { id: request.id } } };
  const { data, error } = await api.PATCH("/api/service-requests/{id}", {
    ...id,
    body: { status: "resolved", category: null } satisfies ServiceRequestUpdate,
  });
  const problem = problemOf(error);
  console.log(problem?.code === "invalid_transition" ? problem.detail : data?.status);
  const mine = await dataOf(
    api.GET("/api/service-requests", {
      params: { query: { status: ["open", "pending"], creatorId: ["me"], sort: "-createdAt" } },
    }),
  );
  console.log(mine.length, (await dataOf(api.GET("/api/service-requests/{id}", id))).title);
  const [newest] = await dataOf(api.GET("/api/service-requests/{id}/history", id));
  console.log(newest?.changes.map(({ field, from, to }) => [field, from, to]));
  await dataOf(api.DELETE("/api/service-requests/{id}", id));
}

async function tasks(project: ProjectId, session: Session): Promise<void> {
  const { data: task, error } = await api.POST("/api/tasks", {
    body: {
      title: "Find the cause",
      projectId: project,
      assigneeId: session.user.id,
      dueDate: "2026-01-31T09:30:00.000Z",
    } satisfies TaskCreate,
  });
  if (error !== undefined) {
    const problem = problemOf(error);
    return showFaults(problem.code === "validation_error" ? problem.errors : []);
  }
  const due: string | null = task.dueDate;
  console.log(due === null ? "some day" : new Date(due).toLocaleDateString());

  const all = await dataOf(api.GET("/api/tasks"));
  for (const row of all) {
    const assignee: UserRef | null = row.assignee;
    const where: string = row.milestone?.title ?? row.project?.title ?? session.organization.name;
    console.log(row.title, assignee?.fullName ?? "nobody", where);
  }

  const path = { id: task.id };
  const one = await dataOf(api.GET("/api/tasks/{id}", { params: { path } }));
  const past = await dataOf(api.GET("/api/tasks/{id}/history", { params: { path } }));
  for (const { at, actor, what, changes } of past) {
    console.log(at, actor?.fullName ?? "the service", what, changes.map(({ field }) => field));
  }
  console.log(one.tags.map((tag) => tag.name), one.assignee?.username);
  const changed = await update(one, { status: "in_progress", dueDate: null, assigneeId: null });
  console.log(typeof changed === "string" ? changed : changed.updatedAt);

  const listed = await dataOf(
    api.GET("/api/projects/{projectId}/tasks", { params: { path: { projectId: project } } }),
  );
  const order = listed.reverse().map(({ id }, order) => ({ id, order }));
  await dataOf(api.PATCH("/api/tasks/reorder", { body: { tasks: order } }));
  const last = order.at(-1);
  if (last !== undefined && last.id !== task.id) {
    const moved = await dataOf(
      api.POST("/api/tasks/{id}/move", {
        params: { path: { id: task.id } },
        body: { after: last.id, status: "in_review" },
      }),
    );
    console.log(moved.order, moved.project?.title);
  }
  const { byStatus, byAssignee, complete } = await dataOf(
    api.GET("/api/projects/{projectId}/task-counts", { params: { path: { projectId: project } } }),
  );
  console.log(byStatus["done"], byAssignee[0]?.assignee?.fullName, complete);
  await dataOf(
    api.PATCH("/api/tasks/{taskId}/phase", {
      params: { path: { taskId: task.id } },
      body: { phaseId: null },
    }),
  );
  await talkAbout(task.id);
  await dataOf(api.DELETE("/api/tasks/{id}", { params: { path: { id: task.id } } }));
}

async function talkAbout(taskId: TaskId): Promise<void> {
  const path = { taskId };
  const comment = await dataOf(
    api.POST("/api/tasks/{taskId}/comments", {
      params: { path },
      body: { content: "Half done" } satisfies CommentCreate,
    }),
  );
  const one = { params: { path: { ...path, commentId: comment.id } } };
  await dataOf(
    api.PATCH("/api/tasks/{taskId}/comments/{commentId}", { ...one, body: { content: "Done" } }),
  );
  await dataOf(api.DELETE("/api/tasks/{taskId}/comments/{commentId}", one));
  const [first] = await dataOf(
    api.GET("/api/tasks/{taskId}/comments", { params: { path, query: { limit: 1 } } }),
  );
  console.log(first?.deletedAt === null ? first.content : "deleted");
  const { error } = await api.POST("/api/tasks/{taskId}/tags", {
    params: { path },
    body: { tagId: 1 },
  });
  const problem = problemOf(error);
  if (problem?.code === "too_many_tags") {
    alert(problem.detail);
  }
  await dataOf(
    api.DELETE("/api/tasks/{taskId}/tags/{tagId}", { params: { path: { ...path, tagId: 1 } } }),
  );
}

/** Updates a task. Returns the new task, or a message for the user. */
async function update(
  { id, version }: { id: TaskId; version: number },
  body: TaskUpdate,
): Promise<Task | string> {
  const header = { "If-Match": `"${version}"` };
  const { data, error } = await api.PATCH("/api/tasks/{id}", {
    params: { path: { id }, header },
    body,
  });
  if (error === undefined) {
    return data;
  }
  const problem = problemOf(error);
  switch (problem.code) {
    case "validation_error":
      showFaults(problem.errors);
      return problem.detail;
    case "precondition_failed":
    case "concurrent_change":
      return "Another user changed the task. Read it again.";
    case "other_user":
      return "Somebody else signed in, in another tab.";
    case "not_found":
      return "The task is gone.";
    case "unauthenticated":
      return "Sign in again.";
    case "permission_denied":
    case "organization_suspended":
    case "paused":
    case "cross_site":
    case "body_too_large":
    case "unsupported_media_type":
      return problem.detail;
    case "rate_limited":
      return "Too many requests. Wait a few seconds.";
    case "unavailable":
    case "internal_error":
      return `${problem.title} (${problem.requestId})`;
    default:
      return never(problem);
  }
}

/** Shows each fault beside its field. */
function showFaults(faults: readonly Fault[]): void {
  for (const { pointer, code, detail } of faults) {
    const field = document.querySelector(`[data-pointer="${pointer}"]`);
    field?.setAttribute("title", code === "required" ? "Please fill in" : detail);
  }
}

async function milestones(project: ProjectId): Promise<void> {
  const created = await dataOf(
    api.POST("/api/milestones", {
      body: { title: "On time", projectId: project, startDate: null } satisfies MilestoneCreate,
    }),
  );
  const path = { id: created.id };
  const whole = await dataOf(api.GET("/api/milestones/{id}", { params: { path } }));
  const past = await dataOf(api.GET("/api/milestones/{id}/history", { params: { path } }));
  console.log(past.map(({ id, actor }) => [id, actor?.username]));
  const open = whole.tasks.filter((task) => task.status !== "done" && task.priority === "urgent");
  console.log(open.map((task) => task.title));

  const updated = await dataOf(
    api.PUT("/api/milestones/{id}", {
      params: { path },
      body: { status: "completed", description: null } satisfies MilestoneUpdate,
    }),
  );
  const due: string | null = updated.dueDate;
  console.log(due);
  const all = await dataOf(
    api.GET("/api/projects/{projectId}/milestones", { params: { path: { projectId: project } } }),
  );
  console.log(all.map((milestone) => milestone.tasks.length));
  await dataOf(api.DELETE("/api/milestones/{id}", { params: { path } }));
}

async function activities(
  project: ProjectId,
  organization: OrganizationId,
  tag: TagId,
): Promise<void> {
  const { id } = await dataOf(
    api.POST("/api/activities", {
      body: {
        type: "decision",
        subtype: "billing",
        description: "Reprocess by hand",
        projectId: project,
        metadata: { source: "crm", call: { minutes: 12 } },
      } satisfies ActivityCreate,
    }),
  );
  const activity = await dataOf(api.GET("/api/activities/{id}", { params: { path: { id } } }));
  const metadata: JsonObject | null = activity.metadata;
  const source: unknown = metadata?.["source"];
  if (typeof source === "string") {
    console.log(source.toUpperCase(), activity.creator?.fullName, activity.project?.title);
  }

  const path = { activityId: id };
  const comment = await dataOf(
    api.POST("/api/activities/{activityId}/comments", {
      params: { path },
      body: { content: "Agreed", parentId: null } satisfies CommentCreate,
    }),
  );
  const comments = await dataOf(
    api.GET("/api/activities/{activityId}/comments", { params: { path } }),
  );
  console.log(comments.some((row) => row.id === comment.id));
  await dataOf(
    api.POST("/api/activities/{activityId}/tags", { params: { path }, body: { tagId: tag } }),
  );
  await dataOf(
    api.DELETE("/api/activities/{activityId}/tags/{tagId}", {
      params: { path: { ...path, tagId: tag } },
    }),
  );

  const one = { params: { path: { ...path, commentId: comment.id } } };
  await dataOf(
    api.PATCH("/api/activities/{activityId}/comments/{commentId}", {
      ...one,
      body: { content: "Agreed by all" },
    }),
  );
  await dataOf(api.DELETE("/api/activities/{activityId}/comments/{commentId}", one));
  const moved = await dataOf(
    api.PATCH("/api/activities/{id}", {
      params: { path: { id } },
      body: { timestamp: "2026-01-31T09:30:00.000Z", evidence: null } satisfies ActivityUpdate,
    }),
  );
  console.log(moved.tags.map((carried) => carried.name));

  const everywhere = await dataOf(
    api.GET("/api/activities", { params: { query: { type: ["decision"], tagId: ["none"] } } }),
  );
  const here = await dataOf(
    api.GET("/api/projects/{projectId}/activities", { params: { path: { projectId: project } } }),
  );
  const ours = await dataOf(
    api.GET("/api/organizations/{organizationId}/activities", {
      params: { path: { organizationId: organization } },
    }),
  );
  const days = [everywhere, here, ours].flat().map((row) => row.timestamp.slice(0, 10));
  console.log(new Set(days).size);
  await dataOf(api.DELETE("/api/activities/{id}", { params: { path: { id } } }));
}

async function dashboard(): Promise<void> {
  const { serviceRequests, tickets, metrics, activityFeed } = await dataOf(
    api.GET("/api/managed-services/dashboard"),
  );
  const saved: number = metrics.hoursSaved;
  const parts = await dataOf(api.GET("/api/managed-services/hours-saved"));
  console.log(parts.map(({ minutes, actionType, entity }) => `${minutes} ${actionType} ${entity}`));
  console.log(saved, serviceRequests.length, activityFeed[0]?.creator?.fullName);
  const answered = tickets.find((ticket) => ticket.lastMessageAt !== null);
  if (answered !== undefined) {
    await reply(answered.id);
  }
  const described = await dataOf(api.GET("/api/openapi.json"));
  const { status, version } = await dataOf(api.GET("/api/health"));
  console.log(described["info"], status, version);
}

async function tickets(session: Session): Promise<void> {
  const raised = await dataOf(
    api.POST("/api/managed-services/tickets", {
      body: { title: "No invoices", description: "Since Monday" } satisfies TicketCreate,
    }),
  );
  const changed = await dataOf(
    api.PATCH("/api/managed-services/ticket/{ticketId}", {
      params: { path: { ticketId: raised.id } },
      body: { status: "in_progress", assigneeId: session.user.id } satisfies TicketUpdate,
    }),
  );
  const tagged = { params: { path: { id: raised.id, tagId: 1 } } };
  const { error } = await api.PUT("/api/managed-services/tickets/{id}/tags/{tagId}", tagged);
  console.log(problemOf(error)?.code, changed.tags.length);
  await dataOf(api.DELETE("/api/managed-services/tickets/{id}/tags/{tagId}", tagged));
  const assignee: number | null = changed.assigneeId;
  const open = await dataOf(
    api.GET("/api/managed-services/tickets", {
      params: {
        query: { status: ["open", "in_progress"], assigneeId: ["none", "me"], sort: "-lastMessageAt" },
      },
    }),
  );
  console.log(assignee, open.length, open[0]?.creator?.fullName, open[0]?.messageCount);
}

async function reply(ticketId: TicketId): Promise<void> {
  const path = { ticketId };
  const { ticket, messages } = await dataOf(
    api.GET("/api/managed-services/ticket/{ticketId}", { params: { path } }),
  );
  const past = await dataOf(
    api.GET("/api/managed-services/ticket/{ticketId}/history", { params: { path } }),
  );
  console.log(past.length);
  const last = messages.at(-1);
  console.log(ticket.title, last?.sender.isSupport ? last.sender.name : "a customer");
  const { error } = await api.POST("/api/managed-services/ticket/{ticketId}/reply", {
    params: { path },
    body: { content: "It is on its way" },
  });
  if (problemOf(error)?.code === "ticket_closed") {
    alert("The ticket was closed meanwhile.");
  }
  const replied = await dataOf(
    api.GET("/api/managed-services/ticket/{ticketId}", { params: { path, query: { sort: "-createdAt" } } }),
  );
  const own = { params: { path: { ticketId, messageId: replied.messages[0]?.id ?? 1 } } };
  const edited = await api.PATCH("/api/managed-services/ticket/{ticketId}/messages/{messageId}", {
    ...own,
    body: { content: "It is on its way, by post" },
  });
  if (problemOf(edited.error)?.code === "message_final") {
    alert("A reply came meanwhile.");
  }
  console.log(edited.data?.editedAt);
  await api.DELETE("/api/managed-services/ticket/{ticketId}/messages/{messageId}", own);
}

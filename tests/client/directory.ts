/** What an admin does to set up an organization: users, projects, phases and tags. */

import type {
  OrganizationId,
  PhaseId,
  ProjectCreate,
  ProjectId,
  TagId,
  User,
  UserCreate,
  UserUpdate,
} from "./api";
import { api, dataOf, problemOf } from "./client";

/** Creates and disables users, as an admin does. */
export async function people(organization: OrganizationId): Promise<void> {
  const path = { id: organization };
  const ours = await dataOf(api.GET("/api/organizations/{id}", { params: { path } }));
  await dataOf(
    api.PATCH("/api/organizations/{id}", { params: { path }, body: { name: `${ours.name} Ltd` } }),
  );
  console.log(ours.planFeatures.includes("agentAI"));

  const { data: newcomer, error } = await api.POST("/api/users", {
    body: {
      username: "ingrid",
      fullName: "Ingrid Solberg",
      role: "member",
      password: "a horse of another colour",
      permissions: ["manage_tickets"],
    } satisfies UserCreate,
  });
  if (error !== undefined) {
    const { code, detail } = problemOf(error);
    return alert(code === "username_taken" ? "Choose another username." : detail);
  }
  const user = await dataOf(
    api.GET("/api/users/{id}", { params: { path: { id: newcomer.id } } }),
  );
  const extra: string[] = user.permissions ?? [];
  console.log(user.version, extra);

  const leavers = await dataOf(
    api.GET("/api/users", { params: { query: { query: "max", disabled: false, limit: 20 } } }),
  );
  for (const leaver of leavers) {
    console.log(await change(leaver, { disabled: true }));
  }
  await dataOf(
    api.PUT("/api/users/{id}/password", {
      params: { path: { id: user.id } },
      body: { password: "another horse of hers" },
    }),
  );
}

/** Updates a user. Returns a message about it. */
async function change(user: User, body: UserUpdate): Promise<string> {
  const params = { path: { id: user.id } };
  const { data, error } = await api.PATCH("/api/users/{id}", { params, body });
  if (error === undefined) {
    return `${data.fullName} is ${data.disabled ? "disabled" : data.role}`;
  }
  const { code, detail } = problemOf(error);
  return code === "last_admin" ? "Name another admin first." : detail;
}

/** Sets up a project with phases and tags, and archives one. */
export async function directory(old: ProjectId): Promise<TagId> {
  const { data: project } = await api.POST("/api/projects", {
    body: { title: "New invoices", description: null } satisfies ProjectCreate,
  });
  const id = project?.id ?? old;
  const path = { projectId: id };
  for (const title of ["Prepare", "Move", "Look after"]) {
    await dataOf(
      api.POST("/api/projects/{projectId}/phases", { params: { path }, body: { title } }),
    );
  }
  const phases = await dataOf(
    api.GET("/api/projects/{projectId}/phases", { params: { path } }),
  );
  const last: PhaseId | undefined = phases.at(-1)?.id;
  if (last !== undefined) {
    const params = { path: { id: last } };
    await dataOf(api.PATCH("/api/phases/{id}", { params, body: { order: 0 } }));
    await dataOf(api.DELETE("/api/phases/{id}", { params }));
  }

  const active = await dataOf(
    api.GET("/api/projects", { params: { query: { status: ["active", "on_hold"], query: "inv" } } }),
  );
  console.log(active.map((row) => row.title));
  const before = await dataOf(api.GET("/api/projects/{id}", { params: { path: { id: old } } }));
  await dataOf(api.GET("/api/projects/{id}/history", { params: { path: { id: old } } }));
  if (before.status === "completed") {
    await dataOf(
      api.PATCH("/api/projects/{id}", {
        params: { path: { id: old } },
        body: { status: "archived" },
      }),
    );
  }

  const known = await dataOf(api.GET("/api/tags"));
  const { data: tag, error } = await api.POST("/api/tags", { body: { name: "urgent" } });
  if (problemOf(error)?.code === "name_taken") {
    return known.find((one) => one.name.toLowerCase() === "urgent")?.id ?? 1;
  }
  const params = { path: { id: tag?.id ?? 1 } };
  await dataOf(api.PATCH("/api/tags/{id}", { params, body: { name: "late" } }));
  await dataOf(api.DELETE("/api/tags/{id}", { params }));
  const again = await dataOf(api.POST("/api/tags", { body: { name: "late" } }));
  return again.id;
}

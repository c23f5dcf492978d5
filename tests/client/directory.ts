/** What an admin does to set up an organization: users, customers, projects, phases and tags. */

import type {
  CustomerCreate,
  CustomerUpdate,
  OrganizationId,
  PhaseId,
  Problem,
  ProjectCreate,
  ProjectId,
  ProjectUpdate,
  SignInPut,
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

/** Invites a person, and takes other invitations back. Returns a message. */
export async function invitations(): Promise<string> {
  const { data: invited, error } = await api.POST("/api/invitations", {
    body: { email: "noor@example.com", role: "member", fullName: "Noor Haddad" },
  });
  if (error !== undefined) {
    const { code, detail } = problemOf(error);
    return code === "mail_not_configured" ? "Ask the operator for mail." : detail;
  }
  for (const { id, acceptedAt } of await dataOf(api.GET("/api/invitations"))) {
    if (acceptedAt === null && id !== invited.id) {
      await dataOf(api.DELETE("/api/invitations/{id}", { params: { path: { id } } }));
    }
  }
  const params = { path: { id: invited.id } };
  const { email, expiresAt } = await dataOf(api.POST("/api/invitations/{id}/send", { params }));
  return `${email} until ${expiresAt}`;
}

/** Follows the link of a mail. Returns a message if it is dead. */
export async function follow(view: string, token: string, password: string): Promise<string | undefined> {
  let code: Problem["code"] | undefined;
  if (view === "accept") {
    const body = { token, password, username: "noor", fullName: "Noor Haddad" };
    const { error } = await api.POST("/api/auth/accept", { body });
    code = error && problemOf(error).code;
  } else if (view === "reset") {
    const { error } = await api.POST("/api/auth/reset", { body: { token, password } });
    code = error && problemOf(error).code;
  } else {
    const { error } = await api.POST("/api/auth/email/confirm", { body: { token } });
    code = error && problemOf(error).code;
  }
  return code === "invitation_invalid" || code === "link_invalid" ? "Ask for another link." : code;
}

/** Asks for links: to a new address, and for a forgotten password. */
export async function links(email: string, password: string): Promise<void> {
  await dataOf(api.PUT("/api/auth/email", { body: { email, password } }));
  await dataOf(api.POST("/api/auth/forgot", { body: { email } }));
}

/** Connects the company's provider, and takes it away. Returns the page that begins a sign-in by it, or why it is
 * not connected. */
export async function provider(id: OrganizationId, username: string, secret: string): Promise<string> {
  const params = { path: { id } };
  const body: SignInPut = {
    issuer: "https://login.example.com",
    clientId: "workdesk",
    clientSecret: secret,
    roles: { "Workdesk admins": "admin" },
    defaultRole: "member",
  };
  const put = await api.PUT("/api/organizations/{id}/sign-in", { params, body });
  if (put.error !== undefined) {
    // The service could not read the provider's discovery document, and stored nothing.
    return problemOf(put.error).detail;
  }
  const { issuer } = await dataOf(api.GET("/api/organizations/{id}/sign-in", { params }));
  const ways = await dataOf(api.GET("/api/auth/sign-in", { params: { query: { username } } }));
  const { error } = await api.POST("/api/organizations/{id}/sign-in/test", { params });
  await dataOf(api.DELETE("/api/organizations/{id}/sign-in", { params }));
  const page = ways.provider ?? "/";
  const test = error ? problemOf(error).detail : "found";
  return `${issuer} (${test}) by ${page}${ways.passwords ? ", or a password" : ""}`;
}

/** Ends the mails of a kind, as a mail program does by the link in a mail. Returns the code of a dead link. */
export async function unsubscribes(link: string): Promise<string | undefined> {
  const { error } = await api.POST("/api/notifications/unsubscribe", { params: { query: { link } } });
  return error && problemOf(error).code;
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

/** Records a customer for whom a project is done, and archives another one. */
export async function customers(project: ProjectId): Promise<void> {
  const { data: ferro, error } = await api.POST("/api/customers", {
    body: { name: "Ferro Robotics", domains: ["ferro.example"] } satisfies CustomerCreate,
  });
  if (error !== undefined) {
    const { code, detail } = problemOf(error);
    return alert(code === "domain_taken" ? "Another customer has this domain." : detail);
  }
  const params = { path: { id: ferro.id } };
  await dataOf(
    api.PATCH("/api/projects/{id}", {
      params: { path: { id: project } },
      body: { customerId: ferro.id },
    }),
  );
  const theirs = await dataOf(
    api.GET("/api/projects", { params: { query: { customerId: [ferro.id, "none"] } } }),
  );
  console.log(theirs.map((one) => one.customerId));
  const found = await dataOf(
    api.GET("/api/customers", { params: { query: { query: "fer", archived: false } } }),
  );
  console.log(found.length, found[0]?.domains.join(", "));
  const archived = { archived: true } satisfies CustomerUpdate;
  await dataOf(api.PATCH("/api/customers/{id}", { params, body: archived }));
  const read = await dataOf(api.GET("/api/customers/{id}", { params }));
  const past = await dataOf(api.GET("/api/customers/{id}/history", { params }));
  console.log(read.archived, past[0]?.what);
}

/** Keeps a project to its members: adds a user, lists them, and removes the user again. */
export async function members(project: ProjectId, user: User["id"]): Promise<void> {
  const whole = { params: { path: { id: project } } };
  await dataOf(
    api.PATCH("/api/projects/{id}", {
      ...whole,
      body: { visibility: "members" } satisfies ProjectUpdate,
    }),
  );
  const member = { params: { path: { projectId: project, userId: user } } };
  const { error } = await api.PUT("/api/projects/{projectId}/members/{userId}", member);
  if (error !== undefined) {
    const { code, detail } = problemOf(error);
    return alert(code === "too_many_members" ? "Remove a member first." : detail);
  }
  const all = await dataOf(
    api.GET("/api/projects/{projectId}/members", {
      params: { path: { projectId: project }, query: { limit: 100 } },
    }),
  );
  console.log(all.map((one) => `${one.user.fullName} since ${one.addedAt}`).join("\n"));
  await dataOf(api.DELETE("/api/projects/{projectId}/members/{userId}", member));
}

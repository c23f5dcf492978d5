/** The part of the story in which a front end uses the resolution agent. */

import type {
  ActionSettle,
  AgentSession,
  AgentSessionId,
  AgentSessionStatus,
  AgentSessionRow,
  Alert,
  Connection,
  ConnectionPut,
  ExecutionResult,
  AlertId,
} from "./api";
import { api, dataOf, never, nextPage, problemOf } from "./client";

export async function resolution(): Promise<void> {
  await report();
  await inbox();
  await connections();
  const [alert] = await openAlerts();
  if (alert === undefined) {
    return;
  }
  await earlier(alert.id);
  const opened = await dataOf(
    api.POST("/api/concierge/alerts/{id}/agent-session", { params: { path: { id: alert.id } } }),
  );
  const path = { id: opened.session.id };
  const proposed = await dataOf(
    api.POST("/api/concierge/agent-sessions/{id}/propose", { params: { path } }),
  );
  const { analysis, proposedActions } = proposed.session;
  console.log(analysis?.rootCause, analysis?.confidence.toFixed(2));
  const approved = proposedActions.filter((action) => action.isAutomated && action.risk !== "critical");
  console.log(approved.flatMap((action) => action.steps.map((step) => step.apiCall)));

  await preview(path.id, approved.map((action) => action.id));
  const done = await execute(path.id, approved.map((action) => action.id));
  console.log(done.map(outcome));
  const session = await dataOf(api.GET("/api/concierge/agent-sessions/{id}", { params: { path } }));
  console.log(inWords(session.status), session.error ?? "no error");
  if (!ended(session)) {
    // The agent may have ended meanwhile.
    const { data, error } = await api.POST("/api/concierge/agent-sessions/{id}/cancel", {
      params: { path },
    });
    console.log(data ? data.message : problemOf(error).detail);
  }
  await journal(path.id);
  await byHand(session);
}

/** Shows an approver the preview of actions. */
async function preview(id: AgentSessionId, actionIds: string[]): Promise<void> {
  const { actions, exclusive, sums } = await dataOf(
    api.POST("/api/concierge/agent-sessions/{id}/preview", {
      params: { path: { id } },
      body: { actionIds },
    }),
  );
  for (const { requests, guards, preconditions, policy, reversible } of actions) {
    console.log(requests.map(({ method, url }) => [method, url]));
    console.log(guards.map(({ record, heldBy }) => `${record}: ${heldBy?.detail ?? "free"}`));
    console.log(preconditions.map(({ says, holds }) => `${says}: ${holds ?? "not known"}`));
    console.log(policy.mayApprove ? "Approve" : policy.whyNot, reversible?.says ?? "not known");
  }
  console.log(exclusive, sums.money.map(({ currency }) => currency), sums.customers);
}

/** Settles unknown outcomes and manual actions. */
async function byHand(session: AgentSession): Promise<void> {
  for (const result of session.executionResults.filter(({ success }) => !success)) {
    const { data, error } = await api.POST(
      "/api/concierge/agent-sessions/{id}/actions/{actionId}/settle",
      {
        params: { path: { id: session.id, actionId: result.actionId } },
        body: { outcome: "not_done", note: "The invoice is still open." } satisfies ActionSettle,
      },
    );
    const problem = problemOf(error);
    console.log(problem?.code === "outcome_known" ? problem.detail : data?.status);
  }
  const open = session.proposedActions.filter(({ isAutomated, handling }) => !isAutomated && !handling);
  const [first, second] = open.map(({ id }) => ({ path: { id: session.id, actionId: id } }));
  if (first === undefined || second === undefined) {
    return;
  }
  await dataOf(
    api.POST("/api/concierge/agent-sessions/{id}/actions/{actionId}/settle", { params: first, body: { outcome: "waived", note: "It was paid." } }),
  );
  const handed = await dataOf(
    api.POST("/api/concierge/agent-sessions/{id}/actions/{actionId}/hand-over", { params: second, body: { assigneeId: 1 } }),
  );
  console.log(handed.proposedActions.map(({ handling }) => handling?.serviceRequestId));
}

/** Sets the approval policy. */
export async function policy(): Promise<void> {
  const { data, response } = await api.GET("/api/concierge/policy");
  if (data === undefined || data.rules.length > 0) {
    return;
  }
  const set = await dataOf(
    api.PUT("/api/concierge/policy", {
      params: { header: { "If-Match": response.headers.get("etag") ?? "*" } },
      body: { preset: "billing", caps: { money: [{ minorUnits: 500_000, currency: "USD" }] } },
    }),
  );
  console.log(set.rules.map((rule) => `${rule.approvers} for ${rule.when.riskAtLeast ?? "money"}`));
}

/** Rejects a proposal. */
export async function reject(id: AgentSessionId, reason: string): Promise<void> {
  const rejected = await dataOf(
    api.POST("/api/concierge/agent-sessions/{id}/reject", { params: { path: { id } }, body: { reason } }),
  );
  console.log(rejected.rejection?.reason, rejected.status);
}

/** Lists, checks and exports the journal of a session. */
async function journal(id: AgentSessionId): Promise<void> {
  const path = { id };
  const entries = await dataOf(
    api.GET("/api/concierge/agent-sessions/{id}/journal", { params: { path } }),
  );
  console.log(entries.map(({ at, what, actor }) => `${at}: ${what} by ${actor.type}`));
  const check = await dataOf(
    api.GET("/api/concierge/agent-sessions/{id}/journal/check", { params: { path } }),
  );
  console.log(check.verified ? "unchanged" : check.breaks);
  const [first] = entries;
  if (first === undefined) {
    return;
  }
  const { response } = await api.GET("/api/concierge/journal", {
    params: { query: { from: first.at } },
    parseAs: "text",
  });
  console.log(response.headers.get("content-type"));
}

/** Creates, tests and deletes a connection to a billing system. */
async function connections(): Promise<void> {
  const params = { path: { name: "spare_billing" } };
  const connection: Connection = await dataOf(
    api.PUT("/api/concierge/connections/{name}", {
      params,
      body: {
        kind: "stripe",
        baseUrl: "https://billing.example.com/v1",
        secret: "sk_test_billing",
        auth: { scheme: "bearer" },
        idempotency: { in: "header", name: "Idempotency-Key", replays: "all" },
        allow: ["GET /balance", "POST /invoices/{id}/void"],
        limits: { perSecond: 25, concurrent: 10 },
      } satisfies ConnectionPut,
    }),
  );
  console.log(connection.revision, connection.secretSetAt, connection.idempotency?.in ?? "no keys");
  const tested = await dataOf(api.POST("/api/concierge/connections/{name}/test", { params }));
  console.log(tested.reachable ? tested.status : tested.problem);
  const paused = await dataOf(api.POST("/api/concierge/connections/{name}/pause", { params }));
  await dataOf(api.POST("/api/concierge/connections/{name}/resume", { params }));
  const now = await dataOf(api.GET("/api/concierge/connections/{name}", { params }));
  console.log(paused.paused, now.paused, now.breaker.state, now.breaker.openUntil);
  const all = await dataOf(api.GET("/api/concierge/connections"));
  console.log(all.map((one) => `${one.name}: ${one.baseUrl}`));
  await api.DELETE("/api/concierge/connections/{name}", { params });
  await dataOf(api.POST("/api/concierge/pause"));
  await dataOf(api.POST("/api/concierge/resume"));
  const pause = await dataOf(api.GET("/api/concierge/pause"));
  console.log(pause.paused, pause.changedAt);
}

/** Returns the two newest open alerts of two types, page by page. */
async function openAlerts(): Promise<Alert[]> {
  const { data, error, response } = await api.GET("/api/concierge/alerts", {
    params: {
      query: { status: ["open"], signalType: ["usage_counted_twice", "webhooks_failing"], limit: 1 },
    },
  });
  if (error !== undefined) {
    const problem = problemOf(error);
    console.log(problem.code === "validation_error" ? problem.errors : problem.detail);
    return [];
  }
  const alerts = [...data, ...(await nextPage<Alert>(response)).rows];
  for (const { title, amountAtRisk, occurredAt } of alerts) {
    console.log(title, amountAtRisk?.currency ?? "nothing at risk", occurredAt);
  }
  return alerts;
}

/** Lists the earlier sessions on an alert. */
async function earlier(alert: AlertId): Promise<void> {
  const sessions: AgentSessionRow[] = await dataOf(
    api.GET("/api/concierge/alerts/{id}/agent-sessions", { params: { path: { id: alert } } }),
  );
  console.log(sessions.map(({ status, createdAt }) => `${createdAt}: ${inWords(status)}`));
}

/** Lists the proposals that wait for approval, and what the caller can do next. */
async function inbox(): Promise<void> {
  const rows: AgentSessionRow[] = await dataOf(
    api.GET("/api/concierge/agent-sessions", {
      params: { query: { status: ["awaiting_confirmation"] } },
    }),
  );
  for (const { alert, rootCause, proposedActions, expiresAt } of rows) {
    console.log(alert?.title, rootCause, proposedActions.map(({ risk }) => risk), expiresAt);
    const mine = proposedActions.filter(({ mayApprove }) => mayApprove);
    for (const { money, reversible, approvalsGiven, approvalsNeeded } of mine) {
      console.log(money?.amount?.minorUnits, reversible?.is, approvalsGiven, approvalsNeeded);
    }
  }
  const work = await dataOf(
    api.GET("/api/concierge/agent-sessions", { params: { query: { open: true, next: "me" } } }),
  );
  for (const { next, openActions } of work) {
    console.log(next?.who, next?.what, next?.until ?? "at any time", openActions);
  }
}

/** Reports alerts as a monitor does, and resolves one. */
async function report(): Promise<void> {
  const reported: Alert = await dataOf(
    api.POST("/api/concierge/alerts", {
      body: {
        source: "client",
        externalId: "late-inv_7",
        signalType: "invoice_late",
        severity: "warning",
        title: "Invoice inv_7 is late",
        targetSystem: "billing",
        entities: [{ type: "invoice", id: "inv_7" }],
        labels: { region: "eu" },
      },
    }),
  );
  const path = { id: reported.id };
  const changed = await dataOf(
    api.PATCH("/api/concierge/alerts/{id}", { params: { path }, body: { status: "resolved" } }),
  );
  const read = await dataOf(api.GET("/api/concierge/alerts/{id}", { params: { path } }));
  console.log(changed.status === read.status, read.count, read.resolvedAt ?? "stands");
  const { recorded, rejected } = await dataOf(
    api.POST("/api/concierge/alerts/alertmanager", {
      body: {
        alerts: [
          {
            status: "firing",
            labels: { alertname: "InvoiceLate", connection: "billing", entity_invoice: "inv_7" },
            startsAt: "2026-01-15T11:00:00Z",
            fingerprint: "c0ffee",
          },
        ],
      },
    }),
  );
  console.log(recorded.length, rejected.length);
}

/** Approves actions. Returns the results of those that have ended. */
async function execute(id: AgentSessionId, actionIds: string[]): Promise<ExecutionResult[]> {
  const { data, error, response } = await api.POST("/api/concierge/agent-sessions/{id}/execute", {
    params: { path: { id }, header: { Prefer: "respond-async" } },
    body: { actionIds },
  });
  if (error !== undefined) {
    const { code, detail } = problemOf(error);
    if (code === "proposal_superseded" || code === "plan_feature_unavailable") {
      alert(detail);
    }
    return [];
  }
  return response.status === 202 ? data.session.executionResults : data.results;
}

function outcome(result: ExecutionResult): string {
  const seconds = result.duration / 1000;
  const status: unknown = result.response?.["status"];
  const error: string | null = result.error;
  return result.success ? `done in ${seconds} s (${status})` : (error ?? "not done");
}

function ended(session: AgentSession): boolean {
  return ["completed", "failed", "cancelled", "expired"].includes(session.status);
}

function inWords(status: AgentSessionStatus): string {
  switch (status) {
    case "started":
    case "analyzing":
      return "looking into it";
    case "awaiting_confirmation":
      return "waits for you";
    case "executing":
    case "cancelling":
      return "at work";
    case "completed":
    case "failed":
    case "cancelled":
    case "expired":
      return "ended";
    default:
      return never(status);
  }
}

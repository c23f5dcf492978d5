/** What a front end does with the resolution agent: a part of the story. */

import type {
  AgentSession,
  AgentSessionId,
  AgentSessionStatus,
  AgentSessionSummary,
  Alert,
  ExecutionResult,
  SignalId,
} from "./api";
import { api, dataOf, never, nextPage } from "./client";

export async function resolution(): Promise<void> {
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
  const approved = proposedActions.filter((action) => action.isAutomated && action.risk === "low");
  console.log(approved.flatMap((action) => action.steps.map((step) => step.apiCall)));

  const done = await execute(path.id, approved.map((action) => action.id));
  console.log(done.map(outcome));
  const session = await dataOf(api.GET("/api/concierge/agent-sessions/{id}", { params: { path } }));
  console.log(inWords(session.status), session.error ?? "no error");
  if (!ended(session)) {
    const cancelled = await dataOf(
      api.POST("/api/concierge/agent-sessions/{id}/cancel", { params: { path } }),
    );
    console.log(cancelled.message);
  }
}

/** The two newest alerts that are open, page by page. */
async function openAlerts(): Promise<Alert[]> {
  const { data, error, response } = await api.GET("/api/concierge/alerts", {
    params: { query: { status: ["open"], limit: 1 } },
  });
  if (error !== undefined) {
    console.log(error.code === "validation_error" ? error.errors : error.detail);
    return [];
  }
  const alerts = [...data, ...(await nextPage<Alert>(response))];
  for (const { title, amountAtRisk, occurredAt } of alerts) {
    console.log(title, amountAtRisk?.currency ?? "nothing at risk", occurredAt);
  }
  return alerts;
}

/** What the agent did about an alert before. */
async function earlier(alert: SignalId): Promise<void> {
  const sessions: AgentSessionSummary[] = await dataOf(
    api.GET("/api/concierge/agent-sessions", {
      params: { query: { alertId: [alert], status: ["completed", "failed"] } },
    }),
  );
  console.log(sessions.map(({ status, createdAt }) => `${createdAt}: ${inWords(status)}`));
}

/** What has ended of the approved actions. The rest comes with the session. */
async function execute(id: AgentSessionId, actionIds: string[]): Promise<ExecutionResult[]> {
  const { data, error, response } = await api.POST("/api/concierge/agent-sessions/{id}/execute", {
    params: { path: { id }, header: { Prefer: "respond-async" } },
    body: { actionIds },
  });
  if (error !== undefined) {
    if (error.code === "proposal_superseded" || error.code === "plan_feature_unavailable") {
      alert(error.detail);
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

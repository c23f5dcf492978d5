/** What a client does to hear of changes: it follows the feed, or has webhooks called. */

import type { Webhook, WebhookCreate, WebhookId, WebhookUpdate } from "./api";
import { api, dataOf } from "./client";

/** Asks for the changes of tasks since the last call, and returns where the next call begins. */
export async function followTasks(cursor?: string): Promise<string | null> {
  const query = { type: ["task" as const], ...(cursor === undefined ? {} : { cursor }) };
  const { data: entries, response } = await api.GET("/api/changes", { params: { query } });
  for (const { recordId, action, fields, actor } of entries ?? []) {
    console.log(recordId, action, fields, actor?.fullName ?? "the service");
  }
  return response.headers.get("link");
}

export async function webhooks(): Promise<void> {
  const { id, secret } = await dataOf(
    api.POST("/api/webhooks", {
      body: {
        url: "https://hooks.example.com/workdesk",
        types: ["task.created", "ticket.*"],
      } satisfies WebhookCreate,
    }),
  );
  console.log("the receiver verifies with", secret);
  const path = { id };
  const tested = await dataOf(api.POST("/api/webhooks/{id}/test", { params: { path } }));
  console.log(tested.status, tested.statusCode, tested.durationMs, tested.error);
  await dataOf(
    api.PATCH("/api/webhooks/{id}", {
      params: { path },
      body: { types: ["*"], description: null } satisfies WebhookUpdate,
    }),
  );
  await sendFailedOnesAgain(id);
  const rotated = await dataOf(api.POST("/api/webhooks/{id}/rotate-secret", { params: { path } }));
  console.log(rotated.secret, rotated.previousSecretUntil);
  const all: Webhook[] = await dataOf(api.GET("/api/webhooks"));
  console.log(all.map((one) => one.disabledReason));
  await dataOf(api.DELETE("/api/webhooks/{id}", { params: { path } }));
}

async function sendFailedOnesAgain(id: WebhookId): Promise<void> {
  const webhook = await dataOf(api.GET("/api/webhooks/{id}", { params: { path: { id } } }));
  console.log(webhook.lastSuccessAt, webhook.failingSince);
  const failed = await dataOf(
    api.GET("/api/webhooks/{id}/deliveries", {
      params: { path: { id }, query: { status: ["failed"] } },
    }),
  );
  for (const { id: deliveryId, type, change, lastError } of failed) {
    console.log(type, change.recordId, lastError);
    await api.POST("/api/webhooks/{id}/deliveries/{deliveryId}/redeliver", {
      params: { path: { id, deliveryId } },
    });
  }
}

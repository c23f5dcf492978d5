/** An agent session leads to its alert. `#/agent-sessions/9` */

/** @import { View } from "../../frame/router.js" */
import { get } from "../../api/client.js";
import { put } from "../../api/records.js";
import { to } from "../../frame/router.js";

/** @type {View} */
export async function view({ signal }, { id }) {
  const { data } = await get("/api/concierge/agent-sessions/{id}", { id: Number(id) }, { signal });
  put("agent_session", data);
  location.replace(to(`/alerts/${data.alertId}`, { session: String(data.id) }));
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

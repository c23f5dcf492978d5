/** A connection: its circuit breaker, test, pause, and settings. `#/settings/connections/{name}` */

/** @import { Connection } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, post, put, remove } from "../../api/client.js";
import { button, facts, form, node, state, time } from "../../elements.js";
import { go } from "../../frame/router.js";
import { denied } from "../../frame/session.js";
import { connectionFields } from "./connections.js";
import { confirm, send } from "./parts.js";

const BREAKERS = {
  closed: ["Reachable", "full good"],
  open: ["Stopped: no clear answers", "stop bad"],
  probing: ["Trying again", "half warn"],
};

/** @param {Context} context @param {string} name */
export async function connection({ header, body, title, signal }, name) {
  const read = async () => (await get("/api/concierge/connections/{name}", { name }, { signal })).data;
  const place = node("div", { class: "stack" });
  const acts = node("span", { class: "action" });
  const result = node("p", { role: "status" });
  /** @param {Awaited<ReturnType<typeof read>>} known */
  const show = (known) => {
    title(`Connection ${known.name}`);
    const test = async () => {
      const tested = (await post("/api/concierge/connections/{name}/test", { name })).data;
      const { reachable, status, durationMs, problem } = tested;
      const refused = status === 401 || status === 403;
      const look = reachable && !refused ? "check good" : "stop bad";
      const text = reachable ? `status ${status}${refused ? ": the secret was not accepted" : ""}` : problem;
      const label = reachable ? "Reachable" : "Not reachable";
      result.replaceChildren(state("test", label, look), ` ${text}, ${durationMs} ms`);
    };
    const turn = async () => {
      await post(`/api/concierge/connections/{name}/${known.paused ? "resume" : "pause"}`, { name });
      show(await read());
    };
    const drop = async () => {
      await remove("/api/concierge/connections/{name}", { name });
      go("/settings/connections");
    };
    const reason = denied("manage_organization");
    acts.replaceChildren(
      button("Test", test, { reason }),
      button(known.paused ? "Resume" : "Pause", turn, { reason: denied("execute_agent_remediation") }),
      button("Delete", () =>
        confirm(`Delete ${name}?`, "Actions on it can no longer be executed.", "Delete connection", drop), { reason }));
    const { fields, values } = connectionFields(known);
    const text = (/** @type {Pick<Connection, "kind" | "baseUrl" | "allow">} */ { kind, baseUrl, allow }) =>
      [kind, baseUrl, ...allow].join("\n");
    const [label, look] = BREAKERS[known.breaker.state];
    place.replaceChildren(
      facts({
        State: known.paused ? state("paused", "Paused", "pause warn") : state("breaker", label, look),
        Kind: known.kind, "Base URL": known.baseUrl,
        Secret: known.secretSetAt ? node("span", {}, "set ", time(known.secretSetAt)) : "none",
        "Allowed calls": node("div", { class: "text" }, known.allow.join("\n")),
      }),
      result,
      ...(reason ? [] : [node("details", {}, node("summary", {}, "Change the connection"), form({
        fields, submit: "Save connection", draft: "connection",
        act: (made) => send({
          place: made, what: "The connection", known, mine: text(values()), theirs: text, take: show,
          save: async (match) => {
            await put("/api/concierge/connections/{name}", { name }, values(), { match });
            return read();
          },
        }),
      }))]));
  };
  show(await read());
  header.append(acts);
  body.append(place);
}

/** The agent's connections to target systems, one of them, and the pause of all actions. `#/settings/connections/{name}` */

/** @import { AgentPause, Connection, ConnectionPut } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, post, Problem, put, remove } from "../../api/client.js";
import { button, counted, facts, fold, form, input, node, quiet, state, time } from "../../elements.js";
import { go, to } from "../../frame/router.js";
import { denied } from "../../frame/session.js";
import { asking, changing, listed, shown } from "./parts.js";

const ONE = "/api/concierge/connections/{name}";
/** @typedef {[label: string, look: string]} Look */
const BREAKERS = {
  closed: /** @type {Look} */ (["Reachable", "full good"]),
  open: /** @type {Look} */ (["Stopped: no clear answers", "stop bad"]),
  probing: /** @type {Look} */ (["Trying again", "half warn"]),
};

/** @param {Context} context */
export async function connections(context) {
  const place = node("p.end");
  const show = (/** @type {AgentPause} */ { paused }) => {
    const path = paused ? "/api/concierge/resume" : "/api/concierge/pause";
    place.replaceChildren(
      state("paused", paused ? "All actions are paused" : "Actions may start", paused ? "pause warn" : "full good"),
      button(paused ? "Resume all actions" : "Pause all actions", async () => show((await post(path, {})).data),
        { reason: denied("execute_agent_remediation") }));
  };
  context.body.append(place);
  const pause = get("/api/concierge/pause", {}, { signal: context.signal });
  await listed(context, {
    rows: (options) => get("/api/concierge/connections", { limit: 50 }, options), line, none: "No connection.",
    create: "Create a connection", reason: denied("manage_organization"),
    form: () => ({
      fields: [
        input("Name", "name", {
          required: true, maxlength: 64, autocapitalize: "none",
          hint: "Lower-case letters, digits and underscores. It never changes.",
        }), fieldsOf(),
      ],
      draft: "connection",
      act: async ({ name = "", ...values }) => (await put(ONE, { name }, valuesOf(values), { absent: true })).data,
    }),
  });
  show((await pause).data);
}

/** @param {Connection} connection */
function line({ name, kind, baseUrl, paused, secretSetAt, allow }) {
  return node("li",
    node("div.grow", node("a", { href: to(`/settings/connections/${name}`) }, name),
      node("div.quiet", `${kind}, ${baseUrl}`)),
    paused ? state("paused", "Paused", "pause warn") : state("active", "In use", "full good"),
    quiet(secretSetAt ? "secret set" : "no secret"), quiet(counted(allow.length, "call"), " allowed"));
}

/** The fields of a connection. What is seldom changed is JSON. @param {Partial<Connection>} [known] */
function fieldsOf({ kind, baseUrl = "https://", allow = [], secretSetAt, auth, ...known } = {}) {
  const { headers, body, idempotency, testPath, errorCode, keep, limits } = known;
  const more = JSON.stringify({ auth: auth ?? { scheme: "bearer" }, headers, body, idempotency, testPath, errorCode, keep, limits }, null, 2);
  const code = { class: "code", spellcheck: "false" };
  return [
    input("Kind", "kind", { required: true, value: kind, hint: "Such as stripe." }),
    input("Base URL", "baseUrl", { type: "url", required: true, value: baseUrl }),
    input("Secret", "secret", {
      type: "password", autocomplete: "off",
      hint: secretSetAt ? "Empty: the present one is kept." : "It is never shown again.",
    }),
    input("Allowed calls", "allow", { ...code, rows: 4, value: allow.join("\n"), hint: "One a line, such as GET /invoices/{id}." }),
    fold("more", "More", input("Further settings", "more", {
      ...code, rows: 10, value: more, hint: "JSON, as in “Creates or replaces a connection” of the API reference.",
    })),
  ];
}

/** @param {Record<string, string>} values @returns {ConnectionPut} */
function valuesOf({ kind = "", baseUrl = "", secret, allow = "", more = "" }) {
  const calls = allow.split("\n").map((one) => one.trim()).filter(Boolean);
  try {
    return { kind, baseUrl, allow: calls, ...JSON.parse(more), ...(secret && { secret }) };
  } catch (error) {
    throw new Problem(400, { detail: `The further settings are no JSON: ${/** @type {Error} */ (error).message}.` });
  }
}

/** @param {Context} context @param {string} name */
export async function connection(context, name) {
  const { title, signal } = context;
  const read = () => get(ONE, { name }, { signal });
  const save = async (/** @type {ConnectionPut} */ change, /** @type {any} */ match) => {
    await put(ONE, { name }, change, { match });
    return read();
  };
  const result = node("p", { role: "status" });
  const test = async () => {
    const { reachable, status, durationMs, problem } = (await post(`${ONE}/test`, { name })).data;
    const refused = status === 401 || status === 403;
    const text = reachable ? `status ${status}${refused ? ": the secret was not accepted" : ""}` : problem;
    result.replaceChildren(state("test", reachable ? "Reachable" : "Not reachable",
      reachable && !refused ? "check good" : "stop bad"), ` ${text}, ${durationMs} ms`);
  };
  const drop = async () => {
    await remove(ONE, { name });
    go("/settings/connections");
  };
  shown(context, (await read()).data, save, (known, record) => {
    title(`Connection ${known.name}`);
    const turn = async () => {
      await post(known.paused ? `${ONE}/resume` : `${ONE}/pause`, { name });
      record.keep((await read()).data);
    };
    const reason = denied("manage_organization");
    return {
      acts: [
        button("Test", test, { reason }),
        button(known.paused ? "Resume" : "Pause", turn, { reason: denied("execute_agent_remediation") }),
        asking("Delete", `Delete ${name}?`, "Actions on it can no longer be executed.", drop, { reason }),
      ],
      parts: [
        facts({
          State: known.paused ? state("paused", "Paused", "pause warn") : state("breaker", ...BREAKERS[known.breaker.state]),
          Kind: known.kind, "Base URL": known.baseUrl,
          Secret: known.secretSetAt ? ["set ", time(known.secretSetAt)] : "none",
          "Allowed calls": node("div.text", known.allow.join("\n")),
        }), result,
        !reason && fold("form", "Change the connection", form(changing({
          what: "The connection", known, fields: fieldsOf(known), submit: "Save connection",
          values: valuesOf, save, keep: record.keep,
        }))),
      ],
    };
  });
}

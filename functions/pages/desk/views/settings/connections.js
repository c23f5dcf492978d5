/** The agent's connections to target systems, and one of them. `#/settings/connections/{name}` */
/** @import { BreakerState, Connection, ConnectionPut } from "workdesk"
 * @import { View } from "../../kit.js" */
import {
  asking, button, counted, denied, facts, fold, form, go, input, named, node, post, Problem, put,
  quiet, remove, state, time, to,
} from "../../kit.js";
import { pauseOf } from "../alerts/pause.js";
import { listed, secretField, shown } from "./parts.js";
import { SYSTEM_KINDS } from "./sets.js";

const ONE = "/api/concierge/connections/{name}";
/** States of a connection, and of its breaker.
 * @type {Record<"paused" | "used" | BreakerState, [string, string]>} */
const STATES = {
  paused: ["Paused", "pause warn"], used: ["In use", "full good"],
  closed: ["Reachable", "full good"],
  open: ["Stopped: no clear answers", "stop bad"], probing: ["Trying again", "half warn"],
};
const stateOf = (/** @type {keyof typeof STATES} */ name) => STATES[name]
  && state(name, ...STATES[name]);

/** @type {View} */
export async function connections(context) {
  const pause = pauseOf(context.signal);
  await listed(context, {
    path: "/api/concierge/connections", none: "No connection.",
    line: ({ name, kind, baseUrl, paused, secretSetAt, allow }) => node("li",
      node("div.grow", node("a", { href: to(`/settings/connections/${name}`) }, name),
        node("div.quiet", `${kind}, ${baseUrl}`)), stateOf(paused ? "paused" : "used"),
      quiet(secretSetAt ? "secret set" : "no secret"),
      quiet(counted(allow.length, "call"), " allowed")),
    create: "Create a connection", reason: denied("manage_organization"),
    form: () => ({
      fields: [input("Name", "name", { required: true, maxlength: 64, autocapitalize: "none",
        hint: "Lower-case letters, digits and underscores. It never changes." }), fieldsOf()],
      act: ({ name, ...values }) => put(ONE, { name }, valuesOf(values), { absent: true }),
    }),
  });
  context.body.prepend(node("p", await pause));
}

/** The fields of a connection. What is seldom changed is JSON.
 * @param {Partial<Connection>} [known] */
function fieldsOf({ kind, baseUrl = "https://", allow = [], secretSetAt, ...known } = {}) {
  const { auth = { scheme: "bearer" }, headers, body, idempotency, testPath, errorCode, keep } =
    known;
  const { amounts, partners, identity, limits, settlesWithin } = known;
  const seldom = {
    amounts, partners, identity, settlesWithin, auth, headers, body, idempotency, testPath,
    errorCode, keep, limits,
  };
  const code = { class: "code", spellcheck: "false" };
  const json = { value: JSON.stringify(seldom, null, 2), hint: "JSON, as in the API reference." };
  return [input("Kind", "kind", { required: true, value: kind, options: named(SYSTEM_KINDS) }),
    input("Base URL", "baseUrl", { type: "url", required: true, autocomplete: "off",
      value: baseUrl }),
    secretField("Secret", "secret", Boolean(secretSetAt)),
    input("Allowed calls", "allow", { ...code, rows: 4, value: allow.join("\n"),
      hint: "One a line, such as GET /invoices/{id}." }),
    fold("more", "More", input("Further settings", "more", { ...code, rows: 10, ...json }))];
}

/** @param {any} values @returns {ConnectionPut} */
function valuesOf({ kind, baseUrl, secret, allow, more }) {
  const calls = (allow ?? "").split("\n").map((/** @type {string} */ one) => one.trim())
    .filter(Boolean);
  try {
    return { kind, baseUrl, allow: calls, ...JSON.parse(more ?? "{}"), ...(secret && { secret }) };
  } catch (error) {
    throw new Problem(400, { detail: `The further settings are no JSON. ${error}.` });
  }
}

/** @type {View} */
export async function connection(context, { id: name = "" }) {
  const result = node("p", { role: "status" });
  const test = async () => {
    const { reachable, status, durationMs, problem } = (await post(`${ONE}/test`, { name })).data;
    const refused = status === 401 || status === 403;
    const text = reachable ? `status ${status}${refused ? ": the secret was not accepted" : ""}`
      : problem;
    const look = reachable && !refused ? "check good" : "stop bad";
    result.replaceChildren(
      state("test", reachable ? "Reachable" : "Not reachable", look), ` ${text}, ${durationMs} ms`);
  };
  const drop = () => remove(ONE, { name }).then(() => go("/settings/connections"));
  const reason = denied("manage_organization");
  context.title(`Connection ${name}`);
  await shown(context, "The connection", ONE, { name }, (known, record, change) => {
    const { paused, kind, baseUrl, allow, secretSetAt } = known;
    const turn = () => post(paused ? `${ONE}/resume` : `${ONE}/pause`, { name }).then(record.again);
    return {
      acts: [button("Test", test, { reason }),
        button(paused ? "Resume" : "Pause", turn, { reason: denied("execute_agent_remediation") }),
        asking("Delete", `Delete ${name}?`, "Actions on it can no longer be executed.", drop,
          { reason })],
      parts: [
        facts({ State: stateOf(paused ? "paused" : known.breaker.state), Kind: kind,
          "Base URL": baseUrl,
          Account: known.account ?? "not checked",
          Secret: secretSetAt ? ["set ", time(secretSetAt)] : "none",
          "Allowed calls": node("div.text", allow.join("\n")) }), result,
        !reason && fold("form", "Change the connection",
          form(change("Save connection", { fields: fieldsOf(known), values: valuesOf })))],
    };
  }, put);
}

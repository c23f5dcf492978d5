/** The agent's connections to target systems, and the pause of all actions. `#/settings/connections` */

/** @import { Connection, ConnectionPut, AgentPause } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, post, Problem, put } from "../../api/client.js";
import { button, dialog, field, form, node, quiet, state } from "../../elements.js";
import { go, to } from "../../frame/router.js";
import { denied } from "../../frame/session.js";
import { paged } from "./parts.js";

/** @param {Context} context */
export async function connections({ header, body, signal }) {
  const [list, { data }] = await Promise.all([
    paged(get("/api/concierge/connections", { limit: 50 }, { signal }), line, "No connection."),
    get("/api/concierge/pause", {}, { signal }),
  ]);
  const place = node("p", { class: "end" });
  /** @param {AgentPause} pause */
  const show = ({ paused }) => {
    const turn = async () => show((await post(paused ? "/api/concierge/resume" : "/api/concierge/pause", {})).data);
    place.replaceChildren(
      state("paused", paused ? "All actions are paused" : "Actions may start", paused ? "pause warn" : "full good"),
      button(paused ? "Resume all actions" : "Pause all actions", turn, {
        reason: denied("execute_agent_remediation"),
      }));
  };
  show(data);
  header.append(button("Create a connection", create, { kind: "main", reason: denied("manage_organization") }));
  body.append(place, list.element);
}

/** @param {Connection} connection */
function line({ name, kind, baseUrl, paused, secretSetAt, allow }) {
  return node("li", {},
    node("div", { class: "grow" }, node("a", { href: to(`/settings/connections/${name}`) }, name),
      node("div", { class: "quiet" }, `${kind}, ${baseUrl}`)),
    paused ? state("paused", "Paused", "pause warn") : state("active", "In use", "full good"),
    quiet(secretSetAt ? "secret set" : "no secret"),
    quiet(`${allow.length} calls allowed`));
}

/**
 * A connection as the API takes it, in JSON, and its secret.
 * @param {Connection} [known]
 */
export function connectionFields(known) {
  const { kind, baseUrl, auth, headers, body, idempotency, allow, testPath, errorCode, keep, limits } =
    known ?? EXAMPLE;
  const settings = { kind, baseUrl, auth, headers, body, idempotency, allow, testPath, errorCode, keep, limits };
  const area = node("textarea", {
    name: "settings", required: true, spellcheck: "false", class: "code", value: JSON.stringify(settings, null, 2),
  });
  const secret = node("input", { name: "secret", type: "password", autocomplete: "off" });
  return {
    fields: [
      field("Settings", area, { hint: "The body of “Creates or replaces a connection” in the API reference." }),
      field("Secret", secret, {
        hint: known?.secretSetAt ? "Empty: the present one is kept." : "It is never shown again.",
      }),
    ],
    /** @returns {ConnectionPut} */
    values: () => {
      try {
        return { ...JSON.parse(area.value), ...(secret.value ? { secret: secret.value } : {}) };
      } catch (error) {
        throw new Problem(400, { detail: `The settings are no JSON: ${/** @type {Error} */ (error).message}.` });
      }
    },
  };
}

/** @type {Partial<ConnectionPut>} */
const EXAMPLE = { kind: "", baseUrl: "https://", auth: { scheme: "bearer" }, allow: [] };

function create() {
  const name = node("input", { name: "name", required: true, maxlength: 64, autocapitalize: "none" });
  const { fields, values } = connectionFields();
  const over = dialog("Create a connection", [
    form({
      fields: [field("Name", name, { hint: "Lower-case letters, digits and underscores. It never changes." }), ...fields],
      submit: "Create connection", draft: "connection", cancel: () => over.close(),
      act: async () => {
        await put("/api/concierge/connections/{name}", { name: name.value.trim() }, values(), { absent: true });
        over.close();
        go(`/settings/connections/${name.value.trim()}`);
      },
    }),
  ]);
}

/** Settings: a page for each section, one's own first, then the organization's. `#/settings/{section}` */
/** @import { Permission } from "workdesk" @import { Requery, View } from "../../kit.js" */
import { attempt, denied, draw, empty, node, to, words } from "../../kit.js";
import { connection, connections } from "./connections.js";
import { notifications, organization, profile, sessions, tokens } from "./own.js";
import { policy } from "./policy.js";
import { journal } from "./journal.js";
import { provider } from "./provider.js";
import { invitations } from "./invitations.js";
import { user, users } from "./users.js";
import { webhook, webhooks } from "./webhooks.js";

/** The sections by their names, those of one record, and who may read them. @type {Record<string, View>} */
const OWN = { profile, sessions, tokens, notifications };
/** @type {Record<string, View>} */
const SHARED = { organization, users, invitations, provider, webhooks, connections, policy, journal };
/** @type {Record<string, View>} */
const ONE = { users: user, webhooks: webhook, connections: connection };
/** @type {Record<string, Permission>} */
const READERS = {
  invitations: "manage_users", provider: "manage_organization", webhooks: "manage_organization",
  journal: "manage_organization",
  connections: "view_agent_remediation", policy: "view_agent_remediation",
};

/** @type {View} */
export async function view(context, parameters) {
  const { section: name = "profile", id } = parameters;
  const sections = Object.entries({ ...OWN, ...SHARED, ...(id && ONE) });
  const section = sections.find(([one]) => one === name)?.[1];
  const links = (/** @type {typeof OWN} */ some) => node("ul", Object.keys(some).map((one) => node("li",
    node("a", { href: to(`/settings/${one}`), "aria-current": one === name && "page" }, words(one)))));
  const body = node("div.section");
  context.body.classList.add("with-sections");
  context.body.append(node("nav", { "aria-label": "Settings" }, links(OWN), links(SHARED)), body);
  context.title(section ? words(name) : "Settings");
  const reason = READERS[name] ? denied(READERS[name]) : "";
  if (!section || reason) {
    return draw(body, empty(section ? reason.replace("do this", "read this") : "There is no such section."));
  }
  let requery = /** @type {Requery | void} */ (undefined);
  await attempt(body, async () => {
    draw(body);
    requery = await section({ ...context, body }, parameters);
  });
  return requery;
}

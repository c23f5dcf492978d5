/** One's own settings: profile and password, sessions, tokens, notifications; and the organization's name. */
/** @import { NotificationPreferences, Permission, Token } from "workdesk" */
/** @import { Context, View } from "../../frame/router.js" */
/** @import { Edited } from "../../record/fields.js" */
import { get, patch, post, put, remove } from "../../api/client.js";
import {
  ask, button, facts, form, input, named, node, number, quiet, section, setFault, state, time, words,
} from "../../elements.js";
import { denied, me, myId } from "../../frame/session.js";
import { text } from "../../record/fields.js";
import { asking, checks, listed } from "./parts.js";

const DAY_MS = 86_400_000;

/** A text that is edited in its place. @param {any} known @param {string} name @param {string} reason
 * @param {Edited["patch"]} patch @param {string} [label] @param {string} [none] if it may be empty */
function lineOf(known, name, reason, patch, label = "Name", none = "") {
  const record = { read: () => known, keep: (/** @type {any} */ now) => (known = now), patch, reason };
  const shown = (/** @type {string} */ value) => node("span", value);
  const made = text(record, { label, name, line: true, optional: none !== "", none, shown });
  made.show();
  return [made.element, reason && quiet("Admins may change it.")];
}

/** @type {View} */
export async function profile({ body, signal }) {
  const { organization, permissions } = me();
  const on = { id: myId() };
  const { data } = await get("/api/users/{id}", on, { signal });
  const name = lineOf(data, "fullName", denied("manage_users"),
    (change, match) => patch("/api/users/{id}", on, change, { match }));
  const secret = { type: "password", required: true, autocomplete: "new-password" };
  const done = node("p", { role: "status" });
  const password = form({
    fields: [
      input("Current password", "currentPassword", { ...secret, autocomplete: "current-password" }),
      input("New password", "newPassword", { ...secret, hint: "12 to 128 characters." }),
      input("New password again", "again", secret),
    ],
    submit: "Change password",
    act: async ({ currentPassword = "", newPassword = "", again }) => {
      const same = newPassword === again;
      const repeated = /** @type {HTMLElement} */ (password.querySelector("[name=again]"));
      done.textContent = "";
      setFault(repeated, same ? "" : "The two are not the same.");
      if (!same) return repeated.focus();
      await put("/api/auth/password", {}, { currentPassword, newPassword });
      password.reset();
      done.textContent = "The password is changed.";
    },
  });
  const email = node("span.action");
  const showEmail = (asked = "") => email.replaceChildren(data.email ?? quiet("none"),
    data.email ? quiet(verified(data.emailVerifiedAt)) : "",
    button(asked ? "Change again" : "Change", changeEmail, { kind: "plain", name: "Change e-mail" }),
    node("span", { role: "status" }, asked && `A link was sent to ${asked}. Open it to confirm it.`));
  const changeEmail = () => ask("Change your e-mail", {
    fields: [input("New e-mail", "email", { type: "email", required: true, maxlength: 254 }),
      input("Your password", "password", { ...secret, autocomplete: "current-password" })],
    submit: "Send a link",
    act: async ({ email: wanted = "", password = "" }) => {
      await put("/api/auth/email", {}, { email: wanted, password });
      showEmail(wanted);
    },
  });
  showEmail();
  body.append(
    facts({
      Name: name, "User name": data.username, "E-mail": email, Organization: organization.name,
      Role: words(data.role), Permissions: permissions.map(words).join(", "),
    }),
    section("Password",
      node("p.quiet", "A new password ends your other sessions and all your tokens."), password, done));
}

/** @type {View} */
export async function organization({ body, signal }) {
  const on = { id: me().organization.id };
  const { data } = await get("/api/organizations/{id}", on, { signal });
  const reason = denied("manage_organization");
  const change = (/** @type {any} */ fields, /** @type {any} */ match) =>
    patch("/api/organizations/{id}", on, fields, { match });
  body.append(facts({
    Name: lineOf(data, "name", reason, change),
    "Web address": lineOf(data, "webUrl", reason, change, "Web address", "the deployment’s own"),
    Number: data.id, Plan: data.planFeatures.join(", ") || "no further features",
    Quota: `${number(data.unitsPerSecond)} table units per second`, Created: time(data.createdAt),
  }));
}

/** @type {View} */
export async function sessions(context) {
  const gone = () => context.body.querySelectorAll("li:not(.current)").forEach((row) => row.remove());
  const end = () => remove("/api/auth/sessions", {}).then(gone);
  context.body.append(node("div", asking("End all other sessions", "End all other sessions?",
    "Other browsers have to sign in again. Tokens stay.", end)));
  await listed(context, {
    rows: (options) => get("/api/auth/sessions", { limit: 50 }, options), none: "No session.",
    line: (session, gone) =>
      sessionLine(session, () => remove("/api/auth/sessions/{id}", { id: session.id }).then(gone)),
  });
}

/** A row of a session, with what ends it.
 * @param {import("workdesk").OpenSession} session @param {() => Promise<unknown>} [end] */
export function sessionLine({ userAgent, address, signedInAt, lastUsedAt, current, method }, end) {
  return node(current ? "li.current" : "li.session",
    node("span.grow", { title: userAgent }, browser(userAgent)),
    current && state("current", "This session", "full good"), quiet(address),
    quiet("signed in ", method === "oidc" && "by the provider ", time(signedInAt)),
    quiet("last used ", time(lastUsedAt)), end && !current && button("End", end, { kind: "plain" }));
}

export const verified = (/** @type {string | null} */ at) => (at ? "verified" : "not verified");

/** "Chrome on Linux", or the text itself. @param {string | null} agent */
function browser(agent) {
  const [, name] = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent ?? "") ?? [];
  const [, system] = /(Windows|Android|iPhone|iPad|Mac OS|Linux)/.exec(agent ?? "") ?? [];
  const known = { Edg: "Edge", OPR: "Opera" }[name ?? ""] ?? name;
  return known && system ? `${known} on ${system}` : agent?.slice(0, 60) ?? "Unknown program";
}

export const tokens = (/** @type {Context} */ context) => listed(context, {
  rows: (options) => get("/api/tokens", { limit: 50 }, options),
  line: (token, gone) => tokenLine(token, () => remove("/api/tokens/{id}", { id: token.id }).then(gone)),
  none: "No token. Scripts and CI use one instead of a password.", create: "Create a token",
  secret: ({ name, token }) => [`Token “${name}”`, token],
  form: () => {
    const permissions = checks("Permissions (none chosen: all of yours)", named(me().permissions), []);
    return {
      fields: [
        input("Name", "name", { required: true, maxlength: 100, hint: "Its use, such as “nightly export”." }),
        input("Ends", "days", {
          options: [["30", "In 30 days"], ["90", "In 90 days"], ["365", "In a year"]], value: "90",
        }), permissions.element,
      ],
      act: async ({ name = "", days }) => {
        const chosen = /** @type {Permission[]} */ (permissions.values());
        const expiresAt = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
        const token = { name, expiresAt, permissions: chosen.length ? chosen : null };
        return (await post("/api/tokens", {}, token)).data;
      },
    };
  },
});

/** A row of a token, with what revokes it. @param {Token} token @param {() => Promise<unknown>} revoke */
export function tokenLine({ name, permissions, expiresAt, lastUsedAt }, revoke) {
  return node("li",
    node("div.grow", node("b", name),
      node("div.quiet", permissions ? permissions.map(words).join(", ") : "All permissions of its owner")),
    quiet("ends ", time(expiresAt)), quiet(lastUsedAt ? ["last used ", time(lastUsedAt)] : "never used"),
    asking("Revoke", `Revoke “${name}”?`, "It ends at once. Programs that use it are refused.",
      revoke, { kind: "plain", name: `Revoke ${name}` }));
}

/** @type {Record<keyof NotificationPreferences, string>} */
const KINDS = {
  mentioned: "A comment, a message or a description names me",
  assigned: "I became the assignee of a task, a request or a ticket",
  action_needed: "A manual action of the agent was handed over to me",
  approval_needed: "A proposal of the agent awaits my approval",
  commented: "A comment or a message on what I created, am assigned to or commented on",
  due_soon: "My task is due within 24 hours",
  overdue: "My task is past its due date",
  webhook_disabled: "The service disabled a webhook",
  policy_loosened: "The agent’s policy allows more than before",
};

/** @type {View} */
export async function notifications({ body, signal }) {
  const { data: known } = await get("/api/notifications/preferences", {}, { signal });
  const done = node("p", { role: "status" });
  const names = /** @type {[keyof NotificationPreferences, string][]} */ (Object.entries(KINDS));
  const kinds = names.map(([name, text]) => {
    const [inbox, mail] = /** @type {const} */ (["inbox", "mail"]).map((place) => node("input", {
      type: "checkbox", checked: known[name][place], "aria-label": `${text}: ${place}`,
    }));
    return { name, text, inbox, mail };
  });
  const head = node("tr", ["Notify me when", "Inbox", "Mail"].map((name) => node("th", name)));
  const line = (/** @type {typeof kinds[0]} */ { text, inbox, mail }) =>
    node("tr", node("td", text), node("td", inbox), node("td", mail));
  body.append(form({
    fields: node("table.kinds", node("thead", head), node("tbody", kinds.map(line))), submit: "Save",
    act: async () => {
      const wanted = kinds.map(({ name, inbox, mail }) =>
        [name, { inbox: inbox?.checked, mail: inbox?.checked && mail?.checked }]);
      await put("/api/notifications/preferences", {}, Object.fromEntries(wanted));
      done.replaceChildren("Saved ", time(new Date().toISOString()), ".");
    },
  }), done);
}

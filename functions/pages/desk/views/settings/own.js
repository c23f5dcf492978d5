/** One's own settings: profile and password, sessions, tokens, notifications; and the organization's name. */
/** @import { NotificationPreferences, OpenSession, Token } from "workdesk" */
/** @import { Context, View } from "../../kit.js" @import { Edited } from "../../record/record.js" */
import {
  ask, asking, button, denied, facts, form, get, input, me, myId, node, now, number, patch, post, Problem, put,
  quiet, remove, section, setFault, state, takeAway, time, toProvider, words,
} from "../../kit.js";
import { text } from "../../record/record.js";
import { featureName, permissionChoices, permissionName } from "./labels.js";
import { checks, listed } from "./parts.js";

const DAY_MS = 86_400_000;
const NEW = { type: "password", required: true, autocomplete: "new-password" };
const CURRENT = { ...NEW, autocomplete: "current-password" };

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
  const [path, on] = [/** @type {const} */ ("/api/users/{id}"), { id: myId() }];
  const { data } = await get(path, on, { signal });
  const name = lineOf(data, "fullName", denied("manage_users"),
    (change, match) => patch(path, on, change, { match }));
  const done = node("p", { role: "status" });
  const password = form({
    fields: [input("Current password", "currentPassword", CURRENT),
      input("New password", "newPassword", { ...NEW, hint: "12 to 128 characters." }),
      input("New password again", "again", NEW)],
    submit: "Change password",
    act: async ({ again, ...passwords }) => {
      const same = passwords["newPassword"] === again;
      const repeated = /** @type {HTMLElement} */ (password.querySelector("[name=again]"));
      done.textContent = "";
      setFault(repeated, same ? "" : "The two are not the same.");
      if (!same) return repeated.focus();
      await put("/api/auth/password", {}, /** @type {any} */ (passwords));
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
      input("Your password", "password", CURRENT)],
    submit: "Send a link",
    act: async ({ email, password }) => {
      await put("/api/auth/email", {}, { email, password });
      showEmail(email);
    },
  });
  showEmail();
  const connect = async () => {
    const { username } = data;
    const { provider } = (await get("/api/auth/sign-in", { username }, { signal })).data;
    if (!provider) throw new Problem(404, { detail: "Your organization has no provider." });
    await toProvider(`${provider}&connect=true&return=${encodeURIComponent("/#/settings/profile")}`);
  };
  body.append(
    facts({ Name: name, "User name": data.username, "E-mail": email, Organization: organization.name,
      Role: words(data.role), Permissions: permissions.map(permissionName).join(", ") }),
    section("Company’s provider",
      node("p.quiet", "Connect your account, to sign in by your company’s provider."),
      node("div", button("Connect my account", connect))),
    section("Password",
      node("p.quiet", "A new password ends your other sessions and all your tokens."), password, done));
}

/** @type {View} */
export async function organization({ body, signal }) {
  const [path, on] = [/** @type {const} */ ("/api/organizations/{id}"), { id: me().organization.id }];
  const { data } = await get(path, on, { signal });
  const line = (/** @type {string} */ name, /** @type {string[]} */ ...said) => lineOf(data, name,
    denied("manage_organization"), (change, match) => patch(path, on, change, { match }), ...said);
  body.append(facts({ Name: line("name"),
    "Web address": line("webUrl", "Web address", "the deployment’s own"), Number: data.id,
    Plan: data.planFeatures.map(featureName).join(", ") || "no further features",
    "Rate limit": `${number(data.unitsPerSecond)} units a second; most requests take one to ten`, Created: time(data.createdAt) }));
}

export function sessions(/** @type {Context} */ context) {
  const gone = () => context.body.querySelectorAll("li:not(.current)").forEach(takeAway);
  const end = () => remove("/api/auth/sessions", {}).then(gone);
  context.body.append(node("div", asking("End all other sessions", "End all other sessions?",
    "Other browsers have to sign in again. Tokens stay.", end)));
  return listed(context, {
    path: "/api/auth/sessions", none: "No session.",
    line: (session, gone) => {
      const end = () => remove("/api/auth/sessions/{id}", { id: session.id }).then(gone);
      const row = sessionLine(session);
      if (!session.current) row.append(button("End", end, { kind: "plain" }));
      return row;
    },
  });
}

export const sessionLine = (/** @type {OpenSession} */ session) => {
  const { userAgent, address, signedInAt, lastUsedAt, current, method } = session;
  return node(current ? "li.current" : "li.session",
    node("span.grow", { title: userAgent }, browser(userAgent)),
    current && state("current", "This session", "full good"), quiet(address),
    quiet("signed in ", method === "oidc" && "by the provider ", time(signedInAt)),
    quiet("last used ", time(lastUsedAt)));
};

export const verified = (/** @type {string | null} */ at) => (at ? "verified" : "not verified");

/** "Chrome on Linux", or the text itself. @param {string | null} agent */
function browser(agent) {
  const [, name] = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent ?? "") ?? [];
  const [, system] = /(Windows|Android|iPhone|iPad|Mac OS|Linux)/.exec(agent ?? "") ?? [];
  const known = { Edg: "Edge", OPR: "Opera" }[name ?? ""] ?? name;
  return known && system ? `${known} on ${system}` : agent?.slice(0, 60) ?? "Unknown program";
}

export const tokens = (/** @type {Context} */ context) => listed(context, {
  path: "/api/tokens", none: "No token. Scripts and CI use one instead of a password.",
  line: (token, gone) => tokenLine(token, () => remove("/api/tokens/{id}", { id: token.id }).then(gone)),
  create: "Create a token", secret: ({ name, token }) => [`Token “${name}”`, token],
  form: () => {
    const own = me().permissions;
    const reading = own.filter((one) => one.startsWith("view_"));
    const permissions = checks("It may", permissionChoices(own), reading, "permissions");
    const hint = "Its use, such as “nightly export”.";
    return {
      fields: [input("Name", "name", { required: true, maxlength: 100, hint }),
        input("Ends", "days",
          { options: [["30", "In 30 days"], ["90", "In 90 days"], ["365", "In a year"]], value: "90" }),
        permissions.element],
      act: ({ name, days }) => {
        const [chosen, end] = [permissions.values(), now() + days * DAY_MS];
        if (chosen.length === 0) {
          const detail = "Choose at least one.";
          throw new Problem(400, { detail, errors: [{ pointer: "/permissions", code: "value", detail }] });
        }
        return post("/api/tokens", {}, { name, expiresAt: new Date(end).toISOString(), permissions: chosen });
      },
    };
  },
});

/** A row of a token, with what revokes it. @param {Token} token @param {() => Promise<unknown>} revoke */
export function tokenLine({ name, permissions, expiresAt, lastUsedAt }, revoke) {
  return node("li",
    node("div.grow", node("b", name),
      node("div.quiet", permissions ? permissions.map(permissionName).join(", ") : "All permissions of its owner")),
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
  guard_changed: "An admin changed what guards the organization",
};

/** @type {View} */
export async function notifications({ body, signal }) {
  const path = "/api/notifications/preferences";
  const { data: known } = await get(path, {}, { signal });
  const done = node("p", { role: "status" });
  const kinds = Object.entries(KINDS).map(([kind, text]) => {
    const box = (/** @type {"inbox" | "mail"} */ place) => node("input", { type: "checkbox",
      checked: known[/** @type {keyof typeof KINDS} */ (kind)][place], "aria-label": `${text}: ${place}` });
    return { kind, text, inbox: box("inbox"), mail: box("mail") };
  });
  const head = node("tr", ["Notify me when", "Inbox", "Mail"].map((name) => node("th", name)));
  const rows = kinds.map(({ text, inbox, mail }) =>
    node("tr", [text, inbox, mail].map((cell) => node("td", cell))));
  body.append(form({
    fields: node("table.kinds", node("thead", head), node("tbody", rows)), submit: "Save",
    act: async () => {
      const wanted = kinds.map(({ kind, inbox, mail }) =>
        [kind, { inbox: inbox.checked, mail: inbox.checked && mail.checked }]);
      await put(path, {}, Object.fromEntries(wanted));
      done.replaceChildren("Saved ", time(new Date(now()).toISOString()), ".");
    },
  }), done);
}

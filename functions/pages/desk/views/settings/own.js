/** One's own settings: profile and password, sessions, tokens, notifications. The organization's name is here, too. */

/** @import { NotificationPreferences, OpenSession, Permission, Token } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
/** @import { Edited } from "../../record/fields.js" */
import { get, patch, post, put, remove } from "../../api/client.js";
import {
  facts, form, input, named, node, number, quiet, section, setFault, state, time, words,
} from "../../elements.js";
import { denied, me, myId } from "../../frame/session.js";
import { text } from "../../record/fields.js";
import { asking, checks, gone, listed } from "./parts.js";

const DAY_MS = 86_400_000;

/** A name that is edited in its place. @param {any} known @param {string} name @param {string} reason
 * @param {Edited["patch"]} patch */
function nameOf(known, name, reason, patch) {
  const record = { read: () => known, keep: (/** @type {any} */ now) => void (known = now), patch, reason };
  const made = text(record, { label: "Name", name, line: true, shown: (value) => node("span", value) });
  made.show();
  return [made.element, reason && quiet("Admins may change it.")];
}

/** @param {Context} context */
export async function profile({ body, signal }) {
  const { organization, permissions } = me();
  const on = { id: myId() };
  const { data } = await get("/api/users/{id}", on, { signal });
  const name = nameOf(data, "fullName", denied("manage_users"), (change, match) => patch("/api/users/{id}", on, change, { match }));
  const password = (/** @type {string} */ label, /** @type {string} */ name, complete = "new-password", hint = "") =>
    input(label, name, { type: "password", required: true, autocomplete: complete, hint });
  const done = node("p", { role: "status" });
  body.append(
    facts({
      Name: name, "User name": data.username, Organization: organization.name, Role: words(data.role),
      Permissions: permissions.map(words).join(", "),
    }),
    section("Password",
      node("p.quiet", "A new password ends your other sessions and all your tokens."),
      form({
        fields: [password("Current password", "currentPassword", "current-password"),
          password("New password", "newPassword", "new-password", "12 to 128 characters."),
          password("New password again", "again")],
        submit: "Change password",
        act: async ({ currentPassword = "", newPassword = "", again }, made) => {
          const repeated = made.querySelector("[name=again]");
          done.textContent = "";
          setFault(repeated, newPassword === again ? "" : "The two are not the same.");
          if (newPassword !== again) return /** @type {HTMLElement} */ (repeated).focus();
          await put("/api/auth/password", {}, { currentPassword, newPassword });
          made.reset();
          done.textContent = "The password is changed.";
        },
      }), done));
}

/** @param {Context} context */
export async function organization({ body, signal }) {
  const on = { id: me().organization.id };
  const { data } = await get("/api/organizations/{id}", on, { signal });
  const { id, planFeatures, unitsPerSecond, createdAt } = data;
  body.append(facts({
    Name: nameOf(data, "name", denied("manage_organization"), (change, match) =>
      patch("/api/organizations/{id}", on, change, { match })),
    Number: id, Plan: planFeatures.join(", ") || "no further features",
    Quota: `${number(unitsPerSecond)} table units per second`, Created: time(createdAt),
  }));
}

/** @param {Context} context */
export async function sessions(context) {
  const end = async () => {
    await remove("/api/auth/sessions", {});
    for (const row of context.body.querySelectorAll("li:not(.current)")) row.remove();
  };
  context.body.append(node("div", asking("End all other sessions", "End all other sessions?",
    "Other browsers have to sign in again. Tokens stay.", end)));
  await listed(context, {
    rows: (options) => get("/api/auth/sessions", { limit: 50 }, options), line: sessionLine, none: "No session.",
  });
}

/** @param {OpenSession} session */
function sessionLine({ userAgent, address, createdAt, lastUsedAt, current }) {
  const [, name] = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(userAgent ?? "") ?? [];
  const [, system] = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent ?? "") ?? [];
  const browser = name && system ? `${name} on ${system}` : userAgent?.slice(0, 60) ?? "Unknown program";
  return node("li", { class: current && "current" },
    node("span.grow", { title: userAgent }, browser.replace("Edg ", "Edge ").replace("OPR ", "Opera ")),
    current && state("current", "This session", "full good"),
    quiet(address), quiet("signed in ", time(createdAt)), quiet("last used ", time(lastUsedAt)));
}

/** @param {Context} context */
export const tokens = (context) => listed(context, {
  rows: (options) => get("/api/tokens", { limit: 50 }, options),
  line: (token) => tokenLine(token, () => remove("/api/tokens/{id}", { id: token.id })),
  none: "No token. Scripts and CI use one instead of a password.", create: "Create a token",
  secret: ({ name, token }) => [`Token “${name}”`, token],
  form: () => {
    const permissions = checks("Permissions (none chosen: all of yours)", named(me().permissions), []);
    return {
      fields: [
        input("Name", "name", { required: true, maxlength: 100, hint: "Its purpose, such as “nightly export”." }),
        input("Ends", "days", { options: [["30", "In 30 days"], ["90", "In 90 days"], ["365", "In a year"]], value: "90" }),
        permissions.element,
      ],
      draft: "token",
      act: async ({ name = "", days }) => {
        const chosen = /** @type {Permission[]} */ (permissions.values());
        const expiresAt = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
        return (await post("/api/tokens", {}, { name, expiresAt, permissions: chosen.length ? chosen : null })).data;
      },
    };
  },
});

/** A row of a token, with what revokes it. @param {Token} token @param {() => Promise<unknown>} revoke */
export function tokenLine({ name, permissions, expiresAt, lastUsedAt }, revoke) {
  /** @type {HTMLElement} */
  const row = node("li",
    node("div.grow", node("b", name),
      node("div.quiet", permissions ? permissions.map(words).join(", ") : "All permissions of its owner")),
    quiet("ends ", time(expiresAt)), quiet(lastUsedAt ? ["last used ", time(lastUsedAt)] : "never used"),
    asking("Revoke", `Revoke “${name}”?`, "It ends at once. Programs that use it are refused.",
      () => revoke().then(() => gone(row)), { kind: "plain", name: `Revoke ${name}` }));
  return row;
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

/** @param {Context} context */
export async function notifications({ body, signal }) {
  const { data: known } = await get("/api/notifications/preferences", {}, { signal });
  const names = /** @type {(keyof NotificationPreferences)[]} */ (Object.keys(KINDS));
  const kinds = checks("Notify me when", names.map((name) => [name, KINDS[name]]), names.filter((name) => known[name]));
  const done = node("p", { role: "status" });
  kinds.element.classList.add("long");
  body.append(form({
    fields: kinds.element, submit: "Save",
    act: async () => {
      const chosen = new Set(kinds.values());
      await put("/api/notifications/preferences", {}, Object.fromEntries(names.map((name) => [name, chosen.has(name)])));
      done.replaceChildren("Saved ", time(new Date().toISOString()), ".");
    },
  }), done);
}

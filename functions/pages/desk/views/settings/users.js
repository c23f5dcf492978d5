/** The users of the organization, and one of them. `#/settings/users/{id}` */
/** @import { Context, View } from "../../frame/router.js" */
import { get, post, put, remove } from "../../api/client.js";
import { ask, button, facts, form, input, named, node, quiet, state, time, words } from "../../elements.js";
import { to } from "../../frame/router.js";
import { denied, may, PERMISSIONS } from "../../frame/session.js";
import { save } from "../../record/fields.js";
import { sessionLine, tokenLine, verified } from "./own.js";
import { asking, changing, checks, listed, shown } from "./parts.js";

/** @type {any} */
export const ROLES = named(["viewer", "member", "support", "manager", "admin"]);
const EMAIL = { type: "email", maxlength: 254 };
const PASSWORD = { type: "password", required: true, autocomplete: "new-password" };

export const users = (/** @type {Context} */ context) => listed(context, {
  rows: (options) => get("/api/users", { limit: 100 }, options), none: "No user.",
  line: ({ id, fullName, username, role, permissions, disabled, createdAt }) => node("li",
    node("a.grow", { href: to(`/settings/users/${id}`) }, fullName, quiet(` @${username}`)),
    disabled && state("disabled", "Disabled", "cross quiet"),
    node("span", words(role), permissions?.length ? quiet(` and ${permissions.length} more`) : ""),
    node("span.quiet.when", "since ", time(createdAt))),
  create: "Create a user", reason: denied("manage_users"),
  form: () => ({
    fields: [
      input("User name", "username", {
        required: true, maxlength: 64, autocapitalize: "none", hint: "It never changes.",
      }),
      input("Full name", "fullName", { required: true, maxlength: 255 }),
      input("Role", "role", { options: ROLES, value: "member" }), input("E-mail", "email", EMAIL),
      input("First password", "password", { ...PASSWORD, hint: "Have the user change it." }),
    ],
    act: async (/** @type {any} */ { email, ...values }) =>
      (await post("/api/users", {}, { ...values, email: email || null })).data,
  }),
});

/** @type {View} */
export async function user(context, { id }) {
  const on = { id: Number(id) };
  const manages = may("manage_users");
  await shown(context, "/api/users/{id}", on, (known, record) => {
    const { fullName, username, role, disabled, email, emailVerifiedAt, permissions: given } = known;
    context.title(fullName);
    const fixed = facts({
      "User name": username, Role: !manages && words(role),
      State: disabled ? state("disabled", "Disabled", "cross quiet") : state("active", "Active", "full good"),
    });
    if (!manages) return { parts: [fixed, node("p.quiet", denied("manage_users"))] };
    const turn = () => save(record, { disabled: !disabled }, known);
    const setPassword = () => ask(`Set the password of ${fullName}`, {
      text: "All sessions and tokens of the user end.", submit: "Set password",
      fields: input("New password", "password", { ...PASSWORD, hint: "12 to 128 characters." }),
      act: ({ password = "" }) => put("/api/users/{id}/password", on, { password }),
    });
    const all = [...new Set([...PERMISSIONS, ...(given ?? [])])];
    const permissions = checks("Permissions beyond the role’s", named(all), given ?? []);
    return {
      acts: [button("Set a password", setPassword), disabled ? button("Enable", turn)
        : asking("Disable", `Disable ${fullName}?`, "Sessions and tokens end at once. Records stay.", turn)],
      parts: [fixed, form(changing("The user", known, record, "Save user", {
        fields: [input("Full name", "fullName", { required: true, maxlength: 255, value: fullName }),
          input("E-mail", "email", { ...EMAIL, value: email, hint: email && verified(emailVerifiedAt) }),
          input("Role", "role", { options: ROLES, value: role }), permissions.element],
        values: (typed) => ({ ...typed, email: typed.email || null, permissions: permissions.values() }),
      }))],
    };
  });
  if (!manages) return;
  const sessions = "/api/users/{id}/sessions";
  await listed(context, {
    title: "Sessions", rows: (options) => get(sessions, { ...on, limit: 50 }, options), none: "No session.",
    line: (session) => sessionLine(session),
  });
  const gone = () => context.body.querySelectorAll(".session").forEach((row) => row.remove());
  const end = () => remove(sessions, on).then(gone);
  context.body.append(node("div", asking("End all sessions", "End all sessions?", "Tokens stay.", end)));
  const path = "/api/users/{id}/tokens";
  await listed(context, {
    title: "Tokens", rows: (options) => get(path, { ...on, limit: 50 }, options), none: "No token.",
    line: (token, gone) =>
      tokenLine(token, () => remove(`${path}/{tokenId}`, { ...on, tokenId: token.id }).then(gone)),
  });
}

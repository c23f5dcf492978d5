/** The sign-in by the company's provider. `#/settings/provider` */
/** @import { PasswordSignIn, User } from "workdesk" @import { View } from "../../kit.js" */
import {
  asking, button, everyone, form, get, input, link, me, named, node, notice, open, post, Problem,
  put, remove, state, time, to,
} from "../../kit.js";
import { checks, copied, secretField } from "./parts.js";
import { ROLES } from "./sets.js";

const PROVIDER = "/api/organizations/{id}/sign-in";
/** @type {Record<PasswordSignIn, string>} */
const PASSWORDS = { allowed: "Allowed, too", off: "Off" };
const TEST = /** @type {any} */ (`${PROVIDER}/test`);

/** @type {View} */
export async function provider({ header, body, signal }) {
  const on = { id: me().organization.id };
  const present = get(PROVIDER, on, { signal }).then(({ data }) => data, (problem) => {
    if (problem.status !== 404) throw problem;
    return {};
  });
  /** @type {[any, User[]]} */
  const [known, people] = await Promise.all([present, everyone().catch(() => [])]);
  const { issuer, redirectUri, updatedAt } = known;
  const drop = () => remove(PROVIDER, on).then(() => open());
  if (issuer) {
    header.append(node("span.push", asking("Remove", "Remove the provider?",
      "Its users sign in by a password, which they may have to reset.", drop)));
  }
  const { fields, values } = fieldsOf(known, people);
  body.append(
    node("p.quiet", issuer ? ["Users sign in by this provider. Changed ", time(updatedAt), ". ",
      link(to("/settings/users", { connected: "false" }), "Users who are not connected yet")]
      : "Users sign in by a password. A provider of OpenID Connect can do it for them."),
    redirectUri ? copied("Redirect URI, to register at the provider", redirectUri) : "",
    issuer ? copied("Address at which your users sign in",
      `${location.origin}/${to(`/sign-in/${on.id}`)}`) : "",
    issuer ? tester(on) : "",
    form({
      fields, submit: "Save",
      act: async (typed) => {
        await put(PROVIDER, on, values(typed));
        open(true);
        notice("Saved.", "Close", () => {});
      },
    }));
}

/** A button that has the service read what the provider says of itself.
 * @param {{ id: number }} on */
function tester(on) {
  const result = node("p", { role: "status" });
  const test = async () => {
    const { ok, detail } = /** @type {any} */ ((await post(TEST, /** @type {any} */ (on))).data);
    const [label, look] = ok ? ["Works", "check good"] : ["Does not work", "stop bad"];
    result.replaceChildren(state("test", label, look), ` ${detail ?? ""}`);
  };
  return node("div.stack", node("div", button("Test", test)), result);
}

/** @param {any} known the provider as it is stored; without members if there is none
 * @param {User[]} people */
function fieldsOf(known, people) {
  const { issuer, clientId, groupsClaim = "groups", defaultRole, passwords, leaverDays = 30 } =
    known;
  const groups = Object.entries(known.roles ?? {}).map(([group, role]) => `${group} = ${role}`)
    .join("\n");
  const admins = people.filter(({ role }) => role === "admin");
  const off = checks("Admins who may use a password even if passwords are off (up to three)",
    admins.map(({ id, fullName }) => [id, fullName]), known.passwordAdmins);
  const fields = [
    input("Issuer", "issuer", { type: "url", required: true, maxlength: 200, value: issuer,
      hint: "As the provider states it, with or without the slash at its end." }),
    input("Client id", "clientId", { required: true, maxlength: 255, autocomplete: "off",
      value: clientId }),
    secretField("Client secret", "clientSecret", Boolean(issuer)),
    input("Roles by group", "roles", { rows: 3, value: groups,
      hint: "One a line: Group = admin." }),
    input("Claim of the groups", "groupsClaim", { maxlength: 255, value: groupsClaim }),
    input("Role of others", "defaultRole",
      { options: [["", "None: they are refused"], ...named(ROLES)], value: defaultRole }),
    input("Passwords", "passwords", { options: Object.entries(PASSWORDS), value: passwords }),
    off.element,
    input("Days until sessions and tokens of leavers end", "leaverDays",
      { type: "number", min: 1, max: 366,
      value: leaverDays, hint: "After the last sign-in by the provider: 1 to 366." }),
  ];
  const values = (/** @type {any} */ { clientSecret, roles, leaverDays: days, ...typed }) => ({
    ...typed, ...(clientSecret && { clientSecret }), roles: rolesOf(roles ?? ""),
    passwordAdmins: off.values(), leaverDays: Number(days) || 30,
  });
  return { fields, values };
}

/** Roles by group, of lines such as "Group = admin". A group may have a "=" in its name.
 * @param {string} text */
function rolesOf(text) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return Object.fromEntries(lines.map((line) => {
    const [, group, role] = /^(.+?)\s*=\s*([^=]*)$/.exec(line) ?? [];
    if (group && role) return [group, role];
    const detail = `“${line}” names no role. Send a line such as Group = admin.`;
    throw new Problem(400, { detail, errors: [{ pointer: "/roles", code: "value", detail }] });
  }));
}

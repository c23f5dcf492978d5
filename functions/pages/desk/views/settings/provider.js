/** The sign-in by the company's provider. `#/settings/provider` */
/** @import { View } from "../../kit.js" */
import { form, get, input, me, node, open, put, remove, time } from "../../kit.js";
import { asking } from "./parts.js";
import { ROLES } from "./users.js";

const PROVIDER = "/api/organizations/{id}/sign-in";

/** @type {View} */
export async function provider({ header, body, signal }) {
  const on = { id: me().organization.id };
  /** @type {any} */
  const known = await get(PROVIDER, on, { signal }).then(({ data }) => data, (problem) => {
    if (problem.status !== 404) throw problem;
    return {};
  });
  const { issuer, clientId, groupsClaim = "groups", defaultRole, passwords, updatedAt } = known;
  const groups = Object.entries(known.roles ?? {}).map(([group, role]) => `${group} = ${role}`).join("\n");
  const drop = () => remove(PROVIDER, on).then(() => open());
  if (issuer) {
    header.append(node("span.push", asking("Remove", "Remove the provider?",
      "Its users sign in by a password, which they may have to reset.", drop)));
  }
  body.append(
    node("p.quiet", issuer ? ["Users sign in by this provider. Changed ", time(updatedAt), "."]
      : "Users sign in by a password. A provider of OpenID Connect can do it for them."),
    form({
      fields: [input("Issuer", "issuer", { type: "url", required: true, maxlength: 200, value: issuer }),
        input("Client id", "clientId", { required: true, maxlength: 255, value: clientId }),
        input("Client secret", "clientSecret", { type: "password", autocomplete: "off",
          hint: issuer && "Empty: the present one is kept." }),
        input("Roles by group", "roles", { rows: 3, value: groups, hint: "One a line: Group = admin." }),
        input("Claim of the groups", "groupsClaim", { maxlength: 255, value: groupsClaim }),
        input("Role of others", "defaultRole",
          { options: [["", "None: they are refused"], ...ROLES], value: defaultRole }),
        input("Passwords", "passwords",
          { options: [["allowed", "Allowed, too"], ["off", "Off for its users"]], value: passwords })],
      submit: "Save", draft: "provider",
      act: async ({ clientSecret, roles, ...values }) => {
        const lines = (roles ?? "").split("\n").map((/** @type {string} */ one) => one.split(/\s*=\s*/));
        const filled = lines.filter((/** @type {string[]} */ [group]) => group?.trim());
        const secret = clientSecret && { clientSecret };
        await put(PROVIDER, on, { ...values, ...secret, roles: Object.fromEntries(filled) });
        open();
      },
    }));
}

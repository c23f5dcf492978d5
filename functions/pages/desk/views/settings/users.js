/** The users of the organization. `#/settings/users` */

/** @import { Role, User } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, post } from "../../api/client.js";
import { button, dialog, field, form, named, node, quiet, select, state, time, words } from "../../elements.js";
import { to } from "../../frame/router.js";
import { denied } from "../../frame/session.js";
import { paged } from "./parts.js";

export const ROLES = named(/** @type {Role[]} */ (["viewer", "member", "support", "manager", "admin"]));

/** @param {Context} context */
export async function users({ header, body, signal }) {
  const list = await paged(get("/api/users", { limit: 100 }, { signal }), line, "No user.");
  header.append(button("Create a user", () => create(list.prepend), { kind: "main", reason: denied("manage_users") }));
  body.append(list.element);
}

/** @param {User} user */
function line({ id, fullName, username, role, permissions, disabled, createdAt }) {
  return node("li", {},
    node("a", { class: "grow", href: to(`/settings/users/${id}`) }, fullName, quiet(` @${username}`)),
    disabled && state("disabled", "Disabled", "cross quiet"),
    node("span", {}, words(role), permissions?.length ? quiet(` and ${permissions.length} more`) : ""),
    node("span", { class: "quiet when" }, "since ", time(createdAt)));
}

/** @param {(user: User) => void} created */
function create(created) {
  const username = node("input", {
    name: "username", required: true, maxlength: 64, autocomplete: "off", autocapitalize: "none",
  });
  const fullName = node("input", { name: "fullName", required: true, maxlength: 255 });
  const role = select("role", ROLES, "member");
  const password = node("input", { name: "password", type: "password", required: true, autocomplete: "new-password" });
  const over = dialog("Create a user", [
    form({
      fields: [field("User name", username, { hint: "It never changes." }), field("Full name", fullName),
        field("Role", role), field("First password", password, { hint: "12 to 128 characters. Have the user change it." })],
      submit: "Create user", draft: "user", cancel: () => over.close(),
      act: async () => {
        const { data } = await post("/api/users", {}, {
          username: username.value, fullName: fullName.value, role: /** @type {Role} */ (role.value),
          password: password.value,
        });
        over.close();
        created(data);
      },
    }),
  ]);
}

/**
 * The sign-in: a dialog over the page. It opens at the start and when a request meets a 401. Requests that wait for
 * it are then repeated, and what was typed stays. Another user than before gets a fresh page.
 */
import { post } from "../api/client.js";
import { dialog, field, form, node } from "../elements.js";
import { myId } from "./session.js";

/** @type {Promise<void> | undefined} */
let open;

/** Resolves when the user has signed in. All callers share one dialog. */
export function signIn() {
  open ??= ask().finally(() => (open = undefined));
  return open;
}

/** @returns {Promise<void>} */
function ask() {
  return new Promise((resolve) => {
    const again = myId() !== 0;
    const user = node("input", { name: "username", autocomplete: "username", autocapitalize: "none", required: true });
    const password = node("input", { name: "password", type: "password", autocomplete: "current-password", required: true });
    const over = dialog("Sign in", [
      again ? node("p", {}, "Your session has ended. Nothing typed is lost.") : null,
      form({
        fields: [field("User name", user), field("Password", password)],
        submit: "Sign in",
        act: async () => {
          const login = { username: user.value.trim(), password: password.value };
          const { data } = await post("/api/auth/login", {}, login);
          // What waits is not repeated as another user.
          if (again && data.id !== myId()) return location.reload();
          over.close();
          resolve();
        },
      }),
    ], { stays: true });
    over.classList.add("sign-in");
    user.focus();
  });
}

/** The sign-in: a dialog over the page, at the start and at a 401. What waits for it is then repeated; what was
 * typed stays. Another user than before gets a fresh page. */
import { post } from "../api/client.js";
import { dialog, form, input, node } from "../elements.js";
import { myId } from "./session.js";

/** @type {Promise<void> | undefined} */
let open;

/** Resolves when the user has signed in. All callers share one dialog. */
export function signIn() {
  open ??= new Promise(ask).finally(() => (open = undefined));
  return open;
}

/** @param {(value?: any) => void} done */
function ask(done) {
  const again = myId() !== 0;
  const over = dialog("Sign in", [
    again && node("p", "Your session has ended. Nothing typed is lost."),
    form({
      fields: [
        input("User name", "username", { autocomplete: "username", autocapitalize: "none", required: true }),
        input("Password", "password", { type: "password", autocomplete: "current-password", required: true }),
      ],
      submit: "Sign in",
      act: async ({ username = "", password = "" }) => {
        const { data } = await post("/api/auth/login", {}, { username: username.trim(), password });
        // What waits is not repeated as another user.
        if (again && data.id !== myId()) return location.reload();
        over.close();
        done();
      },
    }),
  ], { stays: true });
  over.classList.add("sign-in");
}

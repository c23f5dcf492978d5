/** The sign-in: a dialog over the page, at the start, at a 401, and where the policy asks for one anew. What
 * waits for it is then repeated; what was typed stays. Another user than before gets a fresh page. */
/** @import { Problem } from "../api/client.js" */
import { get, post } from "../api/client.js";
import { ask, button, dialog, fill, form, input, node } from "../elements.js";
import { me, myId } from "./session.js";

/** Faults of a sign-in by the provider, by the code in the address. @type {Record<string, string>} */
const FAULTS = {
  state_invalid: "The sign-in took too long, or was used before. Begin again.",
  provider_unavailable: "Your company's provider does not answer as it should.",
  token_invalid: "What your company's provider said does not verify. Tell an admin.",
  sign_in_again: "Your company's provider did not ask for your credentials.",
  sign_in_not_allowed: "No user may sign in so. Ask an admin.",
  too_many_attempts: "Too many sign-ins failed. Wait until the quarter of an hour ends.",
};
const REFUSED = "Your company's provider did not sign you in.";
const FORGOTTEN = "A mail is under way, if the account has a confirmed address. Else ask an admin.";
let told = "";
let open = /** @type {Promise<void> | undefined} */ (undefined);

/** Has the sign-in say a fault that the address tells, or else this. @param {string} said */
export function begins(said) {
  const [, fault] = /^#sign-in=(\w+)/.exec(location.hash) ?? [];
  if (fault) history.replaceState(null, "", "#/");
  told = fault ? FAULTS[fault] ?? REFUSED : said;
}

/** What was to be said and was not. */
export function unsaid() {
  const said = told;
  told = "";
  return said;
}

/** Resolves when the user has signed in. All callers share one dialog. @param {Problem} problem */
export function signIn(problem) {
  open ??= new Promise((done, refuse) => over(problem, done, refuse)).finally(() => (open = undefined));
  return open;
}

/** @param {Problem} problem @param {(value?: any) => void} done @param {(problem: Problem) => void} refuse */
function over(problem, done, refuse) {
  const again = myId() !== 0;
  const newer = problem.code === "sign_in_again";
  const ended = again && "Your session has ended. Nothing typed is lost.";
  const says = node("p", { role: "status" }, newer ? problem.detail : unsaid() || ended);
  const user = input("User name", "username", { autocomplete: "username", autocapitalize: "none",
    required: true, value: again ? me().user.username : "", onchange: () => look().catch(() => {}) });
  const password = input("Password", "password",
    { type: "password", autocomplete: "current-password", required: true });
  const further = node("div.end");
  /** Offers the provider, if the organization of the user has one. */
  const look = async () => {
    const username = user.querySelector("input")?.value.trim() ?? "";
    const { provider, passwords } = (await get("/api/auth/sign-in", { username }, { quiet: true })).data;
    const back = `&return=${encodeURIComponent(`/${location.hash}`)}${newer ? "&again=true" : ""}`;
    const go = () => location.assign(`${provider}${back}`);
    password.hidden = !passwords;
    password.querySelector("input")?.toggleAttribute("required", passwords);
    fill(further, provider && button("Sign in by your company's provider", go));
  };
  const forgotten = () => ask("Forgotten password", {
    fields: input("User name or e-mail", "name", { required: true, autocomplete: "username" }),
    submit: "Send a link",
    act: async ({ name }) => {
      await post("/api/auth/forgot", {}, name.includes("@") ? { email: name } : { username: name });
      says.textContent = FORGOTTEN;
    },
  });
  const shown = dialog("Sign in", [
    says,
    form({
      fields: [user, password], submit: "Sign in",
      act: async (account) => {
        const { data } = await post("/api/auth/login", {}, account);
        // What waits is not repeated as another user.
        if (again && data.id !== myId()) return location.reload();
        done();
        shown.close();
      },
    }),
    further, button("Forgot it", forgotten, { kind: "plain" }),
  ], { stays: !newer });
  shown.classList.add("sign-in");
  shown.addEventListener("close", () => refuse(problem));
  if (again) look().catch(() => {});
}

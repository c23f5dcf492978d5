// Shows the OpenAPI document of this service and tries its operations as the user who is signed in in
// this browser. The browser sends the session cookie by itself, since page and API have one origin.

"use strict";

const METHODS = ["get", "post", "put", "patch", "delete"];

const who = document.getElementById("who");
const signIn = document.getElementById("sign-in");
const signOut = document.getElementById("sign-out");

/** Sends a request. Returns whether the status was a success, and the JSON body. */
async function ask(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: body ? { "content-type": "application/json" } : {},
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  return { ok: answer.ok, said: text ? JSON.parse(text) : null };
}

function showNobody(why) {
  who.textContent = why ?? "You are not signed in.";
  signIn.hidden = false;
  signOut.hidden = true;
}

async function showSession() {
  const { ok, said } = await ask("GET", "auth/session");
  if (!ok) {
    showNobody();
    return;
  }
  who.textContent = `Signed in as ${said.user.fullName}, ${said.user.role} at ${said.organization.name}.`;
  signIn.hidden = true;
  signOut.hidden = false;
}

/** Shows the error of `work` to the user. */
function reporting(work) {
  return async (event) => {
    event.preventDefault();
    try {
      await work();
    } catch (error) {
      showNobody(`The service cannot be reached (${error.message}).`);
    }
  };
}

signIn.addEventListener("submit", reporting(async () => {
  const { ok, said } = await ask("POST", "auth/login", Object.fromEntries(new FormData(signIn)));
  if (!ok) {
    showNobody(said.detail);
    return;
  }
  signIn.reset();
  await showSession();
}));

signOut.addEventListener("click", reporting(async () => {
  await ask("POST", "auth/logout");
  showNobody();
}));

/**
 * Returns the document as Swagger UI shows it: permissions and codes stand in the descriptions. The
 * cookie is left out of the inputs, since no script can set it.
 */
function forTheViewer(api) {
  const cookies = Object.entries(api.components.securitySchemes)
    .filter(([, scheme]) => scheme.in === "cookie")
    .map(([name]) => name);
  cookies.forEach((name) => delete api.components.securitySchemes[name]);
  if (Object.keys(api.components.securitySchemes).length === 0) {
    delete api.components.securitySchemes;
  }
  // The only server is this host, and the licence would be a link to another host.
  delete api.servers;
  delete api.info.license;
  const operations = Object.values(api.paths)
    .flatMap((item) => METHODS.map((method) => item[method]))
    .filter(Boolean);
  for (const operation of operations) {
    const others = (scheme) => !cookies.some((name) => name in scheme);
    operation.security = (operation.security ?? []).filter(others);
    // Swagger UI shows summaries as plain text, backticks included.
    operation.summary = operation.summary?.replaceAll("`", "");
    const needs = operation["x-needs"]?.join(", ");
    const about = [needs && `Needs: ${needs}.`, operation.description];
    operation.description = about.filter(Boolean).join("\n\n");
    for (const response of Object.values(operation.responses)) {
      tell(api, resolved(api, response));
    }
  }
  return api;
}

/** Returns a part of the document, or the one that it refers to. */
function resolved(api, part) {
  const steps = part.$ref?.split("/").slice(1);
  return steps ? steps.reduce((at, name) => at[name], api) : part;
}

/**
 * Adds its codes and an example to the description of a problem, and removes the headers that every
 * answer has. Operations share problems; each is changed once.
 */
function tell(api, response) {
  for (const name of Object.keys(api.components.headers)) {
    // Answers of the gateway have no headers.
    delete response.headers?.[name];
  }
  const codes = response["x-codes"];
  const problem = response.content?.["application/problem+json"];
  if (!codes || problem.example) {
    return;
  }
  response.description += `: ${codes.map((one) => `\`${one}\``).join(", ")}`;
  const [first] = problem.schema.oneOf ?? [problem.schema];
  [problem.example] = resolved(api, first).examples;
}

/** Gives integers in lists the input of texts: Swagger UI looks for one of their own and has none. */
function inputs({ React, getComponent }) {
  const text = (props) => React.createElement(getComponent("JsonSchema_string"), props);
  return { components: { JsonSchema_integer_int64: text } };
}

/**
 * Returns a part of the document with all references replaced by what they refer to. A reference
 * within itself stays.
 */
function expanded(api, part, within = []) {
  if (Array.isArray(part)) {
    return part.map((one) => expanded(api, one, within));
  }
  if (part === null || typeof part !== "object" || within.includes(part.$ref)) {
    return part;
  }
  const { $ref, ...rest } = part;
  const own = Object.entries(rest).map(([name, value]) => [name, expanded(api, value, within)]);
  const referred = $ref ? expanded(api, resolved(api, part), [...within, $ref]) : {};
  return { ...referred, ...Object.fromEntries(own) };
}

/** Opens an operation at once. Swagger UI's own way reads the whole document for each. */
function references() {
  const resolveSubtree = async (api, path) => {
    const part = path.reduce((at, name) => at?.[name], api);
    return { spec: expanded(api, part), errors: [] };
  };
  return { fn: { resolveSubtree } };
}

async function showReference() {
  const { said } = await ask("GET", "openapi.json");
  SwaggerUIBundle({
    spec: forTheViewer(said),
    domNode: document.getElementById("reference"),
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    docExpansion: "list",
    filter: true,
    plugins: [inputs, references],
    tryItOutEnabled: true,
    validatorUrl: null,
  });
}

showReference();
if (document.documentElement.dataset.session === "perhaps") {
  showSession();
} else {
  showNobody();
}

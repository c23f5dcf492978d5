// Shows the OpenAPI document of this service and tries its operations as the user who is signed in in
// this browser. The browser sends the session cookie by itself, since page and API have one origin.

"use strict";

const METHODS = ["get", "post", "put", "patch", "delete"];

const who = document.getElementById("who");
const signIn = document.getElementById("sign-in");
const signOut = document.getElementById("sign-out");
const reference = document.getElementById("reference");
const search = document.getElementById("search");
const found = document.getElementById("found");

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
  who.textContent = why ?? "Not signed in.";
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
  for (const { operation } of operationsOf(api)) {
    const others = (scheme) => !cookies.some((name) => name in scheme);
    operation.security = (operation.security ?? []).filter(others);
    // Swagger UI shows summaries as plain text, backticks included.
    operation.summary = operation.summary?.replaceAll("`", "");
    // One line says it, instead of a sentence of the description.
    const description = operation.description?.replace(/^Needs .*\n*/m, "") ?? "";
    operation.description = `${needs(operation)}\n\n${description}`;
    for (const response of Object.values(operation.responses)) {
      tell(api, resolved(api, response));
    }
  }
  return api;
}

/** Returns the operations of the document, each with its method and path. */
function operationsOf(api) {
  return Object.entries(api.paths).flatMap(([path, item]) => METHODS
    .filter((method) => item[method])
    .map((method) => ({ method, path, operation: item[method] })));
}

/** Returns the line about what the caller of an operation needs. */
function needs(operation) {
  const needed = operation["x-needs"]?.map((one) => (/^[a-z]+(_[a-z]+)+$/.test(one) ? `\`${one}\`` : one));
  return `**Needs** ${needed?.join(", ") ?? "nothing: it is open to everyone"}`;
}

/** Returns the credential of an operation as an option of curl: a token, where it takes one. */
function credential(security = []) {
  if (security.some((scheme) => "bearer" in scheme)) {
    return ['-H "Authorization: Bearer $TOKEN"'];
  }
  return security.length > 0 ? ['-b "$JAR"'] : [];
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

/** Finds the operations that have every word in tag, method, path, name or summary. */
function finder(api) {
  const all = new Map(operationsOf(api).map(({ method, path, operation }) => {
    const texts = [operation.tags, method, path, operation.operationId, operation.summary];
    return [`${method} ${path}`, texts.join(" ").toLowerCase()];
  }));
  const isFound = (words) => (key) => words.toLowerCase().split(/\s+/).every((word) => all.get(key).includes(word));
  const opsFilter = (tags, words) => tags
    .map((tag) => tag.update("operations", (operations) => operations
      .filter((one) => isFound(words)(`${one.get("method")} ${one.get("path")}`))))
    .filter((tag) => tag.get("operations").size > 0);
  return { plugin: { fn: { opsFilter } }, count: (words) => [...all.keys()].filter(isFound(words)).length };
}

/** Adds the credential to the shown command. The browser itself sends its cookie. */
function shownWith(api) {
  const operations = operationsOf(api).map(({ method, path, operation }) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{[^}]*\}/g, "[^/]+")}$`);
    return { method, path, pattern, options: credential(operation.security) };
  });
  return (request) => {
    const { pathname } = new URL(request.url, location);
    const fitting = operations.filter(({ method, pattern }) =>
      method === request.method?.toLowerCase() && pattern.test(pathname));
    const found = fitting.find(({ path }) => path === pathname) ?? fitting[0];
    const isShown = request.headers?.Authorization !== undefined;
    return { ...request, curlOptions: isShown ? [] : found?.options };
  };
}

async function showReference() {
  const { said } = await ask("GET", "openapi.json");
  const requestInterceptor = shownWith(said);
  const api = forTheViewer(said);
  const { plugin, count } = finder(api);
  const viewer = SwaggerUIBundle({
    spec: api,
    domNode: reference,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    docExpansion: "list",
    plugins: [inputs, references, plugin],
    requestInterceptor,
    tryItOutEnabled: true,
    validatorUrl: null,
  });
  search.addEventListener("submit", (event) => event.preventDefault());
  search.addEventListener("input", () => {
    const words = search.elements.words.value.trim();
    const number = count(words);
    viewer.layoutActions.updateFilter(words);
    reference.classList.toggle("searched", words !== "");
    found.textContent = words && `${number} operation${number === 1 ? "" : "s"}`;
  });
}

/** Shows the page in the system's colours, now and after each change. */
function followColours() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const show = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", show);
  show();
}

followColours();

showReference();
if (document.documentElement.dataset.session === "perhaps") {
  showSession();
} else {
  showNobody();
}

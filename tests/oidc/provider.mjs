// A provider with one client, whose one redirect URI it compares, and these people: `node provider.mjs PORT REDIRECT_URI`.
// `PUT /people` replaces the claims of people by their login. `PUT /audience` signs later tokens for another
// client; an empty one ends that.
import http from "node:http";

import { SignJWT, decodeJwt, exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";

const [port, redirect] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const { privateKey } = await generateKeyPair("RS256", { extractable: true });
const key = { ...(await exportJWK(privateKey)), kid: "1", alg: "RS256", use: "sig" };
let people = {};
let audience = "";

const provider = new Provider(issuer, {
    clients: [{ client_id: "workdesk", client_secret: "a secret of the story", redirect_uris: [redirect] }],
    jwks: { keys: [key] },
    cookies: { keys: ["of the story"] },
    pkce: { required: () => true },
    scopes: ["openid", "groups"],
    claims: {
        email: ["email", "email_verified"],
        profile: ["name", "preferred_username"],
        groups: ["groups"],
    },
    findAccount: (_, login) => ({
        accountId: login,
        claims: () => ({ sub: login, preferred_username: login, ...people[login] }),
    }),
});

async function signedForAnother(body) {
    const tokens = JSON.parse(body);
    const claims = { ...decodeJwt(tokens.id_token), aud: audience };
    const header = { alg: "RS256", kid: "1" };
    tokens.id_token = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
    return JSON.stringify(tokens);
}

async function body(request) {
    let text = "";
    for await (const chunk of request) text += chunk;
    return text;
}

const serve = provider.callback();
http.createServer(async (request, response) => {
    if (request.method === "PUT") {
        const sent = JSON.parse(await body(request));
        if (request.url === "/people") people = sent;
        else audience = sent;
        return response.writeHead(204).end();
    }
    if (request.url === "/token" && audience) {
        const end = response.end.bind(response);
        response.end = (text) =>
            signedForAnother(text).then((signed) => {
                response.setHeader("content-length", Buffer.byteLength(signed));
                end(signed);
            });
    }
    return serve(request, response);
}).listen(Number(port), "127.0.0.1");

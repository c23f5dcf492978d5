// The provider of a hostile organization: `node hostile.mjs PORT`. Sends users on to where `PUT /sends-to` says, with the
// `state` that it got, and keeps the codes that it gets. `GET /codes` lists them.
import http from "node:http";

const [port] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
let sendsTo = "";
const codes = [];

async function body(request) {
    let text = "";
    for await (const chunk of request) text += chunk;
    return text;
}

function json(response, value) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

http.createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, issuer);
    switch (pathname) {
        case "/.well-known/openid-configuration":
            return json(response, {
                issuer,
                authorization_endpoint: `${issuer}/authorize`,
                token_endpoint: `${issuer}/token`,
                jwks_uri: `${issuer}/keys`,
            });
        case "/keys":
            return json(response, { keys: [] });
        case "/authorize": {
            const location = new URL(sendsTo);
            location.searchParams.set("state", searchParams.get("state"));
            return response.writeHead(302, { location: location.href }).end();
        }
        case "/token":
            codes.push(new URLSearchParams(await body(request)).get("code"));
            return response.writeHead(500).end();
        case "/codes":
            return json(response, codes);
        case "/sends-to":
            sendsTo = JSON.parse(await body(request));
            return response.writeHead(204).end();
        default:
            return response.writeHead(404).end();
    }
}).listen(Number(port), "127.0.0.1");

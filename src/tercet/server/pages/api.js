// The API of the server: requests, errors, and the events that it sends.

// A request that the server has refused. `message` is a sentence for people.
class Refusal extends Error {
  constructor(status, code, message, charset) {
    super(message);
    this.status = status;
    this.code = code;
    this.charset = charset; // what a file that was refused seems to be written in
  }
}

let csrf = null;
let whenLoggedOut = () => {};

// Paths are relative to the page, so that the server may stand behind any prefix.
const HOME = new URL("..", import.meta.url);

export function locate(path) {
  return new URL(path, HOME);
}

// Begin a session with a token, or with a name and a password; or go on with the one of the cookie.
export async function openSession(message) {
  const session = await (message ? ask("POST", "api/session", message) : ask("GET", "api/session"));
  csrf = session.csrf;
  return session;
}

export function onLoggedOut(act) {
  whenLoggedOut = act;
}

// Send a message as JSON, or a body as it is if `type` says what it is. The answer is JSON, or the response if it is not JSON.
export async function ask(method, path, message, { signal, type } = {}) {
  const headers = {};
  if (csrf) headers["X-CSRF-Token"] = csrf;
  if (message !== undefined) headers["Content-Type"] = type ?? "application/json";
  const body = message === undefined ? undefined : type ? message : JSON.stringify(message);
  let response;
  try {
    response = await fetch(locate(path), { method, headers, body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "unreachable", "The server does not answer. Is it still running? Nothing was changed.");
  }
  if (!response.ok) await refuse(response, path);
  const kind = response.headers.get("Content-Type") ?? "";
  return kind.startsWith("application/json") ? response.json() : response;
}

async function refuse(response, path) {
  let error = { code: "unknown", message: `The server answered with the status ${response.status}.` };
  try {
    error = (await response.json()).error;
  } catch {
    // no JSON: something between the page and the server has answered
  }
  if (response.status === 401 && path !== "api/session") whenLoggedOut();
  throw new Refusal(response.status, error.code, beginSentence(error.message), error.charset);
}

function beginSentence(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// The operations of one model.
export class ModelInterface {
  constructor(name) {
    this.name = name;
    this.path = `api/models/${encodeURIComponent(name)}`;
  }

  get(what = "", options) {
    return ask("GET", what ? `${this.path}/${what}` : this.path, undefined, options);
  }

  post(what, message = {}, options) {
    return ask("POST", `${this.path}/${what}`, message, options);
  }

  // Call `act` with the name and the data of each event that the server sends. Returns a function that ends this.
  // A page that nobody looks at holds no connection: browsers allow only six to one server.
  follow(act) {
    let source = null;
    const listen = () => {
      source?.close();
      source = document.hidden ? null : new EventSource(locate(`${this.path}/progress`));
      for (const name of ["state", "import"]) source?.addEventListener(name, (event) => act(name, JSON.parse(event.data)));
    };
    listen();
    document.addEventListener("visibilitychange", listen);
    return () => {
      document.removeEventListener("visibilitychange", listen);
      source?.close();
    };
  }
}

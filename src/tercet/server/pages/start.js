// Let the owner of a link in, or ask for a name and a password, and open the page.

import { ask, onLoggedOut, openSession } from "./api.js";
import { attempt, complain } from "./messages.js";

const root = document.getElementById("page");

// The token of the link stands behind #, so it is in no request and in no log. It is exchanged for a cookie.
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) history.replaceState(null, "", location.pathname + location.search);

// Somebody who opens the link in a tab that shows the page already changes only what stands behind #.
addEventListener("hashchange", () => {
  if (new URLSearchParams(location.hash.slice(1)).has("token")) location.reload();
});

// What stands behind # is the address of a view, so the link to the content must not change it.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("view")?.focus();
});

async function enter() {
  try {
    return await openSession(token ? { token } : undefined);
  } catch (problem) {
    const { askWho } = await import("./login.js");
    if (token && problem.status === 401)
      return askWho(root, "This link is of an earlier start of the server. Open the link that the server has printed last.");
    return askWho(root, problem.status !== 401 ? problem.message : "");
  }
}

async function start() {
  const page = import("./page.js"); // while the server is asked
  await open(await enter(), page);
}

async function open(session, page = import("./page.js")) {
  const known = await ask("GET", "api/models");
  const { openPage } = await page;
  opened = await openPage(root, session, known);
  who = session.name;
}

let opened = null; // the page, if somebody is in
let who = null;

// The same person goes on where they were; for anybody else the page begins anew.
onLoggedOut(async () => {
  if (!opened) return;
  opened.close();
  opened = null;
  const { askWho } = await import("./login.js");
  const session = await askWho(root, "Your session has ended: log in again. What you have taught is in the ledger.");
  if (session.name !== who) location.reload();
  else await attempt(() => open(session));
});

try {
  await start();
} catch (problem) {
  complain(problem);
}

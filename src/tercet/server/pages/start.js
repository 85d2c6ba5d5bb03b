// Exchange the token of the link for a cookie. The token stands behind #, so it is in no request and in no log.

const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) {
  history.replaceState(null, "", location.pathname);
  await fetch("api/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
}
const answer = await fetch("api/session");
const who = await answer.json();
document.getElementById("who").textContent = answer.ok ? `Logged in as ${who.name} (${who.role}).` : who.error.message;

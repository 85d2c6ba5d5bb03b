// About: what the model is, how it was trained, how good it was, its card, certificates, and tokens for programs.

import { confirm } from "./dialogs.js";
import { button, card, facts, field, interval, make, moment, renew, select, showLabel, thousands } from "./elements.js";
import { checkCertificate } from "./erasure.js";
import { ask, locate } from "./api.js";
import { describeCheck } from "./hand_checks.js";
import { showMarkdown } from "./markdown.js";
import { attempt, tell } from "./messages.js";

const MOST_LABELS = 60;

export const open = (context) => new AboutView(context);

class AboutView {
  constructor(context) {
    this.context = context;
    this.model = make("div");
    this.cardBox = make("div", {}, make("p", { class: "quiet" }, "Loading …"));
    this.tokens = make("div");
    this.newToken = make("div");
    this.version = make("span", {}, "…");
    this.element = make(
      "div",
      { class: "about" },
      this.model,
      make("div", { class: "columns" }, this.makeTokens(), this.makeCertificates()),
      card("Model card", this.cardBox),
    );
    this.keys =
      context.facts.can_train && context.canTeach
        ? [{ keys: ["t"], words: "Train the model now", act: () => this.train() }]
        : [];
    this.showModel();
  }

  start() {
    const { server } = this.context;
    attempt(async () => {
      this.version.textContent = (await ask("GET", "openapi.json")).info.version;
    });
    attempt(async () => {
      const written = await (await server.get("card")).text();
      this.cardBox.replaceChildren(showMarkdown(written));
    });
    this.listTokens();
  }

  news(name) {
    if (name === "facts" || name === "state") this.showModel();
  }

  showModel() {
    const { context } = this;
    const { facts: model } = context;
    const shown = model.labels.slice(0, MOST_LABELS);
    renew(
      this.model,
      card(
        make("bdi", {}, model.model),
        facts([
          ["Kind", model.kind ?? "not trained yet"],
          [
            "Labels",
            make(
              "span",
              { class: "row" },
              shown.map((label) => showLabel(label, model.labels)),
              model.labels.length > MOST_LABELS && `… ${model.labels.length} in all`,
            ),
          ],
          ["Columns", model.columns.map((name, place) => [place > 0 && ", ", make("bdi", {}, name)])],
          ["Documents", model.documents === null ? "not known" : thousands(model.documents)],
          ["Terms", model.terms === null ? "none" : thousands(model.terms)],
          ...Object.entries(model.estimate ?? {}).map(([name, estimate]) => [
            `Held-out ${name.replaceAll("_", " ")}`,
            interval(estimate),
          ]),
          [
            "Checked by hand",
            model.check
              ? describeCheck(model.check)
              : model.is_guessed
                ? "nothing has been checked: the labels of the texts were guessed"
                : "not yet",
          ],
          ["Learns", model.can_learn ? "yes: every change is in the ledger" : "no: it only answers"],
          model.can_learn && ["Last event", thousands(model.event)],
          model.can_learn && ["Training", describeTraining(model)],
          [
            "Fingerprint of the file",
            model.fingerprint ? make("code", { class: "hash" }, model.fingerprint) : "the file is not written yet",
          ],
          ["Version of tercet", this.version],
        ]),
        make(
          "div",
          { class: "row" },
          context.canTeach && model.can_train && button("Train now", () => this.train()),
          context.may("admin") &&
            make(
              "a",
              { class: "button", href: locate(`${context.server.path}/export`), download: `${model.model}.tercet` },
              "Export the model",
            ),
          make("a", { class: "button plain", href: "docs" }, "Interface for programs"),
        ),
      ),
    );
  }

  async train() {
    await attempt(async () => {
      this.context.changed(await this.context.server.post("train"));
      tell("The training has begun. The model answers meanwhile.");
    });
  }

  makeCertificates() {
    return card(
      "Certificates of erasures",
      make(
        "p",
        {},
        "The certificate of an erasure says which events were deleted, and which model came after. Anybody can check it here.",
      ),
      make(
        "div",
        { class: "row" },
        button("Check a certificate …", () => checkCertificate(this.context)),
      ),
    );
  }

  // Tokens for programs.

  makeTokens() {
    const { context } = this;
    const note = make("input", { type: "text", maxlength: "200", autocomplete: "off" });
    const days = make("input", { type: "number", min: "1", max: "3660", value: "30" });
    const roles = ["reader", "teacher", "admin"].filter((role) => context.may(role));
    const role = select(
      roles.map((each) => [each, each]),
      roles[0],
      () => {},
    );
    return card(
      "Tokens for programs",
      make("p", {}, "A program sends a token with each request. It is shown once."),
      make(
        "form",
        {
          class: "row token-form",
          onsubmit: (event) => {
            event.preventDefault();
            this.issue({ note: note.value, days: Number(days.value), role: role.value });
          },
        },
        field("What for", note),
        field("Role", role),
        field("Days", days),
        make("button", { type: "submit" }, "Make a token"),
      ),
      this.newToken,
      this.tokens,
    );
  }

  async issue(message) {
    await attempt(async () => {
      const { token } = await ask("POST", "api/tokens", message);
      await this.listTokens();
      const shown = make("input", {
        type: "text",
        readonly: true,
        value: token,
        "aria-label": "The new token",
        class: "token",
      });
      this.newToken.replaceChildren(
        make(
          "div",
          { class: "notice" },
          make("p", {}, "Copy the token now: it is not shown again."),
          shown,
          navigator.clipboard &&
            button("Copy", () =>
              attempt(async () => {
                await navigator.clipboard.writeText(token);
                tell("Copied.");
              }),
            ),
        ),
      );
      shown.focus();
      shown.select();
    });
  }

  async listTokens() {
    await attempt(async () => {
      const tokens = (await ask("GET", "api/tokens")).tokens.filter((each) => each.kind === "token");
      renew(
        this.tokens,
        make(
          "ul",
          { class: "tokens" },
          tokens.map((each) =>
            make(
              "li",
              { "data-part": each.id },
              make(
                "span",
                {},
                make("bdi", {}, each.note || "without a note"),
                make("span", { class: "quiet" }, ` ${each.role}, until `, moment(each.expires)),
              ),
              button("Revoke", () => this.revoke(each), { class: "plain" }),
            ),
          ),
        ),
      );
    });
  }

  async revoke(token) {
    if (!(await confirm("Revoke this token?", "Programs that use it are refused from now on.", "Revoke"))) return;
    await attempt(async () => {
      await ask("DELETE", `api/tokens/${encodeURIComponent(token.id)}`);
      await this.listTokens();
    });
  }
}

function describeTraining(model) {
  if (model.training === "running") return "running";
  if (model.training !== "idle") return `failed: ${model.training}`;
  if (!model.can_train) return "nothing to train: the model follows from its counts, or its documents are not known";
  return model.trained_to === null ? "not trained yet" : `covers everything up to event ${model.trained_to}`;
}

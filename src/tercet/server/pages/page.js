// The page around the views: header, navigation, the model that is chosen, and news from the server.

import { Context } from "./context.js";
import { button, emptiness, key, make, renew, select, thousands } from "./elements.js";
import { ask, ModelInterface } from "./api.js";
import * as keys from "./keys.js";
import { attempt, complain, stopComplaining } from "./messages.js";

// The views. `role` is who may use it, and `learns` says that it needs a model that can learn. Their modules are loaded when
// they are needed, so that the first one is there at once.
const VIEWS = [
  { id: "classify", title: "Classify", key: "c", load: () => import("./classify.js"), hidesTitle: true },
  { id: "label", title: "Label", key: "l", load: () => import("./label.js"), role: "teacher", learns: true },
  { id: "check", title: "Check", key: "k", load: () => import("./check.js"), role: "teacher", learns: true },
  { id: "history", title: "History", key: "h", load: () => import("./history.js"), role: "teacher", learns: true },
  { id: "quality", title: "Quality", key: "q", load: () => import("./quality.js"), learns: true },
  { id: "words", title: "Words", key: "w", load: () => import("./words.js") },
  { id: "about", title: "About", key: "a", load: () => import("./about.js") },
  { id: "begin", title: "Begin a model", key: "b", load: () => import("./begin.js"), role: "admin", begins: true },
];
const FACTS_SECONDS = 1; // at most so often the facts of the model are asked for
const LATER_MS = 1000; // before the other views are loaded

export async function openPage(root, session, { models, can_begin: canBegin }) {
  stopComplaining();
  const page = new Page(root, new Context(session, models, canBegin));
  page.open();
  return page;
}

class Page {
  constructor(root, context) {
    this.context = context;
    this.current = null; // the view that is open
    this.main = make("main", { id: "view", tabindex: "-1" });
    this.status = make("span", { class: "status quiet" });
    this.nav = make("nav", { "aria-label": "Views" });
    this.choice = make("span");
    this.warning = make("aside", { class: "warning", "aria-label": "About this model", hidden: true });
    root.replaceChildren(this.makeHeader(), this.warning, this.main);
    context.changed = (answer) => this.receive("state", answer);
    context.go = (id) => {
      location.hash = this.address(id);
    };
    context.chooseModel = (name) => {
      location.hash = this.address(this.current?.id ?? "classify", name);
    };
  }

  makeHeader() {
    const { session } = this.context;
    return make(
      "header",
      { class: "top" },
      make(
        "a",
        {
          class: "brand",
          href: "#",
          "aria-label": "tercet, first view",
          onclick: (event) => {
            event.preventDefault();
            this.context.go("classify");
          },
        },
        make("span", { class: "brand-mark", "aria-hidden": "true" }),
        "tercet",
      ),
      this.nav,
      make(
        "div",
        { class: "top-end" },
        this.choice,
        this.status,
        make(
          "details",
          { class: "menu" },
          make("summary", { "aria-label": `${session.name}, ${session.role}: menu` }, make("bdi", {}, session.name)),
          make(
            "div",
            { class: "menu-body" },
            make("p", { class: "quiet" }, "You are ", make("bdi", {}, session.name), `, with the role ${session.role}.`),
            button(["Keys ", key("?")], () => this.closeMenu(keys.showHelp), { class: "menu-item" }),
            this.context.canBegin &&
              this.context.may("admin") &&
              button("Begin a model …", () => this.closeMenu(() => this.context.go("begin")), { class: "menu-item" }),
            make("a", { class: "menu-item", href: "docs" }, "Interface for programs"),
            button("Log out", () => this.closeMenu(() => this.logOut()), { class: "menu-item" }),
          ),
        ),
      ),
    );
  }

  closeMenu(act) {
    document.querySelector(".menu").open = false;
    act();
  }

  async logOut() {
    await attempt(async () => {
      await ask("DELETE", "api/session");
      location.reload();
    });
  }

  open() {
    keys.listen();
    window.onhashchange = () => this.route();
    document.onclick = (event) => {
      const menu = document.querySelector(".menu[open]");
      if (menu && !menu.contains(event.target)) menu.open = false;
    };
    this.isFirst = true;
    this.route();
  }

  // Nobody is in any more. What was typed is kept for the next page.
  close() {
    this.opened?.close?.();
    this.opened = null;
    this.stopFollowing?.();
    clearTimeout(this.wait);
    window.onhashchange = null;
    for (const group of ["Everywhere", "This view"]) keys.setKeys(group, []);
  }

  address(view, model = this.context.facts.model ?? "") {
    return `#/${encodeURIComponent(model)}/${view}`;
  }

  // The views that this person can use with this model.
  list() {
    const { context } = this;
    return VIEWS.filter(
      (view) =>
        context.may(view.role ?? "reader") &&
        (view.begins ? context.canBegin : context.models.length > 0) &&
        (context.facts.can_learn || !view.learns),
    );
  }

  route() {
    const [, model, id] = location.hash.split("/").map(decodeURIComponent);
    const { context } = this;
    const facts = context.models.find((each) => each.model === model) ?? context.models[0];
    if (facts && facts.model !== context.server?.name) this.choose(facts);
    const view = this.list().find((each) => each.id === id) ?? this.list()[0];
    if (!view) {
      const words = "An admin can begin one here, if the server serves a folder.";
      this.main.replaceChildren(make("h1", {}, "No model"), emptiness("This server has no model yet", words));
      return;
    }
    if (this.isFirst) history.replaceState(null, "", this.address(view.id));
    attempt(() => this.show(view));
    this.isFirst = false;
  }

  choose(facts) {
    const { context } = this;
    context.facts = facts;
    context.server = new ModelInterface(facts.model);
    this.stopFollowing?.();
    this.stopFollowing = context.server.follow((name, data) => this.receive(name, data));
    renew(
      this.choice,
      ...(context.models.length > 1
        ? [
            select(
              context.models.map((each) => [each.model, each.model]),
              facts.model,
              (name) => context.chooseModel(name),
              { class: "model-choice", "aria-label": "Model" },
            ),
          ]
        : [make("span", { class: "model-name" }, make("bdi", {}, facts.model))]),
    );
    this.showStatus();
  }

  async show(view) {
    const { context, isFirst } = this;
    this.current = view;
    const { open } = await view.load();
    if (this.current !== view) return; // somebody was faster
    this.opened?.close?.();
    stopComplaining();
    const named = this.list().filter((each) => !each.begins || context.models.length === 0); // else it is in the menu
    this.nav.replaceChildren(
      ...named.map((each) =>
        make(
          "a",
          {
            href: this.address(each.id),
            "aria-current": each === view && "page",
            "aria-keyshortcuts": `g ${each.key}`,
            title: `${each.title} (g ${each.key})`,
          },
          each.title,
        ),
      ),
    );
    document.title = [view.title, context.facts.model, "tercet"].filter(Boolean).join(" – ");
    const heading = make("h1", { tabindex: "-1", class: view.hidesTitle && "unseen" }, view.title);
    this.opened = open(context);
    this.main.className = `view-${view.id}`;
    this.main.replaceChildren(heading, this.opened.element);
    this.setKeys();
    performance.mark(`view ${view.id}`); // for measurements
    window.scrollTo(0, 0);
    if (!isFirst) {
      // Who goes through the models with the arrow keys stays at their list.
      if (!this.choice.contains(document.activeElement)) heading.focus({ preventScroll: true });
    } else if (matchMedia("(pointer: fine)").matches) this.opened.first?.focus();
    this.opened.start?.();
    if (isFirst) setTimeout(() => this.list().forEach((each) => each.load()), LATER_MS);
  }

  setKeys() {
    const { context } = this;
    keys.setKeys("Everywhere", [
      ...this.list().map((view) => ({ keys: [`g ${view.key}`], words: view.title, act: () => context.go(view.id) })),
      ...(context.canTeach ? [{ keys: ["u"], words: "Undo your last step", act: () => context.undoLast() }] : []),
      { keys: ["?"], words: "All keys", act: keys.showHelp },
    ]);
    keys.setKeys("This view", this.opened.keys ?? []);
  }

  // News: the model has changed, or an import goes on.
  receive(name, data) {
    const { context } = this;
    if (name === "state") {
      const before = context.facts;
      const isNew = data.event > before.event || (data.training !== undefined && data.training !== before.training);
      if (data.event >= before.event)
        Object.assign(context.facts, { event: data.event, trained_to: data.trained_to, is_trained: data.is_trained });
      if (data.training !== undefined) this.noteTraining(data.training);
      this.showStatus();
      if (isNew) this.askForFacts();
    }
    this.opened?.news?.(name, data);
  }

  noteTraining(training) {
    const { facts } = this.context;
    if (training !== "running" && training !== "idle" && training !== facts.training)
      complain({ code: "training", message: `The training has failed: ${training}` });
    facts.training = training;
  }

  // The facts of the model again, but not for each of many changes.
  askForFacts() {
    this.wait ??= setTimeout(async () => {
      this.wait = null;
      const { context } = this;
      const { server } = context;
      await attempt(async () => {
        const facts = await server.get();
        if (server !== context.server) return;
        Object.assign(context.facts, facts);
        this.showStatus();
        this.opened?.news?.("facts", facts);
      });
    }, FACTS_SECONDS * 1000);
  }

  // Labels that were guessed, and that nobody has checked.
  showWarning() {
    const { context } = this;
    const { facts } = context;
    const isUnchecked = facts.is_guessed && !facts.check;
    if (this.warning.hidden !== isUnchecked) return;
    this.warning.hidden = !isUnchecked;
    renew(
      this.warning,
      make("p", {}, "Nothing has been checked: the labels of the texts were guessed, and nobody knows how many are right."),
      context.canTeach && button("Check by hand", () => context.go("check")),
    );
  }

  showStatus() {
    const { facts } = this.context;
    this.showWarning();
    const isRunning = facts.training === "running";
    this.status.replaceChildren(
      ...(isRunning ? [make("span", { class: "busy", role: "status" }, "training")] : []),
      ...(facts.can_learn
        ? [make("span", { title: "The last event of the ledger that the answers include" }, `event ${thousands(facts.event)}`)]
        : ["read only"]),
    );
  }
}

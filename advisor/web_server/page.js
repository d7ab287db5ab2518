// The terminal takes the keys as soon as the session shows something: without this, only after a click.
addEventListener("load", () => {
  const focus = () => document.querySelector(".xterm-helper-textarea")?.focus();
  new MutationObserver(focus).observe(document.body, { attributes: true, attributeFilter: ["class"] });
});

// The terminal takes the keys as soon as the session shows something: without this, only after a click.
addEventListener("load", () => {
  const focus = () => document.querySelector(".xterm-helper-textarea")?.focus();
  new MutationObserver(focus).observe(document.body, { attributes: true, attributeFilter: ["class"] });
});

// textual.js opens a window for each download, which a browser blocks if the export takes some seconds.
const openWindow = window.open;
window.open = (url, ...others) => {
  if (!String(url).startsWith(`${location.origin}/download/`)) return openWindow.call(window, url, ...others);
  const link = document.createElement("a");
  link.href = url;
  link.download = "";
  link.click();
  return null;
};

// Search needs a web worker, which browsers refuse to pages opened as files. There, a hidden frame takes its place.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "Search";
      document.body.append(this.frame);
      const inner = (this.inner = this.frame.contentWindow);
      inner.document.open();
      inner.document.write("<!doctype html><html lang=en><title>Search</title><body></body></html>");
      inner.document.close();
      inner.postMessage = (data) => setTimeout(() => this.answer(data));
      inner.importScripts = (...urls) =>
        urls.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve());
      this.ready = this.load(url);
    }
    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.inner.document.createElement("script");
        script.src = new URL(url, location.href);
        script.onload = resolve;
        script.onerror = () => reject(new ReferenceError(`Invalid script: ${url}`));
        this.inner.document.body.append(script);
      });
    }
    answer(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }
    postMessage(data) {
      this.ready.then(() => {
        this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data }));
      });
    }
    terminate() {
      this.frame.remove();
    }
  };
  window.IFrameWorker = window.Worker; // tells the theme's worker where it runs
}

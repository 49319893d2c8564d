// An extension for JupyterLab and Notebook 7 to load: when the kernel that made a widget has ended, its output
// shows the picture stored beside the widget, and later changes of the widget are stored there as well.
// In a dark theme the course's pictures are turned over, light for dark, and their hues turned back, as in widgets.

(() => {
  const VIEW = "application/vnd.jupyter.widget-view+json", PICTURE = "text/html";
  const OURS = ':is(img[style^="min-width"][src^="data:image/svg+xml"], img[src*="/images/map_"])';

  /** Teach the class of ipywidgets' renderers that a picture stands for a missing widget. */
  function teach(renderers, rendermime) {
    const show = renderers.renderModel;
    renderers.renderModel = async function (model) {
      const id = model.data[VIEW].model_id;
      if (this.shown === id) return; // only the data stored beside it have changed
      if (!(PICTURE in model.data)) return show.call(this, model);
      const manager = await this._manager.promise;
      if (!manager.has_model(id)) {
        const picture = rendermime.createRenderer(PICTURE);
        await picture.renderModel(model);
        this.addWidget(picture);
        if (!manager.restoredStatus) await next(manager.restored); // such as after a page has loaded anew
        if (this.isDisposed || !manager.has_model(id)) return;
        picture.dispose();
      }
      this.shown = id;
      await show.call(this, model);
      keep(this, model, await manager.get_model(id));
    };
    renderers.renderModel.picture = true;
  }

  /** The form that a widget wants stored goes into its output, and so into the notebook's file. */
  function keep(renderer, output, widget) {
    const put = () => output.setData({ data: { ...output.data, [PICTURE]: widget.get("stored") }, metadata: output.metadata });
    widget.on("change:stored", put);
    renderer.disposed.connect(() => widget.off("change:stored", put));
  }

  function next(signal) {
    return new Promise((resolve) => {
      const once = () => {
        signal.disconnect(once);
        resolve();
      };
      signal.connect(once);
    });
  }

  const plugin = {
    id: "autograd-nb:pictures",
    autoStart: true,
    activate: ({ docRegistry }) => {
      const style = document.head.appendChild(document.createElement("style"));
      style.textContent = `[data-jp-theme-light="false"] ${OURS} { filter: invert(0.9) hue-rotate(180deg); }`;
      docRegistry.addWidgetExtension("Notebook", {
        createNew({ content: { rendermime } }) {
          const factory = rendermime.getFactory(VIEW);
          const renderers = factory && Object.getPrototypeOf(factory.createRenderer({ mimeType: VIEW }));
          if (renderers && !renderers.renderModel.picture) teach(renderers, rendermime);
        },
      });
    },
  };
  (globalThis._JUPYTERLAB ??= {})["autograd-nb"] = { init() {}, get: async () => () => plugin };
})();

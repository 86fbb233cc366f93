// An entry: what ctx_get answered, and other parts of it, which the host fetches.

{
  /** @type {any} */
  let input = {};
  let canCall = false;
  let problem = '';

  /** @param {SubmitEvent} event */
  async function read(event) {
    event.preventDefault();
    const fields = new FormData(/** @type {HTMLFormElement} */ (event.target));
    /** @type {any} */
    const wanted = { ref: input.ref };
    for (const name of ['lines', 'grep']) {
      const value = String(fields.get(name) ?? '').trim();
      if (value) wanted[name] = value;
    }
    try {
      const result = await ask('tools/call', { name: 'ctx_get', arguments: wanted });
      input = wanted;
      problem = '';
      draw(result);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      const place = document.getElementById('problem');
      if (place) place.textContent = problem;
    }
  }

  function part() {
    return h('form', { onsubmit: read },
      h('label', {}, 'Lines', h('input', { name: 'lines', placeholder: '1-80', size: 10, value: input.lines ?? '' })),
      h('label', {}, 'Matching', h('input', { name: 'grep', placeholder: 'regular expression', size: 22, value: input.grep ?? '' })),
      h('button', {}, 'Read'));
  }

  /** @param {any} result */
  function draw(result) {
    const reference = String(input.ref ?? '').replace(/^\[?(ctx:)?|\]$/g, '');
    show(h('h1', {}, reference ? `[ctx:${reference}]` : 'Stored entry'), canCall && input.ref ? part() : null,
      h('p', { id: 'problem', role: 'alert', class: 'soft' }, problem),
      h('pre', { tabindex: 0, 'aria-label': 'Text of the entry' }, textOf(result)));
  }

  connect('entry', {
    ready: (host) => { canCall = host?.hostCapabilities?.serverTools !== undefined; },
    input: (given) => { input = given; },
    result: draw,
  });
}

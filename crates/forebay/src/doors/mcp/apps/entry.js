// An entry: what ctx_get answered, and other parts of it, which the host fetches.

{
  /** @type {any} */
  let input = {};
  let canCall = false;
  let problem = '';

  async function read() {
    /** @type {any} */
    const wanted = { ref: input.ref };
    for (const field of document.querySelectorAll('input')) {
      const value = field.value.trim();
      if (value) wanted[field.name] = value;
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

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) read();
  }

  /** Not a form: the sandbox of a host may refuse to submit one. */
  function part() {
    return h('div', { class: 'part', role: 'group', 'aria-label': 'Another part', onkeydown: press },
      h('label', {}, 'Lines', h('input', { name: 'lines', placeholder: '1-80', size: 10, value: input.lines ?? '' })),
      h('label', {}, 'Matching', h('input', { name: 'grep', placeholder: 'regular expression', size: 22, value: input.grep ?? '' })),
      h('button', { type: 'button', onclick: read }, 'Read'));
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

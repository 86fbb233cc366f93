// The overview: what ctx_stats answers, as cards, bars and a table.

{
  /** @param {number | null | undefined} usd */
  const money = (usd) => (usd == null ? 'unknown' : `${usd < 0 ? '\u2212' : ''}$${Math.abs(usd).toFixed(Math.abs(usd) < 1 ? 4 : 2)}`);

  /** @param {string} name @param {any} account */
  const card = (name, account) => h('div', {}, h('span', { class: 'soft' }, `Saved ${name}, net`), h('strong', {}, count(account.total.saved_tokens)),
    h('span', { class: 'soft' }, `of ${count(account.total.host_tokens)} tokens${account.billed ? `, ${money(account.billed.net.usd)} over ${count(account.requests.count)} requests` : ''}`));

  const SVG = 'http://www.w3.org/2000/svg';

  /** Tokens saved over time, in equal parts, above or below zero. @param {any} timeline */
  function bars({ saved_tokens: parts }) {
    const most = Math.max(1, ...parts.map(Math.abs));
    const svg = document.createElementNS(SVG, 'svg');
    const total = parts.reduce((/** @type {number} */ sum, /** @type {number} */ one) => sum + one, 0);
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${parts.length * 10} 40`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${count(total)} tokens saved over time` })) svg.setAttribute(name, value);
    const hasLoss = parts.some((/** @type {number} */ one) => one < 0);
    const [zero, scale] = hasLoss ? [20, 19] : [39, 38];
    parts.forEach((/** @type {number} */ value, /** @type {number} */ index) => {
      const bar = document.createElementNS(SVG, 'rect');
      const height = (Math.abs(value) / most) * scale;
      for (const [name, number] of Object.entries({ x: index * 10 + 1, width: 8, y: value < 0 ? zero : zero - height, height })) bar.setAttribute(name, String(number));
      bar.setAttribute('class', value < 0 ? 'loss' : 'gain');
      svg.append(bar);
    });
    return svg;
  }

  /** @param {any} account */
  function table(account) {
    const rows = Object.entries(account.tools).map(([name, tool]) => h('tr', {}, h('th', { scope: 'row' }, name),
      ['answers', 'host_tokens', 'delivered_tokens', 'saved_tokens'].map((field) => h('td', { class: 'number' }, count(tool[field])))));
    return h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'By tool' }, h('table', {}, h('thead', {}, h('tr', {},
      ['Tool', 'Answers', 'Host shows', 'Delivered', 'Saved'].map((text, index) => h('th', { scope: 'col', class: index ? 'number' : null }, text)))), h('tbody', {}, rows)));
  }

  /** @param {any} result */
  function draw(result) {
    const data = result?.structuredContent;
    if (!data?.project?.total) {
      show(h('pre', { tabindex: 0 }, textOf(result)));
      return;
    }
    const { session, today, project, store } = data;
    const stored = Object.values(store.entries).reduce((sum, one) => sum + Number(one), 0);
    show(h('h1', {}, 'Forebay'),
      h('div', { class: 'cards' }, card('in this session', session), card('today', today), card('in this project', project),
        h('div', {}, h('span', { class: 'soft' }, 'Read again'), h('strong', {}, count(project.rereads)), h('span', { class: 'soft' }, `calls for ${count(project.digests)} digests`))),
      project.timeline ? [h('h2', {}, 'Saved over time, in tokens'), bars(project.timeline)] : null,
      Object.keys(project.tools).length ? [h('h2', {}, 'By tool, in tokens'), table(project)] : null,
      h('p', { class: 'soft' }, `${count(stored)} entries are stored. Saved: what the host would have shown, less what was delivered; a token is 4 bytes.`));
  }

  connect('overview', { result: draw });
}

// What both views share: messages to the host that frames them, and elements whose text is never markup.
'use strict';

/** @typedef {Node | string | number | null | undefined} Child */

/**
 * @param {string} name @param {Record<string, any>} [properties] @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
function h(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else if (value != null) element.setAttribute(key, String(value));
  }
  element.append(...children.flat().filter((child) => child != null).map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

/** @param {...(Child | Child[])} children */
function show(...children) {
  const place = /** @type {HTMLElement} */ (document.getElementById('view'));
  place.replaceChildren(...children.flat().filter((child) => child != null).map((child) => (child instanceof Node ? child : String(child))));
}

const NUMBER = new Intl.NumberFormat('en');
/** @param {number} number */
const count = (number) => NUMBER.format(number).replace('-', '\u2212');

/** The texts of a tool's answer. @param {any} result */
const textOf = (result) => (result?.content ?? []).filter((/** @type {any} */ one) => one.type === 'text').map((/** @type {any} */ one) => one.text).join('\n');

/** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
const waiting = new Map();
let lastId = 0;

/** @param {Record<string, any>} message */
const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

/** @param {string} method @param {any} params @returns {Promise<any>} */
function ask(method, params) {
  lastId += 1;
  const id = lastId;
  post({ id, method, params });
  return new Promise((resolve, reject) => { waiting.set(id, { resolve, reject }); });
}

/** @param {any} context */
function adapt(context) {
  const root = document.documentElement;
  if (context?.theme === 'light' || context?.theme === 'dark') root.dataset.theme = context.theme;
  for (const [name, value] of Object.entries(context?.styles?.variables ?? {})) {
    if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value);
  }
}

/**
 * Introduces the view to its host, and hands it what the host sends.
 * @param {string} name
 * @param {{ input?: (input: any) => void, result: (result: any) => void, ready?: (host: any) => void }} view
 */
function connect(name, view) {
  /** @type {Record<string, (params: any) => void>} */
  const notified = {
    'ui/notifications/tool-input': (params) => view.input?.(params?.arguments ?? {}),
    'ui/notifications/tool-result': (params) => view.result(params),
    'ui/notifications/tool-cancelled': () => show(h('p', { class: 'soft' }, 'The call was cancelled.')),
    'ui/notifications/host-context-changed': adapt,
  };
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== '2.0') return;
    const own = data.method === undefined ? waiting.get(data.id) : undefined;
    if (own) {
      waiting.delete(data.id);
      if (data.error) own.reject(new Error(data.error.message));
      else own.resolve(data.result);
    } else if (data.id === undefined) {
      notified[data.method]?.(data.params);
    } else if (data.method === 'ping' || data.method === 'ui/resource-teardown') {
      post({ id: data.id, result: {} });
    } else if (data.method !== undefined) {
      post({ id: data.id, error: { code: -32601, message: 'method not found' } });
    }
  });
  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    post({ method: 'ui/notifications/size-changed', params: { width: Math.ceil(width), height: Math.ceil(height) } });
  }).observe(document.body);
  ask('ui/initialize', { appInfo: { name: `forebay-${name}`, version: '1' }, appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] }, protocolVersion: '2026-01-26' })
    .then((host) => {
      adapt(host?.hostContext);
      view.ready?.(host);
      post({ method: 'ui/notifications/initialized', params: {} });
    });
}

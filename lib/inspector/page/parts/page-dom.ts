/** An element as data. */
export interface VNode {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (VNode | string)[];
}

export type Child = VNode | string | number | false | undefined | readonly Child[];

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(['svg', 'polyline', 'rect', 'line', 'text', 'title', 'g']);

/** Where an element has its key. */
const KEY = 'data-key';

/** Makes an element. `key` finds it again among its siblings; attributes that are false or undefined are left out. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): VNode {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    given[name === 'key' ? KEY : name] = value === true ? '' : String(value);
  }
  return { tag, attributes: given, children: flat(children) };
}

function flat(children: readonly Child[]): (VNode | string)[] {
  return children.flatMap((child): (VNode | string)[] => {
    if (child === false || child === undefined || child === '') return [];
    if (Array.isArray(child)) return flat(child as readonly Child[]);
    return [typeof child === 'number' ? String(child) : (child as VNode | string)];
  });
}

function keyOf(node: Node): string | null {
  return node instanceof Element ? node.getAttribute(KEY) : null;
}

/** Makes the children of an element those of the data, with as few changes as needed: focus, selection and scroll stay. */
export function patch(parent: Element, wanted: readonly (VNode | string)[]): void {
  const before = [...parent.childNodes];
  const byKey = new Map(before.map((node) => [keyOf(node), node]));
  const unnamed = before.filter((node) => keyOf(node) === null).values();
  const nodes = wanted.map((child) => {
    const key = typeof child === 'string' ? null : (child.attributes[KEY] ?? null);
    const candidate = key === null ? unnamed.next().value : byKey.get(key);
    // Of two siblings with one key, each has an element of its own.
    byKey.delete(key);
    return updated(candidate ?? null, child);
  });
  const kept = new Set<Node>(nodes);
  for (const node of before) if (!kept.has(node)) node.remove();
  for (const [index, node] of nodes.entries()) {
    const present = parent.childNodes[index] ?? null;
    if (present !== node) parent.insertBefore(node, present);
  }
}

/** The node itself if it can become what is wanted, or a new one. */
function updated(node: Node | null, wanted: VNode | string): Node {
  if (typeof wanted === 'string') {
    if (node === null || node.nodeType !== Node.TEXT_NODE) return document.createTextNode(wanted);
    if (node.nodeValue !== wanted) node.nodeValue = wanted;
    return node;
  }
  const { tag, attributes, children } = wanted;
  const element =
    node instanceof Element &&
    node.localName === tag &&
    (node.id === '' || node.id === attributes['id'])
      ? node
      : created(tag);
  for (const name of element.getAttributeNames()) {
    // The reader opens and closes details.
    if (!(name in attributes) && name !== 'open') element.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  patch(element, children);
  if (element instanceof HTMLSelectElement && document.activeElement !== element) {
    element.value = attributes['data-value'] ?? '';
  }
  if (element instanceof HTMLInputElement && document.activeElement !== element) {
    element.value = attributes['value'] ?? '';
  }
  return element;
}

function created(tag: string): Element {
  return SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
}

/** One alternative of an Accept header. */
export interface MediaRange {
  /** As it was sent, e.g. `application/json` or the wildcard. */
  readonly type: string;
  /** Without `q`. */
  readonly parameters: ReadonlyMap<string, string>;
}

interface Clause extends MediaRange {
  readonly quality: number;
}

/** Maximum number of alternatives; the rest of the Accept header is ignored. */
const MOST_ALTERNATIVES = 64;

/**
 * The alternatives of an Accept header in the order in which the API server tries them. Names are compared with regard to case, an
 * alternative of quality 0 comes last, and parameters without a value do not count. All that is as in kube-apiserver.
 * @see https://github.com/munnerz/goautoneg
 */
export function parseAccept(accept: string): MediaRange[] {
  const clauses: Clause[] = [];
  for (const text of accept.split(',', MOST_ALTERNATIVES)) {
    const clause = parseClause(text);
    if (clause !== undefined) clauses.push(clause);
  }
  return sorted(clauses);
}

function parseClause(text: string): Clause | undefined {
  const [name = '', ...pairs] = text.split(';');
  const [type = '', subtype, ...rest] = name.split('/').map(trimSpaces);
  if (rest.join('') !== '' || ((subtype ?? '') === '' && type !== '*')) return undefined;
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const pair of pairs) {
    const [key = '', value = '', ...more] = pair.split('=');
    if (value === '' || more.join('') !== '') continue;
    if (trimSpaces(key) === 'q') quality = qualityOf(value);
    else parameters.set(trimSpaces(key), trimSpaces(value));
  }
  return { type: `${type}/${(subtype ?? '') === '' ? '*' : subtype}`, parameters, quality };
}

function qualityOf(text: string): number {
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : 0;
}

function trimSpaces(text: string): string {
  return text.replace(/^ +| +$/g, '');
}

/** The order is no total one, so the way of sorting counts: it is that of Go for short lists. */
function sorted(clauses: Clause[]): Clause[] {
  for (let end = 1; end < clauses.length; end += 1) {
    for (let at = end; at > 0; at -= 1) {
      const [left, right] = [clauses[at - 1] as Clause, clauses[at] as Clause];
      if (!comesBefore(right, left)) break;
      clauses[at - 1] = right;
      clauses[at] = left;
    }
  }
  return clauses;
}

/** The better quality, or the more specific one. */
function comesBefore(one: Clause, other: Clause): boolean {
  if (one.quality > other.quality) return true;
  if (!one.type.startsWith('*/') && other.type.startsWith('*/')) return true;
  return !one.type.endsWith('/*') && other.type.endsWith('/*');
}

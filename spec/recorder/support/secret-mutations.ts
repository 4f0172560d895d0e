import type { Said } from './secret-world.ts';

type Fields = Record<string, unknown>;

/** Draws from what it is given, by a seed. */
export class Draw {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T;
  }

  /** True once in `of` times. */
  once(of: number): boolean {
    return this.below(of) === 0;
  }
}

/** Texts that must be found nowhere: values of Secrets and a credential. */
export class KnownValues {
  readonly token: string;
  readonly #draw: Draw;
  readonly #needles: string[] = [];

  constructor(draw: Draw) {
    this.#draw = draw;
    this.token = `tok${this.#word()}`;
    this.#hide(this.token);
  }

  /** A value with characters that JSON, URLs and base64 write in other ways. */
  value(): string {
    const word = this.#word();
    const value = this.#draw.one([word, `p"${word}\\`, `ä ${word}/&=?`, `${word}\n${word}`]);
    this.#hide(value);
    this.#needles.push(word);
    return value;
  }

  /** A number that is a value. */
  number(): number {
    const number = 1e9 + this.#draw.below(8e9);
    this.#needles.push(String(number));
    return number;
  }

  base64(): string {
    return Buffer.from(this.value()).toString('base64');
  }

  /** The known values that a text has, in any form. */
  foundIn(text: string): readonly string[] {
    return this.#needles.filter((needle) => text.includes(needle));
  }

  #word(): string {
    return Array.from({ length: 4 }, () =>
      this.#draw.below(46_656).toString(36).padStart(3, 'z'),
    ).join('');
  }

  #hide(value: string): void {
    this.#needles.push(value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1));
    // Base64 of it alone, and inside a longer text.
    for (const before of ['', 'x', 'xx']) {
      const whole = Buffer.from(before + value).toString('base64');
      const inner = whole.slice(before === '' ? 0 : 4, -4);
      this.#needles.push(inner, inner.replaceAll('+', '-').replaceAll('/', '_'));
    }
  }
}

const KINDS = [
  'Secret',
  undefined,
  'secret',
  'SECRET',
  'SecretList',
  ' Secret',
  '',
  7,
  null,
  'Pod',
  'ConfigMap',
];
const LIST_KINDS = [
  'SecretList',
  'List',
  undefined,
  'secretlist',
  'SECRETLIST',
  'SecretLIST',
  '',
  5,
  'ConfigMapList',
  'PodList',
];
const TOOLS = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'kapp.k14s.io/original',
  'objectset.rio.cattle.io/applied',
  'pulumi.com/autonamed',
  'kubecfg.ksonnet.io/last-applied-configuration',
  'banzaicloud.com/last-applied',
  'kubernetes.io/description',
];

/** Lists, events and failures of a server that has Secrets, each of them wrong in a way of its own. */
export class Mutations {
  /** Lists, events and failures so far. */
  count = 0;
  readonly #draw: Draw;
  readonly #values: KnownValues;
  readonly #isUnknown: boolean;
  #version = 1;

  /** `isUnknown`: the reader knows no resource, so that each object keeps some field of Secrets. */
  constructor(draw: Draw, values: KnownValues, isUnknown: boolean) {
    this.#draw = draw;
    this.#values = values;
    this.#isUnknown = isUnknown;
  }

  list(): Said {
    this.count += 1;
    const draw = this.#draw;
    const items = Array.from({ length: 1 + draw.below(4) }, (_, index) =>
      this.#object(`s-${index}`),
    );
    const head: Fields = { apiVersion: draw.one(['v1', undefined, 'v2', '']) };
    const list = {
      ...head,
      kind: draw.one(LIST_KINDS),
      metadata: { resourceVersion: this.#next() },
    };
    const shell = JSON.stringify({ ...list, ...(draw.once(8) ? this.#extra() : {}), items: [] });
    const body = shell.replace(
      '"items":[]',
      () => `"items":[${items.join(draw.one([',', ' ,\n']))}]`,
    );
    return { body: this.#broken(body) };
  }

  watch(): Said {
    const draw = this.#draw;
    const frames = Array.from({ length: 1 + draw.below(5) }, () => this.#event());
    if (draw.once(3)) {
      this.count += 1;
      frames.push(JSON.stringify({ type: 'ERROR', object: this.#status() }));
    }
    if (draw.once(10)) frames.push(this.#broken(this.#event(), 1));
    return { body: `${frames.join('\n')}\n` };
  }

  failure(): Said {
    this.count += 1;
    const draw = this.#draw;
    const status = draw.one([400, 401, 403, 404, 410, 422, 429, 500, 502, 503, 504]);
    const echo = `Authorization: ${draw.one(['Bearer ', 'bearer ', 'X-Token: ', ''])}${this.#token()}`;
    const headers = draw.once(5) ? { server: echo, warning: `299 - "${this.#token()}"` } : {};
    const body = draw.one([
      () => JSON.stringify(this.#status()),
      () => this.#object('s-0'),
      () => this.list().body,
      () =>
        `<html><head><title>${this.#own()} ${this.#token()}</title></head>${this.#own()}</html>`,
      () => `${'x'.repeat(draw.below(3000))} ${this.#own()} ${echo}`,
    ])();
    return { status, headers, body: this.#broken(body) };
  }

  #event(): string {
    this.count += 1;
    const type = this.#draw.one(['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED']);
    return `{"type":"${type}","object":${this.#object(`s-${this.#draw.below(4)}`, ' ')}}`;
  }

  /** An object as text. */
  #object(name: string, space = '\n'): string {
    const draw = this.#draw;
    const object: Fields = {
      apiVersion: draw.one(['v1', 'v1', undefined, 'v2']),
      kind: draw.one(KINDS),
      metadata: this.#metadata(name),
      type: 'Opaque',
      data: this.#data(true),
    };
    if (draw.once(3)) object['stringData'] = this.#data(false);
    if (draw.once(6)) Object.assign(object, this.#extra());
    if (draw.once(8) && !this.#isUnknown) {
      delete object['data'];
      object['items'] = [{ data: this.#data(true) }];
    }
    const entries = Object.entries(object).filter(([, value]) => value !== undefined);
    if (draw.once(3)) entries.reverse();
    const texts = entries.map(([field, value]) => `${this.#name(field)}:${JSON.stringify(value)}`);
    // The last of several fields counts for a parser.
    if (draw.once(6)) texts.unshift('"kind":"Pod"', `"data":${JSON.stringify(this.#data(true))}`);
    if (draw.once(6)) texts.push('"data":{}', `"type":"Opaque"`);
    return draw.once(5) ? `{${space}${texts.join(`,${space}`)}${space}}` : `{${texts.join(',')}}`;
  }

  #name(field: string): string {
    if (!this.#draw.once(12)) return JSON.stringify(field);
    const at = this.#draw.below(field.length);
    const escape = `\\u${field.charCodeAt(at).toString(16).padStart(4, '0')}`;
    return `"${field.slice(0, at)}${escape}${field.slice(at + 1)}"`;
  }

  #metadata(name: string): Fields {
    const draw = this.#draw;
    const annotations: Fields = {};
    for (let left = draw.below(3); left > 0; left -= 1) {
      annotations[draw.one(TOOLS)] = draw.one([
        () => JSON.stringify({ kind: 'Secret', data: { a: this.#values.base64() } }),
        () => this.#values.value(),
        () => Buffer.from(JSON.stringify({ a: this.#values.value() })).toString('base64'),
        () => ({ a: this.#values.value() }),
      ])();
    }
    return {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: this.#next(),
      annotations: draw.once(20) ? [this.#values.value()] : annotations,
      ...(draw.once(8) ? { note: this.#values.value() } : {}),
    };
  }

  /** The values, in each form that they may come in. */
  #data(encoded: boolean): unknown {
    const draw = this.#draw;
    const value = (): string => (encoded ? this.#values.base64() : this.#values.value());
    return draw.one([
      () => ({ password: value(), user: value() }),
      () => ({ password: value() }),
      () => [value(), [value()]],
      () => [{ name: 'a', value: value() }],
      () => value(),
      () => this.#values.number(),
      () => ({ a: this.#values.number(), b: { c: value() }, d: [value()] }),
      () => JSON.parse(`{"__proto__":${JSON.stringify(value())}}`) as unknown,
      () => deep(value(), 1 + draw.below(300)),
    ])();
  }

  #extra(): Fields {
    const name = this.#draw.one(['Data', 'binaryData', 'spec', 'status', 'rows', 'object', 'note']);
    // Where no resource is known, only fields of Secrets are masked at every place.
    if (this.#isUnknown) return { stringData: this.#data(false) };
    return { [name]: this.#draw.one([this.#data(true), { data: this.#data(true) }]) };
  }

  #status(): Fields {
    const draw = this.#draw;
    const text = (): string =>
      `${draw.one(['admission denied', 'secrets "a" is forbidden', 'bad'])}: ${this.#own()} ${this.#token()}`;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: draw.one([403, 410, 500, 504, 429, undefined]),
      message: draw.once(4) ? { text: text() } : text(),
      reason: draw.once(3)
        ? this.#own()
        : draw.one(['Forbidden', 'Expired', 'InternalError', 'Timeout']),
      details: {
        name: this.#own(),
        kind: draw.one(['secrets', this.#own()]),
        causes: draw.one([
          [{ reason: this.#own(), message: text(), field: `data[${this.#own()}]` }],
          text(),
        ]),
        object: { kind: 'Secret', data: this.#isUnknown ? {} : this.#data(true) },
        retryAfterSeconds: 1,
      },
      ...(draw.once(3) && !this.#isUnknown ? { object: this.#data(true) } : {}),
    };
  }

  /** A value in a text about Secrets; a reader without a resource shows such texts. */
  #own(): string {
    return this.#isUnknown ? 'it' : this.#draw.one([this.#values.value(), this.#values.base64()]);
  }

  /** The credential in one of the forms in which programs repeat it. */
  #token(): string {
    const { token } = this.#values;
    return this.#draw.one([
      token,
      Buffer.from(token).toString('base64'),
      Buffer.from(`Bearer ${token}`).toString('base64'),
      encodeURIComponent(token),
    ]);
  }

  /** Now and then cut, or with characters that are wrong. */
  #broken(text: string, of = 8): string {
    const draw = this.#draw;
    if (!draw.once(of)) return text;
    const at = draw.below(text.length);
    // A mark within a name would make it no field of Secrets.
    return this.#isUnknown || draw.once(2)
      ? text.slice(0, at)
      : `${text.slice(0, at)}}${text.slice(at)}`;
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }
}

function deep(value: string, depth: number): unknown {
  let made: unknown = value;
  for (let left = depth; left > 0; left -= 1) made = { data: made };
  return made;
}

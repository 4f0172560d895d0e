import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { SharedInformerFactory } from '../lib/cache/informer/factory/shared-informer-factory.ts';
import { Client } from '../lib/client/rest/client.ts';
import { controller } from '../lib/controller/builder/controller-builder.ts';
import { Manager } from '../lib/controller/manager/manager.ts';
import { ShardMember } from '../lib/controller/sharding/shard-member.ts';
import { WebhookServer } from '../lib/controller/webhook/webhook-server.ts';
import { isListwatchError } from '../lib/kernel/failure/errors.ts';
import { VirtualRuntime } from '../lib/testing/index.ts';
import { ScriptedTransport } from './client/support/scripted-transport.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/lifecycle.md');
const BEGIN = '<!-- lifecycle: begin -->';
const END = '<!-- lifecycle: end -->';
const VERBS = ['run', 'start', 'close', 'destroy', 'end'] as const;
/** Other words for the same. */
const OTHER_VERBS = ['stop', 'shutdown', 'shutDown', 'dispose', 'terminate', 'kill'];
/** `run` of a virtual clock runs work of its caller. */
const EXEMPT = new Set(['VirtualRuntime']);

interface Shape {
  readonly name: string;
  readonly methods: ReadonlySet<PropertyKey>;
}

function methodsOf(made: { readonly prototype: object }): Set<PropertyKey> {
  const methods = new Set<PropertyKey>();
  let prototype: object | null = made.prototype;
  while (prototype !== null && prototype !== Object.prototype) {
    for (const key of Reflect.ownKeys(prototype)) {
      const { value } = Object.getOwnPropertyDescriptor(prototype, key) ?? {};
      if (typeof value === 'function') methods.add(key);
    }
    prototype = Object.getPrototypeOf(prototype) as object | null;
  }
  return methods;
}

function isClass(value: unknown): value is { readonly prototype: object; readonly name: string } {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}

/** The public classes with methods of the lifecycle. */
async function shapes(): Promise<Shape[]> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  };
  const found = new Map<unknown, Shape>();
  for (const entry of Object.values(exports)) {
    if (typeof entry === 'string') continue;
    const module = (await import(join(ROOT, entry['@listwatch/source'] ?? ''))) as object;
    for (const [name, value] of Object.entries(module)) {
      if (!isClass(value) || EXEMPT.has(name)) continue;
      found.set(value, { name, methods: methodsOf(value) });
    }
  }
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function table(all: readonly Shape[]): string {
  const rows = all
    .filter(({ methods }) => VERBS.some((verb) => methods.has(verb)))
    .map(({ name, methods }) => {
      const cells = VERBS.map((verb) => (methods.has(verb) ? `\`${verb}\`` : ''));
      return `| \`${name}\` | ${cells.join(' | ')} |`;
    });
  const head = [
    '| class | runs | starts | closes | releases | ends its input |',
    '|---|---|---|---|---|---|',
  ];
  return [BEGIN, '', ...head, ...rows, '', END].join('\n');
}

describe('the lifecycle of public classes', () => {
  let all: Shape[];
  before(async () => {
    all = await shapes();
  });

  it('is that of docs/lifecycle.md (LISTWATCH_UPDATE_DOCS=1 rewrites it)', () => {
    const page = readFileSync(PAGE, 'utf8');
    const [head = '', rest = ''] = page.split(BEGIN);
    const expected = `${head}${table(all)}${rest.split(END)[1] ?? ''}`;
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') writeFileSync(PAGE, expected);
    expect(readFileSync(PAGE, 'utf8')).to.equal(expected);
  });

  it('has one verb for each meaning, and the symbol that belongs to it', () => {
    expect(all.length).to.be.greaterThan(20);
    const problems = all.flatMap(({ name, methods }) => {
      const has = (key: PropertyKey): boolean => methods.has(key);
      const wrong = OTHER_VERBS.filter(has).map((verb) => `${name}.${verb}`);
      if (has('close') !== has(Symbol.asyncDispose)) wrong.push(`${name}: close, asyncDispose`);
      if (has('destroy') !== has(Symbol.dispose)) wrong.push(`${name}: destroy, dispose`);
      if (has('start') && !has('close')) wrong.push(`${name}: start without close`);
      return wrong;
    });
    expect(problems).to.deep.equal([]);
  });

  it('has a close that returns a promise, and a destroy that does not, in all interfaces', () => {
    const problems: string[] = [];
    let seen = 0;
    const entries = ['', '-cache', '-client', '-cluster', '-controller', '-kernel', '-server'];
    for (const entry of entries) {
      const text = readFileSync(join(ROOT, `docs/api/listwatch${entry}.md`), 'utf8');
      for (const [, verb, result] of text.matchAll(/^ +(close|destroy)\(.*\): (.+);$/gm)) {
        seen += 1;
        if ((verb === 'close') !== (result === 'Promise<void>'))
          problems.push(`${entry} ${verb}: ${result}`);
      }
    }
    expect(seen).to.be.greaterThan(10);
    expect(problems).to.deep.equal([]);
  });
});

describe('what runs', () => {
  const runtime = new VirtualRuntime();
  const client = new Client({ transport: new ScriptedTransport(() => ({})), runtime });
  const options = { runtime, logger: { debug() {}, info() {}, warn() {}, error() {} } };
  const kinds = {
    SharedIndexInformer: () => new SharedInformerFactory(client, options).for('v1', 'pods'),
    Controller: () => controller(client, 'v1', 'pods', options).reconcile(() => Promise.resolve()),
    Manager: () => new Manager(client, { ...options, signals: false }),
    WebhookServer: () =>
      new WebhookServer(client, { name: 'hooks', host: '127.0.0.1', port: 0, ...options }).mutate(
        'v1',
        'pods',
        () => {},
      ),
    ShardMember: () => new ShardMember(client, { name: 'group', namespace: 'default', ...options }),
  };
  for (const [name, make] of Object.entries(kinds)) {
    it(`${name} may be closed twice before it has begun, and does not run after that`, async () => {
      const one = make();
      await runtime.run(Promise.all([one.close(), one.close(), one[Symbol.asyncDispose]()]));
      const ended = await runtime.run(one.run().catch((error: unknown) => error));
      expect(
        isListwatchError(ended, 'ALREADY_STARTED') || isListwatchError(ended, 'CLOSED'),
        String(ended),
      ).to.equal(true);
    });

    it(`${name} resolves when its signal has aborted, and runs once`, async () => {
      const one = make();
      await runtime.run(one.run({ signal: AbortSignal.abort() }));
      const ended = await runtime.run(one.run().catch((error: unknown) => error));
      expect(
        isListwatchError(ended, 'ALREADY_STARTED') || isListwatchError(ended, 'CLOSED'),
        String(ended),
      ).to.equal(true);
    });
  }
});

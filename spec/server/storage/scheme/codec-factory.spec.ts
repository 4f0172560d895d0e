import { expect } from 'chai';
import { seededRandom } from '../../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../../lib/meta/object.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import { CodecFactory, codecFor } from '../../../../lib/server/storage/scheme/codec-factory.ts';
import { Scheme } from '../../../../lib/server/storage/scheme/scheme.ts';
import { envelope, message } from '../../../meta/protobuf/protobuf-writer.ts';

const GROUP = 'example.io';
const V1 = { group: GROUP, version: 'v1', kind: 'Widget' };
const V2 = { group: GROUP, version: 'v2', kind: 'Widget' };
const CONFIG_MAP = { group: '', version: 'v1', kind: 'ConfigMap' };

interface Sized extends KubernetesObject {
  size?: number;
}

interface Measured extends KubernetesObject {
  dimensions: { size: number };
}

/** v1 has a size, which is 1 unless it says something else; v2 keeps it in dimensions, and is what is in memory. */
function scheme(): Scheme {
  return new Scheme()
    .addKnownType(V1)
    .addKnownType(V2)
    .addKnownType(CONFIG_MAP)
    .setVersionPriority(GROUP, ['v2'])
    .addDefaulting<Sized>(V1, (one) => {
      one.size ??= 1;
    })
    .addConversion<Sized, Measured>(V1, V2, ({ size = 0, ...rest }) => ({
      ...rest,
      dimensions: { size },
    }))
    .addConversion<Measured, Sized>(V2, V1, ({ dimensions, ...rest }) => ({
      ...rest,
      size: dimensions.size,
    }));
}

const widget = (size: number): Measured => ({
  apiVersion: 'example.io/v2',
  kind: 'Widget',
  metadata: { name: 'a' },
  dimensions: { size },
});

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

function randomObject(random: () => number): UnstructuredObject {
  const words = [
    '',
    'a',
    'b',
    '0',
    '10',
    '__proto__',
    'constructor',
    'toJSON',
    'ü"\\\n',
    '\u2028',
    '<<',
    'yes',
    '0644',
    '😀',
  ];
  const word = (): string => words[Math.floor(random() * words.length)]!;
  const value = (depth: number): unknown => {
    const choice = Math.floor(random() * (depth > 4 ? 5 : 7));
    if (choice === 0) return word();
    if (choice === 1) return Math.floor((random() - 0.5) * 1e9);
    if (choice === 2) return random() * 10 ** Math.floor(random() * 40 - 20);
    if (choice === 3) return random() < 0.5;
    if (choice === 4) return null;
    if (choice === 5) return Array.from({ length: random() * 4 }, () => value(depth + 1));
    return record(depth + 1);
  };
  const record = (depth: number): object =>
    Object.fromEntries(Array.from({ length: random() * 5 }, () => [word(), value(depth)]));
  return {
    ...record(0),
    apiVersion: 'example.io/v2',
    kind: 'Widget',
    metadata: record(1),
    dimensions: { size: 1 },
  };
}

/** The same content with the fields of every object in another order. */
function shuffled(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, shuffled(field, random)]);
  return Object.fromEntries(
    entries
      .map((entry) => ({ entry, place: random() }))
      .toSorted((left, right) => left.place - right.place)
      .map(({ entry }) => entry),
  );
}

describe('CodecFactory', () => {
  it('reads any encoding and version, with defaults, into the hub version', () => {
    const factory = new CodecFactory(scheme());
    const samples = [
      '{"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"a"}}',
      'apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}\nsize: 1\n',
      '{"apiVersion":"example.io/v2","kind":"Widget","metadata":{"name":"a"},"dimensions":{"size":1}}',
    ];
    for (const sample of samples) {
      expect(factory.decode(Buffer.from(sample)), sample).to.deep.equal(widget(1));
    }
    const protobuf = envelope('v1', 'ConfigMap', message([2, message([1, 'a'], [2, 'b'])]));
    expect(factory.decode(protobuf)).to.deep.include({ kind: 'ConfigMap', data: { a: 'b' } });
    const wrapped = envelope('', '', Buffer.from(samples[0]!), { contentType: 'application/json' });
    expect(factory.decode(wrapped)).to.deep.equal(widget(1));
  });

  it('gives an object as its bytes have it, where that is asked for', () => {
    const bytes = Buffer.from('{"apiVersion":"example.io/v1","kind":"Widget"}');
    expect(new CodecFactory(scheme()).deserialize(bytes)).to.deep.equal({
      apiVersion: 'example.io/v1',
      kind: 'Widget',
    });
  });

  it('writes the storage version, and leaves the object as it was', () => {
    const codec = codecFor<Measured>(scheme(), { storageVersion: V1 });
    const object = widget(3);
    expect(text(codec.encode(object))).to.equal(
      '{"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"a"},"size":3}',
    );
    expect(object).to.deep.equal(widget(3));
    expect(codec.decode(codec.encode(object))).to.deep.equal(object);
  });

  it('names what it cannot read or write', () => {
    const known = scheme();
    const codec = codecFor(known, { storageVersion: V1 });
    const codeOf = (run: () => unknown): string => {
      try {
        run();
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'none';
    };
    expect(codeOf(() => codec.decode(Buffer.from('{"kind":"Widget"}')))).to.equal('UNKNOWN_KIND');
    expect(codeOf(() => codec.decode(Buffer.from('{"kind":')))).to.equal('MALFORMED_OBJECT');
    expect(codeOf(() => codec.decode(Buffer.from([1, 2])))).to.equal('UNSUPPORTED_ENCODING');
    expect(codeOf(() => codec.encode({ ...widget(1), kind: 'Gadget' }))).to.equal('UNKNOWN_KIND');
    known.addKnownType({ ...V2, kind: 'Gadget' });
    expect(codeOf(() => codec.encode({ ...widget(1), kind: 'Gadget' }))).to.equal('UNKNOWN_KIND');
    known.addKnownType({ ...V1, kind: 'Gadget' });
    expect(codeOf(() => codec.encode({ ...widget(1), kind: 'Gadget' }))).to.equal('NO_CONVERSION');
    expect(
      codeOf(() => codec.encode({ apiVersion: 'example.io/v2', kind: 'Widget', run: () => 1 })),
    ).to.equal('BAD_REQUEST');
    expect(
      codeOf(() => codecFor(known, { storageVersion: { group: GROUP, version: 'v9' } })),
    ).to.equal('UNKNOWN_KIND');
  });

  it('keeps internal versions in memory', () => {
    const internal = { ...V1, version: '__internal' };
    const same = (one: UnstructuredObject): UnstructuredObject => one;
    const known = new Scheme()
      .addKnownType(V1)
      .addKnownType(internal, { internal: true })
      .addConversion(V1, internal, same)
      .addConversion(internal, V1, same);
    const codec = codecFor(known, { storageVersion: V1 });
    const stored = Buffer.from('{"apiVersion":"example.io/v1","kind":"Widget","metadata":{}}');
    const object = codec.decode(stored);
    expect(object.apiVersion).to.equal('example.io/__internal');
    expect(text(codec.encode(object))).to.equal(text(stored));
    expect(() => codec.decode(Buffer.from(text(stored).replace('/v1', '/__internal')))).to.throw(
      'is internal',
    );
    expect(() => codecFor(known, { storageVersion: internal })).to.throw('knows no kind');
  });

  it('refuses a field that occurs twice when it is strict', () => {
    const bytes = Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","a":"2"}}');
    expect(new CodecFactory(scheme()).decode(bytes)).to.have.nested.property('data.a', '2');
    const strict = new CodecFactory(scheme(), { strict: true }).codecFor({
      storageVersion: CONFIG_MAP,
    });
    expect(() => strict.decode(bytes)).to.throw('the field "a" occurs twice');
  });

  it('gives back what was written, and the same bytes for every order of the fields', () => {
    const random = seededRandom('objects');
    const codecs = [V1, V2].map((storageVersion) => codecFor(scheme(), { storageVersion }));
    for (let round = 0; round < 2_000; round += 1) {
      const object = randomObject(random);
      delete (object.metadata as { resourceVersion?: string }).resourceVersion;
      for (const codec of codecs) {
        const bytes = codec.encode(object);
        expect(codec.decode(bytes)).to.deep.equal(object);
        const again = codec.encode(shuffled(object, random) as UnstructuredObject);
        expect(text(again)).to.equal(text(bytes));
        expect(text(codec.encode(codec.decode(bytes)))).to.equal(text(bytes));
      }
    }
  });
});

describe('KeyValueStorage with the codec of a scheme', () => {
  const PREFIX = '/registry/example.io/widgets/';
  const KEY = `${PREFIX}shop/a`;
  const OLD = '{"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"a"},"size":3}';
  let store: EmbeddedKeyValueStore;
  let storage: KeyValueStorage<Measured>;

  const storageFor = (storageVersion: typeof V1): KeyValueStorage<Measured> =>
    new KeyValueStorage<Measured>({
      store,
      resourcePrefix: PREFIX,
      codec: codecFor<Measured>(scheme(), { storageVersion }),
      runtime: new VirtualRuntime(),
    });

  const put = async (value: string | Uint8Array): Promise<void> => {
    const operation = { type: 'put', key: KEY, value: Buffer.from(value) } as const;
    await store.txn({ compare: [], success: [operation], failure: [] });
  };

  const stored = async (): Promise<string> =>
    text((await store.range({ key: KEY })).items[0]!.value);

  beforeEach(() => {
    store = new EmbeddedKeyValueStore({ runtime: new VirtualRuntime() });
    storage = storageFor(V2);
  });

  afterEach(async () => {
    await store.close();
  });

  it('reads what lies in an older version in the new one, as object and as bytes', async () => {
    await put(OLD);
    const found = await storage.get(KEY);
    const { items } = await storage.getList(PREFIX);
    for (const one of [found, items[0]]) {
      const { resourceVersion } = one!;
      const expected = { ...widget(3), metadata: { name: 'a', resourceVersion } };
      expect(one!.object).to.deep.equal(expected);
      expect(JSON.parse(text(one!.bytes))).to.deep.equal(expected);
      expect(one!.copy()).to.deep.equal(expected);
    }
  });

  it('rewrites it with the next update, even if nothing else changes, and then no more', async () => {
    await put(OLD);
    const before = await storage.get(KEY);
    const first = await storage.guaranteedUpdate(KEY, ({ existing }) => ({ object: existing! }));
    expect(first.resourceVersion).not.to.equal(before!.resourceVersion);
    expect(await stored()).to.equal(
      '{"apiVersion":"example.io/v2","kind":"Widget","metadata":{"name":"a"},"dimensions":{"size":3}}',
    );
    const second = await storage.guaranteedUpdate(KEY, ({ existing }) => ({ object: existing! }));
    expect(second.resourceVersion).to.equal(first.resourceVersion);
  });

  it('rewrites it also when the update starts from a copy in a cache', async () => {
    await put(OLD);
    const cachedExisting = await storage.get(KEY);
    const update = async (): Promise<string> =>
      (
        await storage.guaranteedUpdate(KEY, ({ existing }) => ({ object: existing! }), {
          cachedExisting,
        })
      ).resourceVersion;
    const first = await update();
    expect(first).not.to.equal(cachedExisting!.resourceVersion);
    expect(await update()).to.equal(first);
  });

  it('rewrites YAML and wrapped JSON as JSON', async () => {
    const others = [
      'apiVersion: example.io/v2\nkind: Widget\nmetadata: {name: a}\ndimensions: {size: 3}\n',
      envelope('', '', Buffer.from(OLD), { contentType: 'application/json' }),
    ];
    for (const other of others) {
      await put(other);
      await storage.guaranteedUpdate(KEY, ({ existing }) => ({ object: existing! }));
      expect(await stored()).to.match(/^\{"apiVersion":"example.io\/v2",.*"size":3/);
    }
  });

  it('writes an older version as long as others need it, and readers do not notice', async () => {
    const older = storageFor(V1);
    const created = await older.create(KEY, widget(5));
    expect(await stored())
      .to.contain('example.io/v1')
      .and.contain('"size":5}');
    const object = {
      ...widget(5),
      metadata: { name: 'a', resourceVersion: created.resourceVersion },
    };
    expect(created.object).to.deep.equal(object);
    expect(JSON.parse(text(created.bytes))).to.deep.equal(object);
    const same = await older.guaranteedUpdate(KEY, ({ existing }) => ({ object: existing! }));
    expect(same.resourceVersion).to.equal(created.resourceVersion);
  });

  it('delivers changes in the hub version', async () => {
    const watch = await storage.watch(PREFIX);
    await put(OLD);
    for await (const [event] of watch) {
      expect(event).to.have.property('type', 'ADDED');
      expect(event).to.have.nested.property('object.object.dimensions.size', 3);
      break;
    }
  });

  it('names the key of what no scheme can read', async () => {
    await put('{"apiVersion":"example.io/v7","kind":"Widget"}');
    const failure = await storage.get(KEY).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'CORRUPT_OBJECT');
    expect(failure).to.have.property('message').that.contains('example.io/v7').and.contains(KEY);
  });

  it('has the document of a value of the version in memory, whose kind is known and has no defaults', () => {
    const known = new Scheme()
      .addKnownType(V2)
      .addKnownType({ ...V2, kind: 'Filled' })
      .addDefaulting({ ...V2, kind: 'Filled' }, () => undefined)
      .addKnownType({ ...V2, kind: 'K'.repeat(257) })
      .setVersionPriority(GROUP, ['v2']);
    const codec = codecFor(known, { storageVersion: V2 });
    const isDocument = (kind: string): boolean => {
      const bytes = Buffer.from(`{"apiVersion":"${GROUP}/v2","kind":"${kind}","metadata":{}}`);
      return codec.documentOf?.(bytes) === bytes;
    };
    expect(isDocument('Widget')).to.equal(true);
    expect(isDocument('Filled')).to.equal(false);
    expect(isDocument('Unknown')).to.equal(false);
    expect(isDocument('K'.repeat(257))).to.equal(false);
  });
});

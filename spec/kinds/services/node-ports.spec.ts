import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import {
  NodePorts,
  PORT_OUTSIDE,
  PORT_TAKEN,
  TakenPorts,
} from '../../../lib/kinds/services/node-ports.ts';
import { KeyValueStorage } from '../../../lib/server/storage/key-value-storage.ts';

describe('TakenPorts', () => {
  it('takes each port from 30000 to 32767 once, and none beside', () => {
    const ports = new TakenPorts();
    expect(ports.take(29_999)).to.equal(PORT_OUTSIDE);
    expect(ports.take(32_768)).to.equal(PORT_OUTSIDE);
    for (const port of [30_000, 30_007, 30_008, 32_767]) {
      expect(ports.take(port), String(port)).to.equal(undefined);
      expect(ports.take(port), String(port)).to.equal(PORT_TAKEN);
    }
    expect([30_001, 30_006, 32_766, 32_768].filter((port) => ports.has(port))).to.deep.equal([]);
    ports.set(30_007, false);
    expect(ports.has(30_007)).to.equal(false);
    expect(ports.has(30_008)).to.equal(true);
  });

  it('is stored as the base64 of a big integer whose bits are the ports', () => {
    const ports = new TakenPorts();
    expect(ports.data).to.equal('');
    ports.set(30_000, true);
    ports.set(30_009, true);
    expect([...Buffer.from(ports.data, 'base64')]).to.deep.equal([2, 1]);
    const read = new TakenPorts(ports.data);
    expect([30_000, 30_001, 30_009].map((port) => read.has(port))).to.deep.equal([
      true,
      false,
      true,
    ]);
    read.load('');
    expect(read.has(30_000)).to.equal(false);
  });

  it('reads the lowest ports of data that are too long', () => {
    const long = Buffer.alloc(400);
    long[399] = 1;
    expect(new TakenPorts(long.toString('base64')).has(30_000)).to.equal(true);
  });

  it('gives ports above the first 86 until these are all that is left, then these, then none', () => {
    const runtime = new VirtualRuntime();
    const ports = new TakenPorts();
    const given = Array.from({ length: 2768 }, () => ports.takeNext(runtime) ?? 0);
    expect(Math.min(...given.slice(0, 2682))).to.equal(30_086);
    expect(Math.max(...given.slice(0, 2682))).to.equal(32_767);
    expect(Math.min(...given.slice(2682))).to.equal(30_000);
    expect(Math.max(...given.slice(2682))).to.equal(30_085);
    expect(new Set(given)).to.have.property('size', 2768);
    expect(ports.takeNext(runtime)).to.equal(undefined);
  });
});

describe('NodePorts', () => {
  const runtime = new VirtualRuntime();
  let store: EmbeddedKeyValueStore;
  let storage: KeyValueStorage<UnstructuredObject>;
  let ports: NodePorts;

  beforeEach(() => {
    store = new EmbeddedKeyValueStore({ runtime });
    storage = new KeyValueStorage({ store, resourcePrefix: '/registry/ranges', runtime });
    ports = new NodePorts(storage);
  });
  afterEach(async () => {
    await runtime.run(store.close());
  });

  it('stores no port of a change that throws, and those of the changes beside it', async () => {
    const first = ports.update((taken) => taken.take(30_001));
    const refused = ports.update((taken) => {
      taken.take(30_002);
      throw new Error('refused');
    });
    const last = ports.update((taken) => taken.take(30_003));
    const outcomes = await runtime.run(Promise.allSettled([first, refused, last]));
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    const taken = await runtime.run(ports.read());
    expect([30_001, 30_002, 30_003].filter((port) => taken.has(port))).to.deep.equal([
      30_001, 30_003,
    ]);
  });

  it('rejects all changes of a write that fails, and writes the next one', async () => {
    const write = storage.guaranteedUpdate.bind(storage);
    storage.guaranteedUpdate = () => Promise.reject(new Error('no storage'));
    const changes = [30_001, 30_002].map((port) => ports.update((taken) => taken.take(port)));
    const outcomes = await runtime.run(Promise.allSettled(changes));
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    storage.guaranteedUpdate = write;
    await runtime.run(ports.update((taken) => taken.take(30_003)));
    const taken = await runtime.run(ports.read());
    expect([30_001, 30_002, 30_003].filter((port) => taken.has(port))).to.deep.equal([30_003]);
  });
});

import { expect } from 'chai';
import type { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { apiRequest, fakeStorage, readAll, serve, storedObject, widget } from '../support.ts';

const SHOP = '/apis/example.io/v1/namespaces/shop/widgets';
const CHUNK = 128 * 1024;
const ITEMS = 5_000;

interface Rig {
  readonly runtime: VirtualRuntime;
  /** Bytes of objects that were made ready to be sent. */
  made: number;
  readonly open: (accept?: string) => Promise<AsyncIterable<Uint8Array>>;
}

/** A server of 5,000 widgets of 4 KB that counts what it makes of them. */
function rig(): Rig {
  const object = widget('a', '5', { text: 'x'.repeat(4_000) });
  const stored = storedObject(object);
  const item = {
    ...stored,
    pieces: (): readonly Uint8Array[] => {
      made.made += stored.bytes.length;
      return [stored.bytes];
    },
  };
  const items = Array.from({ length: ITEMS }, () => item);
  const list = () => Promise.resolve({ items, resourceVersion: '9' });
  const { runtime, handler } = serve(fakeStorage({ list }));
  const made: Rig = {
    runtime,
    made: 0,
    open: async (accept = 'application/json') => {
      const { body } = await handler(apiRequest('GET', SHOP, { headers: { accept } }));
      if (body instanceof Uint8Array) throw new Error('expected a stream');
      return body;
    },
  };
  return made;
}

describe('a large list', () => {
  it('is made no faster than its reader takes it', async () => {
    const served = rig();
    const { runtime } = served;
    let taken = 0;
    let furthest = 0;
    await runtime.run(async () => {
      for await (const chunk of await served.open()) {
        furthest = Math.max(furthest, served.made - taken);
        taken += chunk.length;
        await sleep(runtime, 100);
      }
    });
    expect(taken)
      .to.be.above(served.made)
      .and.above(ITEMS * 4_000);
    expect(furthest).to.be.below(2 * CHUNK + 10_000);
  });

  it('lets others have their turn, also while its reader takes all at once', async () => {
    const served = rig();
    const { runtime } = served;
    let turns = 0;
    let running = true;
    const next = (): void => {
      turns += 1;
      if (running) runtime.queueTask(next);
    };
    next();
    const text = await runtime.run(async () => {
      const all = await readAll(await served.open());
      running = false;
      return all;
    });
    expect((JSON.parse(text) as { items: UnstructuredObject[] }).items).to.have.length(ITEMS);
    expect(turns).to.be.at.least(Math.floor(text.length / (10 * CHUNK)));
  });

  it('is not made any further once its reader has gone', async () => {
    const served = rig();
    await served.runtime.run(async () => {
      let chunks = 0;
      for await (const _chunk of await served.open()) {
        chunks += 1;
        if (chunks === 20) break;
      }
    });
    const { made } = served;
    expect(made)
      .to.be.above(19 * CHUNK)
      .and.below(23 * CHUNK);
    await served.runtime.settle();
    expect(served.made).to.equal(made);
  });

  it('comes in slices as a table, too', async () => {
    const served = rig();
    let largest = 0;
    await served.runtime.run(async () => {
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      for await (const chunk of await served.open(accept)) {
        largest = Math.max(largest, (chunk.toString().match(/"cells"/g) ?? []).length);
      }
    });
    expect(largest).to.be.within(1, 1_000);
  });
});

describe('a table without rows', () => {
  const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

  it('is the same document for people as for programs', async () => {
    const list = () => Promise.resolve({ items: [], resourceVersion: '9' });
    const { runtime, handler } = serve(fakeStorage({ list }));
    const bodyOf = async (url: string): Promise<string> => {
      const answer = await handler(apiRequest('GET', url, { headers: { accept: TABLE } }));
      expect(answer.status).to.equal(200);
      return Buffer.from(answer.body as Uint8Array).toString();
    };
    await runtime.run(async () => {
      const plain = await bodyOf(SHOP);
      const document: unknown = JSON.parse(plain);
      expect(plain).to.equal(`${JSON.stringify(document)}\n`);
      expect(document).to.include({ kind: 'Table' }).and.have.property('rows');
      const indented = await bodyOf(`${SHOP}?pretty=true`);
      expect(indented).to.equal(JSON.stringify(document, undefined, 2));
    });
  });
});

import { NEWEST_MINOR } from '../../../../lib/meta/releases/kubernetes-releases.ts';
import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { failure } from '../../../../lib/meta/failure/api-error.ts';
import { alreadyExists, conflict, notFound } from '../../../../lib/meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { createBootstrapObjects } from '../../../../lib/server/api/storages/create-bootstrap-objects.ts';
import {
  bootstrapObjects,
  priorityClasses,
} from '../../../../lib/kinds/bootstrap/bootstrap-objects.ts';
import type { ServerParts } from '../../../../lib/server/registry/contract/subresource-parts.ts';

const RESOURCE = { group: 'scheduling.k8s.io', resource: 'priorityclasses' } as const;
const NAMES = priorityClasses().map(({ metadata }) => metadata?.name ?? '');

interface Store {
  /** Names of the priority classes that are there. */
  readonly present: readonly string[];
  readonly seed?: (name: string) => Promise<void>;
  readonly get?: () => Promise<void>;
}

/** The calls of the store of the priority classes, the only kind that is served. */
async function callsWith(
  { present, seed, get }: Store,
  runtime: VirtualRuntime = new VirtualRuntime(),
  signal?: AbortSignal,
): Promise<string[]> {
  const calls: string[] = [];
  const store = {
    get: async (_context: object, name: string) => {
      calls.push(`get ${name}`);
      await get?.();
      if (!present.includes(name)) throw notFound(RESOURCE, name);
      return {};
    },
    list: () => {
      calls.push('list');
      return Promise.resolve({ items: present.map((name) => ({ metadata: { name } })) });
    },
    seed: async ({ metadata }: UnstructuredObject) => {
      const { name = '' } = metadata ?? {};
      calls.push(`seed ${name}`);
      await seed?.(name);
    },
  };
  const storeOf = (_group: string, resource: string): unknown =>
    resource === RESOURCE.resource ? store : undefined;
  const parts = { runtime, storeOf } as unknown as ServerParts;
  await runtime.run(createBootstrapObjects(parts, bootstrapObjects(NEWEST_MINOR), signal));
  return calls;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('the bootstrap objects of a kind', () => {
  const [first = '', ...others] = NAMES;
  const seeds = NAMES.map((name) => `seed ${name}`);

  it('are created without a list, which would start a watch cache, in a store that has none', async () => {
    expect(await callsWith({ present: [] })).to.deep.equal([`get ${first}`, ...seeds]);
  });

  it('are left as they are where they are, and created where they are missing', async () => {
    expect(await callsWith({ present: NAMES })).to.deep.equal([`get ${first}`, 'list']);
    expect(await callsWith({ present: [first] })).to.deep.equal([
      `get ${first}`,
      'list',
      ...others.map((name) => `seed ${name}`),
    ]);
  });

  it('may be created by another server at the same time', async () => {
    const seed = (name: string): Promise<void> => Promise.reject(alreadyExists(RESOURCE, name));
    expect(await callsWith({ present: [], seed })).to.deep.equal([`get ${first}`, ...seeds]);
  });

  it('are missed with the error of the storage', async () => {
    const broken = conflict(RESOURCE, first, 'broken');
    const refuse = (): Promise<void> => Promise.reject(broken);
    expect(await failureOf(callsWith({ present: [], seed: refuse }))).to.equal(broken);
    expect(await failureOf(callsWith({ present: [], get: refuse }))).to.equal(broken);
  });

  describe('in a storage that does not answer in time', () => {
    const unanswered = failure('Timeout', 'it is not known whether it was carried out');

    it('are created again after a second', async () => {
      const runtime = new VirtualRuntime();
      let writes = 0;
      const seed = async (): Promise<void> => {
        writes += 1;
        if (writes === 1) throw unanswered;
      };
      const calls = await callsWith({ present: [], seed }, runtime);
      expect(calls).to.deep.equal([`get ${first}`, ...seeds, `get ${first}`, ...seeds]);
      expect(runtime.monotonicMs()).to.equal(1_000);
    });

    it('are given up after half a minute', async () => {
      const runtime = new VirtualRuntime();
      const get = (): Promise<void> => Promise.reject(unanswered);
      expect(await failureOf(callsWith({ present: [], get }, runtime))).to.equal(unanswered);
      expect(runtime.monotonicMs()).to.equal(30_000);
    });

    it('are given up with their server', async () => {
      const runtime = new VirtualRuntime();
      const closing = new AbortController();
      const reason = new Error('closed');
      runtime.setTimer(1_500, () => {
        closing.abort(reason);
      });
      const get = (): Promise<void> => Promise.reject(unanswered);
      const work = callsWith({ present: [], get }, runtime, closing.signal);
      expect(await failureOf(work)).to.equal(reason);
      expect(runtime.monotonicMs()).to.equal(1_500);
    });
  });
});

import { expect } from 'chai';
import { Harness } from '../support/informer-harness.ts';
import { pod, type Pod } from '../support/objects.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

const relabel = (object: Pod): Pod => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { transformed: object.metadata.labels ? 'twice' : 'once' },
  },
});

interface Filled {
  readonly objects: readonly Pod[];
  /** Only in the order of arrival does a cache say at which version it is. */
  readonly consistent: boolean | undefined;
}

describe('A streaming list and a plain list', () => {
  for (const order of ['arrival', 'key'] as const) {
    for (const [how, transform] of [
      ['as they come', undefined],
      ['transformed once', relabel],
    ] as const) {
      async function fill(watchList: boolean): Promise<Filled> {
        const objects = NAMES.map((name) => pod(name));
        const harness = new Harness({ objects, order, transform, watchList, silenceProbeMs: 0 });
        await harness.start();
        const lists = harness.source.requests.filter(({ kind }) => kind === 'list').length;
        expect(lists).to.equal(watchList ? 0 : 1);
        const { informer, runtime } = harness;
        const audit = order === 'arrival' ? await runtime.run(informer.audit()) : undefined;
        const filled = informer.indexer.list().toSorted(byName);
        await harness.stop();
        return { objects: filled, consistent: audit?.consistent };
      }

      it(`fill a cache with the same objects, ${how}, in the order of ${order}`, async () => {
        const [streamed, listed] = [await fill(true), await fill(false)];
        expect(streamed).to.deep.equal(listed);
        expect(streamed.consistent).to.equal(order === 'arrival' ? true : undefined);
        const labels = streamed.objects.map(({ metadata }) => metadata.labels?.['transformed']);
        expect(labels).to.deep.equal(
          NAMES.map(() => (transform === undefined ? undefined : 'once')),
        );
      });
    }
  }
});

function byName(left: Pod, right: Pod): number {
  return left.metadata.name! < right.metadata.name! ? -1 : 1;
}

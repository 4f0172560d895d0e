import { expect } from 'chai';
import type { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { connect } from '../../../../lib/client/rest/connect.ts';
import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { within } from '../../../support/until.ts';
import { rejectionOf } from '../../support/failure-of.ts';
import { bytesFrom, podCluster, Relay } from './support.ts';

type Pods = ResourceClient<UnstructuredObject>;

/** The failure of a stream whose connection is reset after this change of the pod. */
async function failureAfter(
  change: (pods: Pods) => Promise<unknown>,
  open: (pods: Pods) => Promise<{ readonly output: AsyncIterable<unknown> }>,
): Promise<ListwatchError> {
  const wait = (): Promise<never> => new Promise(() => {});
  await using cluster = await podCluster({
    exec: async ({ stdout }) => {
      await stdout.write('half');
      return await wait();
    },
    attach: async ({ stdout }) => {
      await stdout.write('half');
      await wait();
    },
    portForward: async ({ outgoing }) => {
      await outgoing.write('half');
      await wait();
    },
  });
  await using relay = await Relay.to(cluster.server.url);
  const { token } = cluster.server.clientConfig();
  await using client = await connect({ server: relay.url, token, logger: silentLogger });
  const pods = client.resource<UnstructuredObject>('v1', 'pods', { namespace: 'default' });
  const { output } = await open(pods);
  const iterator = output[Symbol.asyncIterator]();
  await within(iterator.next(), 'the first half');
  await change(cluster.pods);
  relay.cut();
  const rest = bytesFrom({ [Symbol.asyncIterator]: () => iterator });
  return (await within(rejectionOf(rest), 'the failure')) as ListwatchError;
}

const WAYS: Readonly<
  Record<string, (pods: Pods) => Promise<{ readonly output: AsyncIterable<unknown> }>>
> = {
  exec: async (pods) => ({ output: (await pods.spawn('web', ['run'])).stdout }),
  attach: async (pods) => ({ output: (await pods.attach('web')).stdout }),
  connect: async (pods) => ({ output: await pods.connect('web', 80) }),
};

const CHANGES: readonly (readonly [string, (pods: Pods) => Promise<unknown>, string, RegExp])[] = [
  [
    'whose pod has ended',
    (pods) =>
      pods.patch(
        'web',
        { status: { phase: 'Failed', reason: 'Evicted' } },
        { subresource: 'status' },
      ),
    'POD_NOT_RUNNING',
    /the pod has ended: its phase is Failed \(Evicted\); wait until the pod is Ready/,
  ],
  [
    'whose pod was deleted',
    (pods) => pods.delete('web', { gracePeriodSeconds: 0 }),
    'POD_NOT_RUNNING',
    /the pod no longer exists; wait until the pod is Ready, or choose one that runs/,
  ],
  [
    'whose pod runs on',
    (pods) => pods.get('web'),
    'CONNECTION_FAILED',
    /cut in the middle.*try again$/,
  ],
];

for (const [what, change, code, message] of CHANGES) {
  describe(`a stream ${what} when its connection is reset`, () => {
    for (const [way, open] of Object.entries(WAYS)) {
      it(`of ${way} fails with ${code}, in one line with cause and remedy`, async () => {
        const failure = await failureAfter(change, open);
        expect(failure).to.include({ code });
        expect(failure.message).to.match(message).and.not.include('\n');
      });
    }
  });
}

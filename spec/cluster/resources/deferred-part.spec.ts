import { expect } from 'chai';
import type { ClusterPart } from '../../../lib/cluster/resources/cluster-parts.ts';
import { DeferredPart } from '../../../lib/cluster/resources/deferred-part.ts';
import type { ResourceMonitors } from '../../../lib/cluster/resources/resource-monitors.ts';

type Handler = Parameters<ResourceMonitors['addHandler']>[0];

/** A part that is made on demand, its log, and the handler that the monitors have got. */
function sleeping(): { part: DeferredPart; handler: () => Handler; log: string[] } {
  const log: string[] = [];
  const handlers: Handler[] = [];
  const made: ClusterPart = {
    start: () => void log.push('start'),
    pending: () => 'some work',
    [Symbol.asyncDispose]: () => Promise.resolve(void log.push('end')),
  };
  const part = new DeferredPart({
    monitors: { addHandler: (handler) => void handlers.push(handler) },
    resources: ['deployments.apps'],
    concerns: ({ name }) => name !== 'of the cluster',
    make: () => {
      log.push('make');
      return made;
    },
  });
  return { part, log, handler: () => handlers[0]! };
}

type Change = Parameters<NonNullable<Handler['present']>>;

/** A change of an object; the resource does not matter here. */
function changeOf(name: string): Change {
  return [{}, { name }, undefined] as unknown as Change;
}

const CHANGE = changeOf('web');

describe('a deferred part of a cluster', () => {
  it('is made with the first object of its resources, and once', () => {
    const { part, handler, log } = sleeping();
    part.start();
    expect(log).to.deep.equal([]);
    expect(part.isAwake).to.equal(false);
    expect(handler().resources).to.deep.equal(['deployments.apps']);
    handler().present?.(...CHANGE);
    handler().present?.(...CHANGE);
    expect(log).to.deep.equal(['make', 'start']);
    expect(part.isAwake).to.equal(true);
    expect(part.pending()).to.equal('some work');
  });

  it('is not made for an object that does not concern it', () => {
    const { part, handler, log } = sleeping();
    handler().present?.(...changeOf('of the cluster'));
    expect(log).to.deep.equal([]);
    expect(part.pending()).to.equal(undefined);
  });

  it('ends with the cluster, and is not made after it', async () => {
    const awake = sleeping();
    awake.handler().present?.(...CHANGE);
    await awake.part[Symbol.asyncDispose]();
    expect(awake.log).to.deep.equal(['make', 'start', 'end']);

    const asleep = sleeping();
    await asleep.part[Symbol.asyncDispose]();
    asleep.handler().present?.(...CHANGE);
    expect(asleep.log).to.deep.equal([]);
  });
});

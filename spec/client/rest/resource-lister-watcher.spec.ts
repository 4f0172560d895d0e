import { expect } from 'chai';
import type {
  ListerWatcher,
  WatchAhead,
  WatchRequest,
} from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { withKnownValues, type KnownValueOf } from '../../../lib/meta/json/known-values.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { failureOf } from '../support/failure-of.ts';
import { ScriptedTransport } from '../support/scripted-transport.ts';

/** It is no JSON, so that a decoder accepts it only when it is known. */
const SPEC = '{:::}';
const EVENT = `{"type":"MODIFIED","object":{"metadata":{"name":"a","namespace":"shop","resourceVersion":"2"},"spec":${SPEC}}}\n`;

function sourceOf(body: unknown): ListerWatcher<ObjectView> {
  const transport = new ScriptedTransport(() => ({ body }));
  return new Client({ transport }).listerWatcher({ apiVersion: 'v1', resource: 'pods' });
}

async function namesOf(
  source: ListerWatcher<ObjectView>,
  request: WatchRequest = {},
): Promise<unknown[]> {
  const names: unknown[] = [];
  for await (const batch of await source.watch(request)) {
    for (const event of batch)
      if (event.type !== 'BOOKMARK') names.push(event.object.metadata.name);
  }
  return names;
}

describe('ResourceListerWatcher with known values', () => {
  const asked: string[] = [];
  const knownValueOf: KnownValueOf = (name, namespace) => {
    asked.push(`${namespace}/${name}`);
    return { bytes: Buffer.from(SPEC), start: 0, end: SPEC.length };
  };

  beforeEach(() => {
    asked.length = 0;
  });

  it('does not scan what is known, and asks once for each event', async () => {
    const body = [EVENT, EVENT];
    expect((await failureOf(namesOf(sourceOf(body)))).code).to.equal('MALFORMED_FRAME');
    expect(await namesOf(withKnownValues(sourceOf(body), knownValueOf))).to.deep.equal(['a', 'a']);
    expect(asked).to.deep.equal(['shop/a', 'shop/a']);
  });

  it('is described and listed as before', async () => {
    const source = sourceOf({
      kind: 'PodList',
      metadata: { resourceVersion: '7' },
      items: [{ metadata: { name: 'a' } }],
    });
    const derived = withKnownValues(source, knownValueOf);
    expect(derived.description).to.equal('pods');
    expect(derived.supportsWatchList).to.equal(source.supportsWatchList);
    const { items, resourceVersion } = await derived.list({});
    expect(resourceVersion).to.equal('7');
    expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['a']);
    expect(asked).to.deep.equal([]);
  });

  it('calls a watch that was put in place of its own', async () => {
    const source = sourceOf([EVENT]);
    const requests: WatchRequest[] = [];
    source.watch = (request) => {
      requests.push(request);
      return Promise.resolve((async function* none() {})());
    };
    expect(
      await namesOf(withKnownValues(source, knownValueOf), { resourceVersion: '1' }),
    ).to.deep.equal([]);
    expect(requests).to.deep.equal([{ resourceVersion: '1' }]);
  });
});

describe('ResourceListerWatcher behind an interception', () => {
  it('has the watches ahead of what stands in front of it, but for a watch that was put in place of its own', () => {
    const client = new Client({ transport: new ScriptedTransport(() => ({ body: '' })) });
    const own: WatchAhead<ObjectView> = {
      answered: Promise.resolve(),
      take: () => undefined,
      destroy: () => {},
    };
    using _interception = client.intercept((source) =>
      Object.assign(Object.create(source) as typeof source, { watchAhead: () => own }),
    );
    const source = client.listerWatcher({ apiVersion: 'v1', resource: 'pods' });
    expect(source.watchAhead?.({})).to.equal(own);
    expect(
      withKnownValues<ListerWatcher<ObjectView>>(source, () => undefined).watchAhead?.({}),
    ).to.equal(own);
    source.watch = () => Promise.reject(new Error('not asked for'));
    expect(source.watchAhead?.({})).to.equal(undefined);
  });

  it('has none of its own', () => {
    expect(sourceOf('').watchAhead?.({})).to.equal(undefined);
  });
});

import { expect } from 'chai';
import type {
  ListerWatcher,
  WatchRequest,
} from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import type { KnownValueOf } from '../../../lib/meta/json/known-values.ts';
import type { HasMetadata } from '../../../lib/meta/object.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { FakeCache } from '../../recorder/support/fake-cache.ts';
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

describe('ResourceListerWatcher', () => {
  const asked: string[] = [];
  const knownValueOf: KnownValueOf = (name, namespace) => {
    asked.push(`${namespace}/${name}`);
    return { bytes: Buffer.from(SPEC), start: 0, end: SPEC.length };
  };
  const cache = Object.assign(new FakeCache(), { knownValueOf });

  beforeEach(() => {
    asked.length = 0;
  });

  it('does not scan what the asking cache knows, and asks it once for each event', async () => {
    const body = [EVENT, EVENT];
    expect((await failureOf(namesOf(sourceOf(body)))).code).to.equal('MALFORMED_FRAME');
    expect(await namesOf(sourceOf(body), { cache })).to.deep.equal(['a', 'a']);
    expect(asked).to.deep.equal(['shop/a', 'shop/a']);
  });

  it('does so behind an interception, too', async () => {
    const client = new Client({ transport: new ScriptedTransport(() => ({ body: [EVENT] })) });
    using _interception = client.intercept((source) => ({
      description: 'intercepted',
      list: (request, onItems) => source.list(request, onItems),
      watch: (request) => source.watch(request),
    }));
    const source = client.listerWatcher({ apiVersion: 'v1', resource: 'pods' });
    expect(await namesOf(source, { cache })).to.deep.equal(['a']);
  });

  it('refuses another method in place of its own, as it may share a watch by what it reads', () => {
    const source = sourceOf('');
    const replace = (): unknown => Object.assign(source, { watch: () => source.watch({}) });
    expect(replace).to.throw(TypeError);
  });

  it('puts a decorator behind the interceptions of its client', async () => {
    const client = new Client({ transport: new ScriptedTransport(() => ({ body: '' })) });
    const log: string[] = [];
    const logged =
      (name: string) =>
      <V extends HasMetadata>(source: ListerWatcher<V>): ListerWatcher<V> => ({
        description: name,
        list: (request, onItems) => source.list(request, onItems),
        watch: (request) => {
          log.push(name);
          return source.watch(request);
        },
      });
    using _interception = client.intercept(logged('interception'));
    const source = client.listerWatcher({ apiVersion: 'v1', resource: 'pods' });
    await source.supports?.decorated?.(logged('decorator')).watch({});
    expect(log).to.deep.equal(['interception', 'decorator']);
  });
});

import { expect } from 'chai';
import { tooManyRequests } from '../../../../lib/meta/failure/failures.ts';
import { Harness } from '../../support/informer-harness.ts';
import { pod, rejection } from '../../support/objects.ts';

async function started(): Promise<Harness> {
  const harness = new Harness({ objects: [pod('a')], silenceProbeMs: 0 });
  await harness.start();
  return harness;
}

/** The requests since `before`, each with its limit or its seconds. */
function asked({ source }: Harness, before: number): string[] {
  return source.requests
    .slice(before)
    .map(({ kind, request }) => `${kind} ${request.limit ?? request.timeoutSeconds}`);
}

describe('caughtUp() without a version', () => {
  it('asks for the version with a list of one item, and nothing more if the cache has it', async () => {
    const harness = await started();
    const before = harness.source.requests.length;
    await harness.runtime.run(harness.informer.caughtUp({ timeoutMs: 1000 }));
    expect(asked(harness, before)).to.deep.equal(['list 1']);
    await harness.stop();
  });

  it('waits for the changes that the server had, whatever holds them back', async () => {
    const harness = await started();
    const { source, informer, runtime } = harness;
    source.pause();
    source.add(pod('b'));
    let caughtUp = false;
    const waiting = informer.caughtUp().then(() => {
      caughtUp = true;
    });
    await runtime.advance(20_000);
    expect(caughtUp).to.equal(false);
    source.resume();
    await runtime.run(waiting);
    expect(informer.indexer.has('shop/b')).to.equal(true);
    await harness.stop();
  });

  it('resolves with the event of the own watch before it asks for changes', async () => {
    const harness = await started();
    const { source, informer, runtime } = harness;
    source.pause();
    source.add(pod('b'));
    const before = source.requests.length;
    const waiting = informer.caughtUp();
    await runtime.advance(400);
    source.resume();
    await runtime.run(waiting);
    await runtime.advance(10_000);
    expect(asked(harness, before)).to.deep.equal(['list 1']);
    await harness.stop();
  });

  it('takes the word of a bookmark that a quiet collection has no change on its way', async () => {
    const harness = await started();
    const { source, informer, runtime } = harness;
    source.skipVersions(7);
    const before = source.requests.length;
    const waiting = informer.caughtUp();
    await runtime.advance(1000);
    expect(asked(harness, before)).to.deep.equal(['list 1', 'watch 3']);
    expect(informer.indexer.resourceVersion).to.equal('1');
    source.bookmark();
    await runtime.run(waiting);
    expect(source.openWatches, 'the second watch is closed').to.equal(1);
    await harness.stop();
  });

  it('asks again when a second watch ends without a bookmark', async () => {
    const harness = await started();
    const { source, informer, runtime } = harness;
    source.skipVersions(7);
    const before = source.requests.length;
    const waiting = rejection(informer.caughtUp({ timeoutMs: 20_000 }));
    const { code, message } = await runtime.run(waiting);
    expect(code).to.equal('TIMEOUT');
    expect(message).to.equal(
      'gave up after 20000 ms waiting for the cache of pods to reach resource version 8, that of the server',
    );
    expect(asked(harness, before)).to.deep.equal(['list 1', 'watch 3', 'watch 3', 'watch 3']);
    expect(source.openWatches).to.equal(1);
    await harness.stop();
  });

  it('rejects as the server does, when the informer stops, and when it was not started', async () => {
    const harness = await started();
    const { source, informer, runtime } = harness;
    source.failNext('list', tooManyRequests('busy', 1));
    expect(await runtime.run(rejection(informer.caughtUp()))).to.have.property(
      'code',
      'TOO_MANY_REQUESTS',
    );
    source.pause();
    source.add(pod('b'));
    const waiting = rejection(informer.caughtUp());
    await runtime.advance(1000);
    await harness.stop();
    expect(await waiting).to.have.property('code', 'CLOSED');
    const unstarted = new Harness();
    const { code } = await unstarted.runtime.run(rejection(unstarted.informer.caughtUp()));
    expect(code).to.equal('NOT_STARTED');
  });

  it('ends its requests with the signal', async () => {
    const harness = await started();
    const { source, informer, runtime } = harness;
    source.skipVersions(7);
    const abort = new AbortController();
    const waiting = rejection(informer.caughtUp({ signal: abort.signal }));
    await runtime.advance(1000);
    expect(source.openWatches).to.equal(2);
    abort.abort(new Error('enough'));
    expect(await waiting).to.have.property('message', 'enough');
    await runtime.advance(60_000);
    expect(source.openWatches).to.equal(1);
    await harness.stop();
  });

  it('needs one version of several namespaces, and none of no namespace', async () => {
    const several = new Harness({
      objects: [pod('a')],
      namespaces: ['shop'],
      inNamespace: () => several.source,
      silenceProbeMs: 0,
    });
    await several.start();
    several.source.skipVersions(3);
    const waiting = several.informer.caughtUp();
    await several.runtime.advance(30_000);
    several.source.bookmark();
    await several.runtime.run(waiting);
    await several.runtime.run(several.informer.setNamespaces([]));
    await several.runtime.run(several.informer.caughtUp({ timeoutMs: 1000 }));
    await several.stop();
  });
});

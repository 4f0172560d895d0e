import { expect } from 'chai';
import type { ErrorCode } from '../../../lib/kernel/failure/errors.ts';
import { failure } from '../../../lib/meta/failure/api-error.ts';
import type { StatusReason } from '../../../lib/meta/failure/status.ts';
import { Harness } from '../support/informer-harness.ts';
import { pod, rejection } from '../support/objects.ts';

const BAD_FIELD = failure('BadRequest', 'field label not supported: spec.x');

/** Runs an informer whose source refuses every list and watch. */
function refused(reason: StatusReason): Harness {
  const harness = new Harness({ objects: [pod('a')] });
  const error = failure(reason, 'no');
  for (const kind of ['list', 'watch-list'] as const) harness.source.failNext(kind, error, 1_000);
  return harness;
}

describe('an informer whose requests are refused for good', () => {
  it('fails at once for a selector that the server does not support', async () => {
    const { source, runtime, informer } = new Harness({ objects: [pod('a')] });
    for (const kind of ['list', 'watch-list'] as const) source.failNext(kind, BAD_FIELD, 1_000);
    const [run, synced] = await runtime.run(
      Promise.all([rejection(informer.run()), rejection(informer.whenSynced())]),
    );
    expect(run).to.equal(BAD_FIELD);
    expect(synced).to.equal(BAD_FIELD);
    expect(runtime.monotonicMs()).to.equal(0);
    expect(source.requests.length).to.be.within(2, 3);
  });

  it('says that it has failed, and why', async () => {
    const harness = refused('BadRequest');
    const { runtime, informer } = harness;
    const transitions: string[] = [];
    informer.events.on('transition', ({ to }) => transitions.push(to));
    await runtime.run(rejection(informer.run()));
    expect(informer.phase).to.equal('failed');
    expect(informer.failure?.code).to.equal('BAD_REQUEST');
    expect(informer.waitingFor).to.match(/^the first list of pods, which has failed: no$/);
    expect(informer.inspect()).to.include({ phase: 'failed', reflector: 'failed', synced: false });
    expect(transitions.at(-1)).to.equal('failed');
    expect((await rejection(informer.whenSynced())).code).to.equal('BAD_REQUEST');
  });

  const PERMANENT: readonly (readonly [StatusReason, ErrorCode])[] = [
    ['BadRequest', 'BAD_REQUEST'],
    ['Invalid', 'INVALID'],
    ['MethodNotAllowed', 'METHOD_NOT_ALLOWED'],
    ['NotAcceptable', 'NOT_ACCEPTABLE'],
    ['UnsupportedMediaType', 'UNSUPPORTED_MEDIA_TYPE'],
  ];
  for (const [reason, code] of PERMANENT) {
    it(`fails at once with ${code}`, async () => {
      const { runtime, informer } = refused(reason);
      const error = await runtime.run(rejection(informer.run()));
      expect(error.code).to.equal(code);
      expect(runtime.monotonicMs()).to.equal(0);
    });
  }

  const HEALING: readonly StatusReason[] = [
    'Unauthorized',
    'Forbidden',
    'NotFound',
    'TooManyRequests',
    'InternalError',
    'ServiceUnavailable',
  ];
  for (const reason of HEALING) {
    it(`tries again after ${reason}, and is synced when the server has another answer`, async () => {
      const harness = refused(reason);
      const { source, runtime, informer } = harness;
      harness.launch();
      await runtime.advance(60_000);
      expect(informer.phase).to.equal('running');
      expect(source.requests.length).to.be.above(3);
      source.heal();
      await runtime.run(informer.whenSynced({ timeoutMs: 60_000 }));
      await harness.stop();
    });
  }

  it('keeps its objects when a watch is refused after the first list, and fails', async () => {
    const { source, runtime, informer } = new Harness({ objects: [pod('a')] });
    const error = failure('MethodNotAllowed', 'no watch');
    source.failNext('watch-list', error, 1_000);
    source.failNext('watch', error, 1_000);
    const run = runtime.run(rejection(informer.run()));
    expect(await run).to.equal(error);
    expect(informer.synced).to.equal(true);
    expect(informer.indexer.size).to.equal(1);
  });

  it('tries a list at the most recent state before it fails', async () => {
    const { source, runtime, informer } = new Harness({ objects: [pod('a')] });
    source.failNext('watch-list', BAD_FIELD);
    source.failNext('list', BAD_FIELD);
    const run = informer.run();
    await runtime.run(informer.whenSynced({ timeoutMs: 1_000 }));
    expect(runtime.monotonicMs()).to.equal(0);
    await runtime.run(informer.close());
    await run;
  });

  it('fails for a source that refuses its own selector', async () => {
    const { source, runtime, informer } = new Harness({ objects: [pod('a')] });
    const error = Object.assign(new Error('bad selector'), {
      code: 'INVALID_SELECTOR',
      isListwatchError: true,
    });
    for (const kind of ['list', 'watch-list'] as const) source.failNext(kind, error, 1_000);
    expect(await runtime.run(rejection(informer.run()))).to.equal(error);
    expect(informer.phase).to.equal('failed');
  });

  it("tries again with onRefused: 'retry', reports each refusal, and is synced when the server answers", async () => {
    const harness = new Harness({ objects: [pod('a')], onRefused: 'retry' });
    const { source, runtime, informer } = harness;
    for (const kind of ['list', 'watch-list'] as const) source.failNext(kind, BAD_FIELD, 1_000);
    harness.launch();
    await runtime.advance(60_000);
    expect(informer.phase).to.equal('running');
    expect(harness.errors.length).to.be.above(3);
    for (const { error } of harness.errors) expect(error).to.equal(BAD_FIELD);
    source.heal();
    await runtime.run(informer.whenSynced({ timeoutMs: 60_000 }));
    await harness.stop();
  });
});

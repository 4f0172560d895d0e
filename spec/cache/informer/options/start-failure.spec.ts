import { expect } from 'chai';
import { unknownResource } from '../../../../lib/cache/informer/options/start-failure.ts';
import { failure } from '../../../../lib/meta/failure/api-error.ts';
import { forbidden, isNotFound } from '../../../../lib/meta/failure/failures.ts';
import { Harness, recorder } from '../../support/informer-harness.ts';
import { codeOf, pod, rejection } from '../../support/objects.ts';

const WIDGETS = { group: 'example.com', version: 'v1', resource: 'widgets' };
const MISSING = failure('NotFound', 'the server could not find the requested resource');

describe('unknownResource', () => {
  it('names group, version and resource, what the server said, and what to do', () => {
    const error = unknownResource(MISSING, WIDGETS);
    expect(error?.code).to.equal('RESOURCE_UNKNOWN');
    expect(error?.message)
      .to.include('widgets of example.com/v1')
      .and.include('could not find the requested resource')
      .and.include('install the CustomResourceDefinition');
    expect(error?.cause).to.equal(MISSING);
    expect(unknownResource(MISSING, { group: 'example.com', resource: 'widgets' })?.message) //
      .to.include('does not serve widgets.example.com (');
  });

  it('is about nothing but resources that are not served', () => {
    expect(unknownResource(forbidden(WIDGETS, '', 'no'), WIDGETS)).to.equal(undefined);
    expect(unknownResource(new Error('lost'), WIDGETS)).to.equal(undefined);
    expect(unknownResource(undefined, WIDGETS)).to.equal(undefined);
  });
});

describe('an informer of a resource that is not served', () => {
  it('keeps asking with growing delays, says so, and is synced when the resource comes', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    const { source, runtime, errors } = harness;
    for (const kind of ['list', 'watch-list'] as const) source.failNext(kind, MISSING, 1_000);
    harness.launch();
    await runtime.advance(120_000);
    const asked = source.requests.length;
    expect(asked).to.be.within(4, 40);
    expect(harness.informer.synced).to.equal(false);
    expect(errors.every(({ error }) => isNotFound(error))).to.equal(true);
    expect(harness.informer.waitingFor)
      .to.include('the first list of pods')
      .and.include('the server does not serve this resource');
    source.heal();
    await runtime.run(harness.informer.whenSynced({ timeoutMs: 60_000 }));
    expect(harness.informer.waitingFor).to.equal(undefined);
    await harness.stop();
  });

  it('ends at once with the option to fail, and rejects all waits', async () => {
    const harness = new Harness({ missingResource: 'fail', subject: WIDGETS });
    const { source, runtime, informer } = harness;
    for (const kind of ['list', 'watch-list'] as const) source.failNext(kind, MISSING, 1_000);
    const log: string[] = [];
    informer.addHandler(recorder(log));
    const [run, synced] = await runtime.run(
      Promise.all([rejection(informer.run()), rejection(informer.whenSynced())]),
    );
    expect(run.code).to.equal('RESOURCE_UNKNOWN');
    expect(synced).to.equal(run);
    expect(runtime.monotonicMs()).to.equal(0);
    expect(source.requests).to.have.length(1);
    expect((await rejection(informer.whenSynced())).code).to.equal('RESOURCE_UNKNOWN');
    await informer.close();
    expect(runtime.pending).to.equal(0);
  });

  it('ends, with the option to fail, when its resource is removed', async () => {
    const harness = new Harness({ missingResource: 'fail', objects: [pod('a')] });
    const { source, runtime, informer } = harness;
    const run = rejection(informer.run());
    await runtime.run(informer.whenSynced());
    for (const kind of ['list', 'watch', 'watch-list'] as const) source.failNext(kind, MISSING, 9);
    source.closeWatches();
    expect((await runtime.run(run)).code).to.equal('RESOURCE_UNKNOWN');
    expect(informer.lister.list()).to.have.length(1);
    await informer.whenSynced();
  });

  it('goes on, with the option to fail, after every other failure', async () => {
    const harness = new Harness({ missingResource: 'fail' });
    const refusal = forbidden({ group: '', resource: 'pods' }, '', 'no rule allows it');
    harness.source.failNext('watch-list', refusal);
    harness.source.failNext('list', refusal);
    await harness.start();
    expect(harness.errors).to.not.have.length(0);
    await harness.stop();
  });

  it('knows no other policy', () => {
    const make = (): unknown => new Harness({ missingResource: 'ignore' as 'wait' });
    expect(codeOf(make)).to.equal('INVALID_OPTION');
  });
});

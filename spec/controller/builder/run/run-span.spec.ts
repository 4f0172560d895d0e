import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { describeReason } from '../../../../lib/controller/change/reconcile-reasons.ts';
import type { Tracer } from '../../../../lib/kernel/report/tracer.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import type { ApiHandler } from '../../../../lib/server/http/api-request.ts';
import { RecordedSpans } from '../../../support/recorded-spans.ts';
import { ControllerWorld } from '../controller-world.ts';

const WRITE = 'PATCH /api/v1/namespaces/{namespace}/configmaps/{name}';
/** The time that an answer to a write takes, after its event has been delivered. */
const LATE_MS = 50;

interface Given {
  readonly tracer?: Tracer;
  /** The answers to writes come after their events. */
  readonly late?: boolean;
  readonly read?: () => Promise<void>;
}

describe('Two controllers, the second of which runs because the first has written', () => {
  let world: ControllerWorld;
  let spans: RecordedSpans;
  let client: Client;

  beforeEach(() => {
    world = new ControllerWorld();
    spans = new RecordedSpans();
  });
  afterEach(async () => {
    spans[Symbol.dispose]();
    await world.stop();
    await client.close();
  });

  const secrets = () => world.user.resource('v1', 'secrets', { namespace: 'default' });
  const maps = () => world.user.resource('v1', 'configmaps', { namespace: 'default' });

  /** `writer` makes a config map of each secret, which `reader` reconciles. */
  async function run({ tracer, late = false, read = async () => {} }: Given) {
    const { runtime, logger } = world.options;
    const handler: ApiHandler = async (request) => {
      const response = await world.server.handler(request);
      if (late && request.method !== 'GET') await sleep(runtime, LATE_MS);
      return response;
    };
    const transport = inProcessTransport(handler);
    client = new Client({ transport, runtime, logger, tracer, fieldManager: 'spec' });
    const options = { runtime, logger };
    const writer = controller(client, 'v1', 'secrets', { ...options, name: 'writer' }).reconcile(
      async ({ metadata: { name } }, { resource }) => {
        await resource('v1', 'configmaps').apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name },
          data: { of: name },
        });
      },
    );
    const reader = controller(client, 'v1', 'configmaps', { ...options, name: 'reader' }).reconcile(
      read,
    );
    await world.start(reader);
    await world.start(writer);
    await world.after(secrets().create({ metadata: { name: 'a' } }));
    await world.runtime.advance(10 * LATE_MS);
    return { writer, reader };
  }

  for (const late of [false, true]) {
    it(`links the reconcile to the span of the write${late ? ', also when the event comes before the answer' : ''}`, async () => {
      await run({ tracer: spans.tracer, late });
      const [cause] = spans.named('reconcile writer');
      const [write] = spans.named(WRITE);
      const [effect, ...more] = spans.named('reconcile reader');
      expect(more).to.deep.equal([]);
      expect(write?.parentSpanContext?.spanId).to.equal(cause?.spanContext().spanId);
      expect(write?.spanContext().traceId).to.equal(cause?.spanContext().traceId);
      expect(effect?.parentSpanContext).to.equal(undefined);
      const linked = effect?.links.map(({ context }) => context.spanId);
      expect(linked).to.deep.equal([write?.spanContext().spanId]);
      expect(effect?.links[0]?.attributes?.['listwatch.reason']).to.match(
        /^added v1\/configmaps default\/a @\d+, written by writer for default\/a$/,
      );
      const [seconds = 0] = effect?.duration ?? [];
      expect(seconds).to.equal(0);
      expect(effect?.duration[1]).to.be.lessThan(LATE_MS * 1e6);
    });
  }

  it('names controller, key, attempt, reasons and result in the span of a reconcile', async () => {
    let left = 1;
    const read = async (): Promise<void> => {
      left -= 1;
      if (left >= 0) throw new Error('no disk');
    };
    await run({ tracer: spans.tracer, read });
    const [failed, done, ...more] = spans.named('reconcile reader');
    expect(more).to.deep.equal([]);
    expect(failed?.kind).to.equal(0);
    expect(failed?.attributes).to.include({
      'listwatch.controller': 'reader',
      'listwatch.key': 'default/a',
      'listwatch.attempt': 1,
      'listwatch.result': 'failed',
    });
    expect(failed?.status).to.deep.equal({ code: 2, message: 'no disk' });
    expect(failed?.events.map(({ attributes }) => attributes?.['exception.message'])).to.deep.equal(
      ['no disk'],
    );
    expect(done?.attributes).to.deep.include({
      'listwatch.attempt': 2,
      'listwatch.result': 'done',
      'listwatch.reasons': ['retry (no disk)'],
    });
    expect(done?.status.code).to.equal(0);
  });

  it('links nothing to a change of another program, and not to a write that changed nothing', async () => {
    const { writer, reader } = await run({ tracer: spans.tracer });
    reader.pause();
    const labels = { by: 'another' };
    await world.after(maps().patch('a', { metadata: { labels } }, { fieldManager: 'another' }));
    // It is answered with the version of the other program.
    writer.enqueue('default/a');
    await world.runtime.settle();
    reader.resume();
    await world.runtime.settle();
    const links = spans.named('reconcile reader').map((span) => span.links.length);
    expect(links).to.deep.equal([1, 0]);
    expect(spans.named(WRITE)).to.have.length(2);
  });

  it('links the reconcile to a write of the program outside of controllers', async () => {
    const { reader } = await run({ tracer: spans.tracer });
    const own = client.resource('v1', 'configmaps', { namespace: 'default' });
    await world.after(own.update({ ...(await world.after(own.get('a'))), data: { of: 'b' } }));
    const [span] = spans.named(/^PUT/);
    const last = spans.named('reconcile reader').at(-1);
    expect(last?.links.map(({ context }) => context.spanId)).to.deep.equal([
      span?.spanContext().spanId,
    ]);
    expect(reader.inspect().history.at(-1)?.reasons[0]?.causedBy).to.equal(undefined);
  });

  it('links the reconcile to a deletion that finalizers hold up', async () => {
    await run({ tracer: spans.tracer });
    await world.after(maps().patch('a', { metadata: { finalizers: ['example.com/held'] } }));
    const { runtime, logger } = world.options;
    const remover = controller(client, 'v1', 'secrets', { runtime, logger, name: 'remover' })
      .owns('v1', 'configmaps')
      .reconcile(async (_secret, { resource }) => {
        await resource('v1', 'configmaps').delete('a');
      });
    await world.start(remover);
    const [span] = spans.named(/^DELETE/);
    const last = spans.named('reconcile reader').at(-1);
    expect(last?.links.map(({ context }) => context.spanId)).to.deep.equal([
      span?.spanContext().spanId,
    ]);
    await world.after(maps().patch('a', { metadata: { finalizers: [] } }));
  });

  for (const late of [false, true]) {
    it(`names the run that wrote in the history, without a tracer${late ? ', also when the event comes before the answer' : ''}`, async () => {
      const { reader } = await run({ late });
      const [{ reasons } = { reasons: [] }] = reader.inspect().history;
      expect(reasons.map(({ causedBy }) => causedBy)).to.deep.equal([
        { controller: 'writer', key: 'default/a' },
      ]);
      expect(describeReason(reasons[0]!)).to.match(/, written by writer for default\/a$/);
      expect(client.tracing).to.equal(undefined);
      expect(spans.named(/./)).to.deep.equal([]);
    });
  }

  it('names the run that wrote to another cluster', async () => {
    const { runtime, logger } = world.options;
    client = new Client({ transport: inProcessTransport(world.server.handler), runtime, logger });
    const east = new ApiServer({ runtime });
    const transport = inProcessTransport(east.handler);
    const cluster = { name: 'east', client: new Client({ transport, runtime, logger }) };
    const make = (name: string) =>
      controller(client, 'v1', 'secrets', { runtime, logger, name }).watches(
        'v1',
        'configmaps',
        ({ metadata }) => metadata,
        { cluster },
      );
    const writer = make('writer').reconcile(async ({ metadata: { name } }, { resource }) => {
      const maps = resource('v1', 'configmaps', { cluster: 'east' });
      await maps.patch(name, { data: { of: 'writer' } });
    });
    const reader = make('reader').reconcile(async () => {});
    const own = cluster.client.resource('v1', 'configmaps', { namespace: 'default' });
    await world.after(own.create({ metadata: { name: 'a' } }));
    await world.start(reader);
    await world.start(writer);
    await world.after(secrets().create({ metadata: { name: 'a' } }));
    const reasons = reader.inspect().history.flatMap((record) => record.reasons);
    const causes = reasons.filter(({ type }) => type === 'updated');
    expect(causes.map(({ resource, causedBy }) => ({ resource, causedBy }))).to.deep.equal([
      { resource: 'east:v1/configmaps', causedBy: { controller: 'writer', key: 'default/a' } },
    ]);
    await world.runtime.run(Promise.all([writer.close(), reader.close()]));
    await world.runtime.run(east.close());
  });
});

/** Ways in which a tracer breaks its contract; each is a tracer around a real one. */
const BROKEN: Readonly<Record<string, (real: Tracer) => Tracer>> = {
  'throws when a span is started': (real) => ({
    startSpan: () => fail(),
    startActiveSpan: (name, options, work) => real.startActiveSpan(name, options, work),
  }),
  'throws before it calls the work': (real) => ({
    startSpan: (name, options) => real.startSpan(name, options),
    startActiveSpan: () => fail(),
  }),
  'throws after it has called the work': (real) => ({
    startSpan: (name, options) => real.startSpan(name, options),
    startActiveSpan: (name, options, work) => {
      real.startActiveSpan(name, options, work);
      return fail();
    },
  }),
  rejects: (real) => ({
    startSpan: (name, options) => real.startSpan(name, options),
    startActiveSpan: (async () => fail()) as never,
  }),
  'gives spans that throw': (real) => ({
    startSpan: (name, options) => throwing(real.startSpan(name, options)),
    startActiveSpan: (name, options, work) =>
      real.startActiveSpan(name, options, (span) => work(throwing(span))),
  }),
  'gives nothing': () => ({
    startSpan: () => undefined as never,
    startActiveSpan: (_name, _options, work) => work(undefined as never),
  }),
};

function fail(): never {
  throw new Error('no exporter');
}

type Span = ReturnType<Tracer['startSpan']>;

function throwing(span: Span): Span {
  const context = span.spanContext();
  const methods = { setAttributes: fail, setStatus: fail, recordException: fail, end: fail };
  return { ...methods, addLinks: fail, isRecording: () => true, spanContext: () => context };
}

describe('A tracer that breaks its contract', () => {
  let world: ControllerWorld;
  let spans: RecordedSpans;

  beforeEach(() => {
    world = new ControllerWorld();
    spans = new RecordedSpans();
  });
  afterEach(async () => {
    spans[Symbol.dispose]();
    await world.stop();
  });

  for (const [what, broken] of Object.entries(BROKEN)) {
    it(`is reported once, and called no more: it ${what}`, async () => {
      const { runtime, logger } = world.options;
      const transport = inProcessTransport(world.server.handler);
      await using client = new Client({ transport, runtime, logger, tracer: broken(spans.tracer) });
      const runs: string[] = [];
      const one = controller(client, 'v1', 'configmaps', { runtime, logger }).reconcile(
        async ({ metadata: { name } }) => {
          runs.push(name);
        },
      );
      await world.start(one);
      const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
      for (const name of ['a', 'b']) await world.after(maps.create({ metadata: { name } }));
      expect(runs).to.deep.equal(['a', 'b']);
      const [line, ...more] = world.log.filter((text) => text.includes('tracer'));
      expect(more).to.deep.equal([]);
      expect(line).to.match(
        /^error: tracer failed: it threw, so no further spans are made; .*leave option "tracer" out: /,
      );
      await world.runtime.run(one.close());
    });
  }

  it('is called once for the work, also when it calls the work twice or not at all', async () => {
    for (const times of [0, 2]) {
      const { runtime, logger } = world.options;
      const transport = inProcessTransport(world.server.handler);
      const tracer: Tracer = {
        startSpan: (name, options) => spans.tracer.startSpan(name, options),
        startActiveSpan: (name, options, work) => {
          let result: unknown;
          for (let time = 0; time < times; time += 1) {
            result = spans.tracer.startActiveSpan(name, options, work);
          }
          return result as ReturnType<typeof work>;
        },
      };
      await using client = new Client({ transport, runtime, logger, tracer });
      let runs = 0;
      const one = controller(client, 'v1', 'configmaps', { runtime, logger }).reconcile(
        async () => {
          runs += 1;
        },
      );
      await world.start(one);
      const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
      const before = runs;
      await world.after(maps.create({ metadata: { name: `map-${times}` } }));
      expect(runs - before).to.equal(1);
      await world.runtime.run(one.close());
    }
  });
});

/** `npm run check -- traces-cost`: the time of reconciles without a tracer, with one that samples nothing, and with one that samples all. */
import { parseArgs } from 'node:util';
import { trace } from '@opentelemetry/api';
import { AlwaysOffSampler, AlwaysOnSampler } from '@opentelemetry/sdk-trace-node';
import { connect, controller, type Tracer } from 'listwatch';
import { ApiServer } from 'listwatch/server';
import { inProcessTransport } from 'listwatch/testing';
import { until } from '../../support/until.ts';
import { discardingTracer } from './discarding-tracer.ts';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
  },
});
const objects = Number(values.objects);
const rounds = Number(values.rounds);

const MODES: Readonly<Record<string, Tracer | undefined>> = {
  'without a tracer': undefined,
  'with a tracer, nothing sampled': discardingTracer(new AlwaysOffSampler(), 2 * objects),
  'with a tracer, all sampled': discardingTracer(new AlwaysOnSampler(), 2 * objects),
};

/** Milliseconds from the start of a controller until it has reconciled each object, which does nothing. */
async function timeOf(server: ApiServer, tracer: Tracer | undefined): Promise<number> {
  await using client = await connect({ transport: inProcessTransport(server.handler), tracer });
  const options = { namespace: 'default', historySize: 0 };
  const one = controller(client, 'v1', 'configmaps', options).reconcile(async () => {});
  const startedMs = performance.now();
  const running = one.run();
  await until('all objects to be reconciled', () => one.inspect().runs.done >= objects);
  const tookMs = performance.now() - startedMs;
  await one.close();
  await running;
  return tookMs;
}

await using server = new ApiServer();
await using person = await connect({ transport: inProcessTransport(server.handler) });
const maps = person.resource('v1', 'configmaps', { namespace: 'default' });
for (let index = 0; index < objects; index += 1) {
  await maps.create({ metadata: { name: `map-${index}` } });
}
const least = new Map<string, number>();
for (let round = 0; round < rounds; round += 1) {
  for (const [mode, tracer] of Object.entries(MODES)) {
    const tookMs = await timeOf(server, tracer);
    least.set(mode, Math.min(least.get(mode) ?? Infinity, tookMs));
  }
}
trace.disable();
const base = least.get('without a tracer') ?? 0;
console.log(`${objects} reconciles, the quickest of ${rounds} rounds in turn`);
for (const [mode, ms] of least) {
  const more = (1000 * (ms - base)) / objects;
  console.log(`${mode.padEnd(32)} ${ms.toFixed(0)} ms, ${more.toFixed(1)} µs more for a reconcile`);
}

/** `npm run check -- traces`: the operator of the quickstart, its spans exported by the SDK and the OTLP exporter of OpenTelemetry. */
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type * as Api from '@opentelemetry/api';
import type * as Sdk from '@opentelemetry/sdk-trace-node';
import { connect, controller, silentLogger } from 'listwatch';
import { ApiServer } from 'listwatch/server';
import { siteOperator, type SiteTypes } from '../../../examples/site-operator/operator.ts';
import { ROOT } from '../../package/manifest.ts';
import { npm } from '../../package/packed-package.ts';
import { HANG_MS, until } from '../../support/until.ts';

const SCRATCH = join(ROOT, '.tmp', 'traces');
const FILE = join(SCRATCH, 'spans.jsonl');
/** It is no package of the repository, because it brings many others. */
const EXPORTER = '@opentelemetry/exporter-trace-otlp-http';
const PACKAGES = [
  '@opentelemetry/api@1.9.1',
  '@opentelemetry/sdk-trace-node@2.12.1',
  `${EXPORTER}@0.223.1`,
];
const NAMES = Array.from({ length: 12 }, (_, index) => `site-${index + 1}`);
const DEFINITION = join(ROOT, 'examples', 'site-operator', 'sites.yaml');

/** The parts of a span in OTLP that are read here. */
interface ExportedSpan {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly spanId: string }[];
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string };
  }[];
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

process.exitCode = await main();

async function main(): Promise<number> {
  rmSync(SCRATCH, { recursive: true, force: true });
  mkdirSync(SCRATCH, { recursive: true });
  writeFileSync(join(SCRATCH, 'package.json'), '{}');
  await npm(['install', '--no-audit', '--no-fund', ...PACKAGES], SCRATCH);
  await exportRun();
  const lines = readFileSync(FILE, 'utf8').trim().split('\n');
  const spans = lines
    .map((line) => JSON.parse(line) as ExportRequest)
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap((scope) => scope.spans);
  return report(spans);
}

/** Runs the operator, and a second controller that reconciles its config maps; writes each export as a line of the file. */
async function exportRun(): Promise<void> {
  const receiver = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      appendFileSync(FILE, `${Buffer.concat(pieces).toString('utf8')}\n`);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;

  const require = createRequire(join(SCRATCH, 'package.json'));
  const { trace } = require('@opentelemetry/api') as typeof Api;
  const { NodeTracerProvider, BatchSpanProcessor } =
    require('@opentelemetry/sdk-trace-node') as typeof Sdk;
  const { OTLPTraceExporter } = require(EXPORTER) as {
    OTLPTraceExporter: new (options: { readonly url: string }) => Sdk.SpanExporter;
  };
  const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${port}/v1/traces` });
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();

  await using server = new ApiServer();
  await server.listen();
  const address = server.clientConfig();
  const tracer = trace.getTracer('check');
  await using client = await connect<SiteTypes>({
    ...address,
    tracer,
    fieldManager: 'site-operator',
    logger: silentLogger,
  });
  await using person = await connect<SiteTypes>({ ...address, fieldManager: 'person' });
  await person.applyAll(readFileSync(DEFINITION, 'utf8'));
  const namespace = 'default';
  await using operator = siteOperator(client, { namespace, logger: silentLogger });
  const seen = new Set<string>();
  await using pages = controller(client, 'v1', 'configmaps', {
    name: 'pages',
    namespace,
  }).reconcile(async ({ metadata: { name } }) => {
    seen.add(name);
  });
  const running = [operator.run(), pages.run()];
  const sites = person.resource('example.com/v1', 'sites', { namespace });
  for (const name of NAMES) {
    const spec = { greeting: `welcome to ${name}`, replicas: 1 };
    await sites.create({ apiVersion: 'example.com/v1', kind: 'Site', metadata: { name }, spec });
  }
  await until('all pages to be reconciled', () => NAMES.every((name) => seen.has(name)));
  await operator.drain({ timeoutMs: HANG_MS });
  await pages.drain({ timeoutMs: HANG_MS });
  await Promise.all(running);
  await provider.shutdown();
  receiver.close();
}

/** Prints the chain of one site. 1: a page was reconciled without a link to the write of its site. */
function report(spans: readonly ExportedSpan[]): number {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const keyOf = ({ attributes }: ExportedSpan): string | undefined =>
    attributes.find(({ key }) => key === 'listwatch.key')?.value.stringValue;
  const chainOf = (name: string): readonly (ExportedSpan | undefined)[] => {
    const runs = spans.filter(
      (span) => span.name === 'reconcile pages' && keyOf(span) === `default/${name}`,
    );
    const chains = runs.map((effect) => {
      const write = byId.get(effect.links?.[0]?.spanId ?? '');
      return [effect, write, byId.get(write?.parentSpanId ?? '')];
    });
    return chains[0] ?? [];
  };
  const isWhole = (name: string): boolean => {
    const [effect, write, cause] = chainOf(name);
    if (effect === undefined || write === undefined || cause === undefined) return false;
    return cause.name === 'reconcile site-operator' && keyOf(cause) === `default/${name}`;
  };
  const missing = NAMES.filter((name) => !isWhole(name));
  console.log(`${spans.length} spans in ${FILE}`);
  for (const span of chainOf(NAMES[0] ?? '')) {
    console.log(`  ${span?.name ?? 'no span'} ${(span && keyOf(span)) ?? ''}`.trimEnd());
  }
  console.log(`${NAMES.length - missing.length} of ${NAMES.length} pages with the run that wrote`);
  if (missing.length > 0) console.log(`without: ${missing.join(', ')}`);
  return missing.length === 0 ? 0 : 1;
}

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { informerMetrics } from '../lib/cache/informer/observe/informer-metrics.ts';
import { requestMetrics } from '../lib/client/transport/flow/request-metrics.ts';
import { electionMetrics } from '../lib/controller/election/election-metrics.ts';
import { shardingMetrics } from '../lib/controller/sharding/sharding-metrics.ts';
import { reconcileLoopMetrics } from '../lib/controller/runtime/reconcile-loop-metrics.ts';
import { webhookMetrics } from '../lib/controller/webhook/port/webhook-metrics.ts';
import { workQueueMetrics } from '../lib/controller/workqueue/work-queue-metrics.ts';
import type { MetricDescription } from '../lib/kernel/report/metrics.ts';
import { apiServerMetrics } from '../lib/server/api/metrics/api-server-metrics.ts';
import { watchCacheMetrics } from '../lib/server/cacher/window/watch-cache-metrics.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/metrics.md');
const BEGIN = '<!-- metrics: begin -->';
const END = '<!-- metrics: end -->';

/** The title of each table, and what it lists. */
const TABLES: ReadonlyMap<string, readonly MetricDescription[]> = new Map([
  ['Informers and reflectors', Object.values<MetricDescription>(informerMetrics)],
  ['Requests of a client', Object.values<MetricDescription>(requestMetrics)],
  ['Work queues', Object.values<MetricDescription>(workQueueMetrics)],
  ['Reconcile loops', Object.values<MetricDescription>(reconcileLoopMetrics)],
  ['Leader election', Object.values<MetricDescription>(electionMetrics)],
  ['Webhook servers', Object.values<MetricDescription>(webhookMetrics)],
  ['Sharding', Object.values<MetricDescription>(shardingMetrics)],
  ['Requests and storage of the server', Object.values(apiServerMetrics)],
  ['Watch caches of the server', Object.values<MetricDescription>(watchCacheMetrics)],
]);
const ALL: readonly MetricDescription[] = [...TABLES.values()].flat();
/** Names that dashboards for client-go, for controllers and for kube-apiserver have already; all others begin with `listwatch_`. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['Informers and reflectors', 'listwatch_informer_|listwatch_reflector_'],
  ['Requests of a client', 'rest_client_|listwatch_client_'],
  ['Work queues', 'workqueue_'],
  ['Reconcile loops', 'controller_runtime_'],
  ['Leader election', 'leader_election_|listwatch_election_'],
  ['Webhook servers', 'controller_runtime_webhook_'],
  ['Sharding', 'listwatch_sharding_'],
  [
    'Requests and storage of the server',
    'apiserver_|etcd_|watch_cache_|process_|listwatch_metrics_',
  ],
  ['Watch caches of the server', 'apiserver_'],
]);
/** One name for one thing: a further label needs a line in docs/metrics.md. */
const LABELS: ReadonlySet<string> = new Set(
  'name handler kind result from to host method verb resource subresource code priority controller operation webhook group version scope component dry_run request_kind fallback success status'.split(
    ' ',
  ),
);
/** How a name of a metric begins. */
const NAME =
  /'((?:listwatch|rest_client|workqueue|leader_election|controller_runtime|watch_cache|apiserver|etcd|process)_[a-z_]+)'/g;

function tables(): string {
  const lines = [...TABLES].flatMap(([title, metrics]) => [
    '',
    `## ${title}`,
    '',
    '| name | type | unit | labels | meaning |',
    '|---|---|---|---|---|',
    ...metrics.map(
      ({ name, type, unit, labels, help }) =>
        `| \`${name}\` | ${type} | ${unit} | ${labels.map((label) => `\`${label}\``).join(' ')} | ${help} |`,
    ),
  ]);
  return [BEGIN, ...lines, '', END].join('\n');
}

/** Names of metrics in the code, and the literal names in calls of `count`, `gauge` and `observe`. */
function namesInCode(): string[] {
  const folder = join(ROOT, 'lib');
  const names = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [, name = ''] of text.matchAll(NAME)) names.add(name);
    const calls = text.matchAll(/metrics\??\s*\.(?:count|gauge|observe)\(\s*'([^']+)'/g);
    for (const [, name = ''] of calls) names.add(name);
  }
  return [...names].toSorted();
}

describe('docs/metrics.md', () => {
  it('lists every metric as the code describes it (LISTWATCH_UPDATE_DOCS=1 rewrites it)', () => {
    const page = readFileSync(PAGE, 'utf8');
    const [before = '', rest = ''] = page.split(BEGIN);
    const expected = `${before}${tables()}${rest.split(END)[1] ?? ''}`;
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') writeFileSync(PAGE, expected);
    expect(readFileSync(PAGE, 'utf8')).to.equal(expected);
  });

  it('lists all that the code reports, and nothing else', () => {
    expect(namesInCode()).to.deep.equal(ALL.map(({ name }) => name).toSorted());
  });

  it('names metrics of one part by one prefix, and one thing by one label', () => {
    expect([...PREFIXES.keys()]).to.deep.equal([...TABLES.keys()]);
    for (const [title, metrics] of TABLES) {
      const prefix = new RegExp(`^(?:${PREFIXES.get(title) ?? ''})`);
      for (const { name } of metrics) expect(name).to.match(prefix);
    }
    expect(new Set(ALL.flatMap(({ labels }) => labels))).to.deep.equal(LABELS);
  });

  it('names units as Prometheus does: seconds and bytes, and a total for each counter', () => {
    for (const { name, type, unit } of ALL) {
      expect(name, name).not.to.match(/_(?:ms|millis|milliseconds)(?:_|$)/);
      expect(name.endsWith('_seconds'), name).to.equal(unit === 'seconds');
      expect(name.endsWith('_bytes'), name).to.equal(unit === 'bytes');
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
    }
  });
});

import type { ReconcileRecord } from '../../../controller/builder/run/reconcile-history.ts';
import type { InspectorSnapshot } from '../../contract/inspector-snapshot.ts';
import type { Child } from '../parts/page-dom.ts';
import { byKey, count, span } from '../parts/page-format.ts';
import { badge, keyLink, more, section, table } from '../parts/page-parts.ts';
import { RESULTS } from '../parts/run-results.ts';
import { TONES } from './runs-table.ts';

const FAILING = 30;
const RECENT = 15;

interface RecentKey {
  readonly controller: string;
  readonly run: ReconcileRecord;
}

/** The keys from which a person chooses one: those that fail, and those that ran last. */
export function keyLists(snapshot: InspectorSnapshot): Child {
  return [failing(snapshot), recent(snapshot)];
}

function failing({ controllers, queues }: InspectorSnapshot): Child {
  const all = [...controllers.map(({ queue }) => queue), ...queues];
  const keys = all.flatMap((queue) =>
    queue.failing.keys.map((one) => ({ ...one, queue: queue.name })),
  );
  const total = all.reduce((sum, { failing: { count: own } }) => sum + own, 0);
  return section(
    'Failing keys',
    table({
      caption: 'Failing keys',
      none: 'No key fails.',
      rows: keys.toSorted(byKey).slice(0, FAILING),
      key: ({ key, queue }) => `${queue} ${key}`,
      columns: [
        { name: 'Key', class: 'title', cell: ({ key }) => keyLink(key) },
        { name: 'Queue', cell: ({ queue }) => queue },
        { name: 'Failures', class: 'number', cell: ({ failures }) => count(failures) },
        { name: 'Last', class: 'number', cell: ({ failedMs }) => `${span(failedMs)} ago` },
        { name: 'Reason', class: 'wide', cell: ({ reason = 'unknown' }) => reason },
      ],
    }),
    more(total, Math.min(FAILING, keys.length), 'failing keys'),
  );
}

function recent({ controllers, atMs }: InspectorSnapshot): Child {
  const runs = controllers.flatMap(({ name, history }) =>
    history.map((run): RecentKey => ({ controller: name, run })),
  );
  const byTime = runs.toSorted((one, other) => other.run.startedAtMs - one.run.startedAtMs);
  const latest = new Map<string, RecentKey>();
  for (const one of byTime) {
    const name = `${one.controller} ${one.run.key}`;
    if (!latest.has(name)) latest.set(name, one);
    if (latest.size === RECENT) break;
  }
  return section(
    'Recent keys',
    table({
      caption: 'Recent keys',
      none: 'No controller that is shown has run yet.',
      rows: [...latest.values()],
      key: ({ controller, run }) => `${controller} ${run.key}`,
      columns: [
        { name: 'Key', class: 'title', cell: ({ run }) => keyLink(run.key) },
        { name: 'Controller', cell: ({ controller }) => controller },
        { name: 'Result', cell: ({ run }) => badge(TONES[run.result], RESULTS[run.result]) },
        {
          name: 'Ran',
          class: 'number',
          cell: ({ run }) => `${span(Math.max(0, atMs - run.startedAtMs))} ago`,
        },
      ],
    }),
  );
}

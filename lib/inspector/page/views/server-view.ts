import type { InspectedCache, InspectedResource } from '../../contract/inspected-parts.ts';
import type { InspectorSnapshot, ServerSnapshot } from '../../contract/inspector-snapshot.ts';
import { h, type Child } from '../parts/page-dom.ts';
import { clock, count, cut, percent, plural, rate, span } from '../parts/page-format.ts';
import { badge, section, sparkline, table, tile, type Tone } from '../parts/page-parts.ts';
import type { Rates } from '../parts/page-rates.ts';
import type { PageState } from '../parts/page-state.ts';

interface ReadResource extends InspectedResource {
  readonly cache: InspectedCache;
}

const LONGEST_URL = 140;

export function serverView({ rates }: PageState, { server }: InspectorSnapshot): Child {
  if (server === undefined) {
    return section('Server', h('p', { class: 'none' }, 'No server of this process was given.'));
  }
  return [
    section('Server', tiles(rates, server)),
    section('Watch caches', ...caches(server)),
    section('Slow requests', slowRequests(server)),
  ];
}

function readResources({ resources }: ServerSnapshot): readonly ReadResource[] {
  return resources.flatMap(({ cache, ...name }) => (cache === undefined ? [] : { ...name, cache }));
}

function tiles(rates: Rates, server: ServerSnapshot): Child {
  const read = readResources(server);
  const watchers = read.reduce((sum, { cache }) => sum + cache.watcherCount, 0);
  const small = (text: string): Child => h('small', {}, text);
  return h(
    'div',
    { class: 'tiles' },
    tile('Requests/s', rate(rates.perSecond('requests')), sparkline(rates.line('requests'))),
    tile('Requests', count(server.requests), small(`${count(server.failedRequests)} failed`)),
    tile('Connections', count(server.connections), small(server.url ?? 'in process only')),
    tile('Revision', server.revision, small(`history since ${server.compactedRevision}`)),
    tile('Watchers', count(watchers), small(plural(read.length, 'resource'))),
    tile(
      'Faults',
      count(server.faults),
      small(server.faults > 0 ? 'set on purpose' : 'none are set'),
    ),
  );
}

function caches(server: ServerSnapshot): Child[] {
  const read = readResources(server);
  const unread = server.resources.length - read.length;
  return [
    table({
      caption: 'Watch caches',
      none: 'Nothing has been read yet.',
      rows: read.toSorted((one, other) => other.cache.watcherCount - one.cache.watcherCount),
      key: ({ group, resource }) => `${resource}.${group}`,
      columns: [
        {
          name: 'Resource',
          class: 'title',
          cell: ({ group, resource }) => [resource, group !== '' && h('small', {}, group)],
        },
        {
          name: 'State',
          cell: ({ cache }) =>
            badge(cache.readiness === 'ready' ? 'good' : 'busy', cache.readiness),
        },
        { name: 'Objects', class: 'number', cell: ({ cache }) => count(cache.objectCount) },
        { name: 'Watchers', class: 'number', cell: ({ cache }) => count(cache.watcherCount) },
        {
          name: 'Window',
          class: 'number',
          cell: ({ cache: { historySize, historyCapacity } }) => {
            const share = percent(historySize / Math.max(1, historyCapacity));
            const room = h('small', {}, `${share} of ${count(historyCapacity)}`);
            return [plural(historySize, 'event'), room];
          },
        },
        { name: 'Version', class: 'number', cell: ({ cache }) => cache.resourceVersion },
        { name: 'Filled', class: 'number', cell: ({ cache }) => plural(cache.generation, 'time') },
        {
          name: 'Storage',
          cell: ({ cache }) =>
            cache.consistent ? badge('good', 'agrees') : badge('bad', 'differs'),
        },
      ],
    }),
    h(
      'p',
      { class: 'note' },
      `${plural(unread, 'more resource has', 'more resources have')} not been read: there is no cache.`,
    ),
  ];
}

function slowRequests({ slow }: ServerSnapshot): Child {
  return table({
    caption: 'Slow requests, the slowest first',
    none: 'No request over the port took 100 ms since the inspector began.',
    rows: slow,
    key: ({ startedMs, url, method }) => `${startedMs} ${method} ${url}`,
    columns: [
      { name: 'Began', class: 'slim', cell: ({ startedMs }) => clock(startedMs) },
      { name: 'Took', class: 'number', cell: ({ durationMs }) => span(durationMs) },
      { name: 'Status', cell: ({ status }) => badge(...statusOf(status)) },
      {
        name: 'Request',
        class: 'wide title',
        cell: ({ method, url }) => `${method} ${cut(url, LONGEST_URL)}`,
      },
      { name: 'User', cell: ({ user = 'none' }) => user },
    ],
  });
}

function statusOf(status: number): [Tone, string] {
  if (status === 0) return ['bad', 'cut off'];
  if (status >= 500) return ['bad', String(status)];
  return [status >= 400 ? 'warn' : 'good', String(status)];
}

import type { InformerInspection } from '../../../cache/informer/observe/informer-inspection.ts';
import type { AuditAnswer, InspectorSnapshot } from '../../contract/inspector-snapshot.ts';
import { h, type Child } from '../parts/page-dom.ts';
import { informerState, type InformerState } from '../parts/page-findings.ts';
import { byName, bytes, count, percent, rate, span } from '../parts/page-format.ts';
import { badge, section, table, type Tone } from '../parts/page-parts.ts';
import type { PageState } from '../parts/page-state.ts';

const TONES: Readonly<Record<InformerState, Tone>> = {
  ok: 'good',
  waiting: 'busy',
  new: 'warn',
  down: 'bad',
  failed: 'bad',
  stopped: 'off',
};

export function informersView(state: PageState, { informers }: InspectorSnapshot): Child {
  const small = (text: string): Child => h('small', {}, text);
  return section(
    'Informers',
    table<InformerInspection>({
      caption: 'Informers',
      none: 'No informers were given.',
      rows: informers.toSorted(byName),
      key: ({ name }) => name,
      columns: [
        {
          name: 'Informer',
          class: 'title',
          cell: ({ name, sharedWith = [] }) => [
            h('a', { href: `#/objects?informer=${encodeURIComponent(name)}` }, name),
            sharedWith.length > 0 && small(`shares its watch with ${sharedWith.join(', ')}`),
          ],
        },
        {
          name: 'State',
          cell: (one) => [
            badge(TONES[informerState(one)], stateText(one)),
            small(reflectorText(one)),
          ],
        },
        {
          name: 'Objects',
          class: 'number',
          cell: ({ objects, memory }) => [
            count(objects),
            small(bytes(memory.slabBytes + memory.decodedBytes)),
          ],
        },
        {
          name: 'Version',
          class: 'number',
          cell: ({ storeResourceVersion, lastSyncResourceVersion }) => [
            storeResourceVersion === '' ? '–' : storeResourceVersion,
            lastSyncResourceVersion !== storeResourceVersion &&
              small(`received ${lastSyncResourceVersion}`),
          ],
        },
        {
          name: 'Watch',
          cell: ({ watchAgeMs, watchingShare, connected }) => [
            connected && watchAgeMs !== undefined ? `open for ${span(watchAgeMs)}` : 'not open',
            small(`${percent(watchingShare)} of the time`),
          ],
        },
        {
          name: 'Events/s',
          class: 'number',
          cell: ({ name, lastEventAgeMs }) => [
            rate(state.rates.perSecond(`events ${name}`)),
            small(lastEventAgeMs === undefined ? 'none yet' : `last ${span(lastEventAgeMs)} ago`),
          ],
        },
        {
          name: 'Lag',
          class: 'number',
          cell: ({ lagMs, queued }) => [span(lagMs), small(`${count(queued)} queued`)],
        },
        { name: 'Relists', class: 'number', cell: ({ relists }) => count(relists) },
        { name: 'Handlers', cell: ({ handlers }) => handlersText(handlers) },
        { name: 'Against the server', class: 'wide', cell: (one) => audit(state, one) },
      ],
    }),
    errors(informers),
  );
}

function stateText(informer: InformerInspection): string {
  const state = informerState(informer);
  if (state === 'ok') return 'watching';
  if (state === 'waiting') return informer.synced ? 'listing again' : 'first list';
  return state === 'down' ? 'no watch' : state === 'new' ? 'not started' : state;
}

/** Details that the state does not include. */
function reflectorText(informer: InformerInspection): string {
  const { reflector, listed } = informer;
  const step = reflector === stateText(informer) ? '' : reflector;
  return listed > 0 ? `${step}, ${count(listed)} listed` : step;
}

function handlersText(handlers: InformerInspection['handlers']): Child {
  if (handlers.length === 0) return 'none';
  return handlers.map(({ name, pending, failed }) =>
    h(
      'div',
      {},
      name,
      h(
        'small',
        {},
        pending > 0 ? `${count(pending)} behind` : 'up to date',
        failed > 0 && `, ${count(failed)} threw`,
      ),
    ),
  );
}

function audit({ audits, saved }: PageState, { name, synced }: InformerInspection): Child {
  const found = audits.get(name);
  return [
    saved === undefined &&
      h(
        'button',
        {
          type: 'button',
          'data-do': 'audit',
          'data-name': name,
          disabled: found === 'running' || !synced,
        },
        found === 'running' ? 'Comparing…' : 'Audit',
        h('span', { class: 'hidden' }, ` ${name} against the server`),
      ),
    found !== undefined && found !== 'running' && h('div', { role: 'status' }, auditText(found)),
  ];
}

function auditText(answer: AuditAnswer): Child {
  if ('problem' in answer) return [badge('warn', 'not compared'), h('small', {}, answer.problem)];
  const { consistent, objects, resourceVersion, missing, extra, different, durationMs } =
    answer.report;
  if (consistent) {
    const text = `${count(objects)} objects at ${resourceVersion}, in ${span(durationMs)}`;
    return [badge('good', 'equal'), h('small', {}, text)];
  }
  const kinds = { missing, extra, different };
  return [
    badge('bad', 'differs'),
    Object.entries(kinds).map(
      ([kind, { count: all, keys }]) =>
        all > 0 && h('small', {}, `${count(all)} ${kind}: ${keys.slice(0, 5).join(', ')}`),
    ),
  ];
}

function errors(informers: readonly InformerInspection[]): Child {
  const failed = informers.filter(({ lastError }) => lastError !== undefined);
  if (failed.length === 0) return false;
  return [
    h('h3', {}, 'Last errors'),
    h(
      'dl',
      { class: 'errors' },
      failed.map(({ name, lastError, connected }) =>
        h(
          'div',
          { key: name },
          h('dt', {}, name),
          h(
            'dd',
            {},
            `${lastError?.message ?? ''} (${span(lastError?.ageMs ?? 0)} ago${connected ? ', recovered since' : ''})`,
          ),
        ),
      ),
    ),
  ];
}

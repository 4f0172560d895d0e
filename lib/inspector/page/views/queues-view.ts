import type { QueueInspection } from '../../../controller/workqueue/queue-inspection.ts';
import type { InspectorSnapshot } from '../../contract/inspector-snapshot.ts';
import { h, type Child } from '../parts/page-dom.ts';
import { byName, count, plural, span } from '../parts/page-format.ts';
import { badge, keyLink, more, section, table } from '../parts/page-parts.ts';

const SHOWN = 15;

const WHY = {
  delay: 'added for later',
  retry: 'its last run failed',
  debounce: 'more changes may come',
  limit: 'its rate is limited',
} as const;

export function queuesView({ controllers, queues }: InspectorSnapshot): Child {
  const all = [...controllers.map(({ queue }) => queue), ...queues];
  if (all.length === 0)
    return section('Queues', h('p', { class: 'none' }, 'No queues were given.'));
  return all.toSorted(byName).map((queue) => queueSection(queue));
}

function queueSection(queue: QueueInspection): Child {
  const { waiting, running, delayed, failing } = queue;
  const lists = [failingKeys(queue), runningKeys(queue), waitingKeys(queue), delayedKeys(queue)];
  return h(
    'section',
    { key: queue.name },
    h(
      'div',
      { class: 'head' },
      h('h2', {}, queue.name),
      badge(running.count > 0 ? 'busy' : 'good', `${count(running.count)} in work`),
      badge(waiting.count > 0 ? 'busy' : 'good', `${count(waiting.count)} waiting`),
      badge(delayed.count > 0 ? 'busy' : 'good', `${count(delayed.count)} delayed`),
      badge(failing.count > 0 ? 'bad' : 'good', `${count(failing.count)} failing`),
      queue.closing && badge('off', 'closing'),
    ),
    lists.some((list) => list !== false)
      ? lists
      : h('p', { class: 'none' }, 'It is empty: every change has been worked on.'),
  );
}

function failingKeys({ name, failing, delayed }: QueueInspection): Child {
  if (failing.count === 0) return false;
  return [
    h('h3', {}, 'Failing'),
    table({
      caption: `Failing keys of ${name}`,
      none: '',
      rows: failing.keys.slice(0, SHOWN),
      key: ({ key }) => key,
      columns: [
        { name: 'Key', class: 'title', cell: ({ key }) => keyLink(key) },
        { name: 'Failures', class: 'number', cell: ({ failures }) => count(failures) },
        { name: 'Last', class: 'number', cell: ({ failedMs }) => `${span(failedMs)} ago` },
        {
          name: 'Next try',
          class: 'number',
          cell: ({ key }) => {
            const next = delayed.keys.find((one) => one.key === key);
            return next === undefined ? '–' : `in ${span(next.inMs)}`;
          },
        },
        { name: 'Reason', class: 'wide', cell: ({ reason = 'unknown' }) => reason },
      ],
    }),
    more(failing.count, Math.min(SHOWN, failing.keys.length), 'failing keys'),
  ];
}

function runningKeys({ name, running }: QueueInspection): Child {
  if (running.count === 0) return false;
  return [
    h('h3', {}, 'In work'),
    table({
      caption: `Keys of ${name} in work`,
      none: '',
      rows: running.keys.slice(0, SHOWN),
      key: ({ key }) => key,
      columns: [
        { name: 'Key', class: 'title', cell: ({ key }) => keyLink(key) },
        { name: 'For', class: 'number', cell: ({ runningMs }) => span(runningMs) },
        {
          name: 'Note',
          class: 'wide',
          cell: ({ addedAgain }) => (addedAgain ? 'it changed meanwhile, and runs once more' : '–'),
        },
      ],
    }),
    more(running.count, Math.min(SHOWN, running.keys.length), 'keys in work'),
  ];
}

function waitingKeys({ name, waiting, running }: QueueInspection): Child {
  if (waiting.count === 0) return false;
  const why =
    running.count === 0
      ? 'Nothing takes keys: is the loop running?'
      : `A worker is free when one of the ${plural(running.count, 'key')} in work is done.`;
  return [
    h('h3', {}, 'Waiting'),
    h('p', { class: 'note' }, why),
    table({
      caption: `Waiting keys of ${name}`,
      none: '',
      rows: waiting.keys.slice(0, SHOWN),
      key: ({ key }) => key,
      columns: [
        { name: 'Key', class: 'title', cell: ({ key }) => keyLink(key) },
        {
          name: 'For',
          class: 'number',
          cell: ({ waitedMs }) => (waitedMs === undefined ? 'not measured' : span(waitedMs)),
        },
        { name: 'Priority', class: 'number', cell: ({ priority }) => priority },
      ],
    }),
    more(waiting.count, Math.min(SHOWN, waiting.keys.length), 'waiting keys'),
  ];
}

function delayedKeys({ name, delayed }: QueueInspection): Child {
  if (delayed.count === 0) return false;
  return [
    h('h3', {}, 'Delayed'),
    table({
      caption: `Delayed keys of ${name}`,
      none: '',
      rows: delayed.keys.slice(0, SHOWN),
      key: ({ key }) => key,
      columns: [
        { name: 'Key', class: 'title', cell: ({ key }) => keyLink(key) },
        { name: 'Added in', class: 'number', cell: ({ inMs }) => span(inMs) },
        { name: 'Why', class: 'wide', cell: ({ why }) => WHY[why] },
      ],
    }),
    more(delayed.count, Math.min(SHOWN, delayed.keys.length), 'delayed keys'),
  ];
}

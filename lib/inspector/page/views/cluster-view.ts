import type { InspectedWorkloads } from '../../contract/inspected-parts.ts';
import type { InspectorSnapshot } from '../../contract/inspector-snapshot.ts';
import { h, type Child, type VNode } from '../parts/page-dom.ts';
import { count } from '../parts/page-format.ts';
import { badge, section, table, tile, type Tone } from '../parts/page-parts.ts';

type Nodes = NonNullable<InspectedWorkloads['nodes']>;
type Rollout = NonNullable<InspectedWorkloads['rollouts']>[number];
type Counts = Readonly<Record<string, number>>;

export function clusterView({ cluster }: InspectorSnapshot): Child {
  if (cluster === undefined) {
    return section('Cluster', h('p', { class: 'none' }, 'No cluster of this process was given.'));
  }
  const { nodes = { nodes: [], pods: {} }, rollouts = [] } = cluster;
  return [
    section('Cluster', tiles(cluster, nodes)),
    section('Rollouts', rolloutTable(rollouts)),
    section('Pods', podStates(nodes.pods)),
    section('Nodes', nodeTable(nodes)),
  ];
}

function tiles({ scheduler, rollouts = [] }: InspectedWorkloads, nodes: Nodes): Child {
  const small = (text: string): Child => h('small', {}, text);
  const running = nodes.nodes.filter(({ phase }) => phase === 'running').length;
  const { active = 0, backingOff = 0, unschedulable = 0, gated = 0, binding = 0 } = scheduler ?? {};
  const open = rollouts.filter(({ state }) => state !== 'complete').length;
  return h(
    'div',
    { class: 'tiles' },
    tile('Nodes running', count(running), small(`of ${count(nodes.nodes.length)}`)),
    tile(
      'Pods on nodes',
      count(sum(nodes.pods)),
      small(`${count(nodes.pods['Running'] ?? 0)} running`),
    ),
    tile(
      'Without a node',
      count(active + backingOff + unschedulable),
      small(`${count(gated)} gated`),
    ),
    tile('On the way', count(binding), small('to their nodes')),
    tile('Rollouts', count(open), small('not complete')),
  );
}

function rolloutTable(rows: readonly Rollout[]): Child {
  const tones = { complete: 'good', progressing: 'busy', paused: 'warn', failed: 'bad' } as const;
  return table({
    caption: 'Rollouts of Deployments',
    none: 'There is no Deployment.',
    rows,
    key: ({ key }) => key,
    columns: [
      { name: 'Deployment', class: 'title', cell: ({ key }) => key },
      { name: 'State', cell: ({ state }) => badge(tones[state], state) },
      {
        name: 'Pods',
        class: 'wide',
        cell: ({ available, present, wanted }) =>
          bar({ available, starting: Math.max(0, present - available) }, Math.max(wanted, present)),
      },
      {
        name: 'Available',
        class: 'number',
        cell: ({ available, wanted }) => `${available}/${wanted}`,
      },
      { name: 'Updated', class: 'number', cell: ({ updated }) => count(updated) },
      { name: 'Message', class: 'wide', cell: ({ message = 'none' }) => message },
    ],
  });
}

function podStates(pods: Counts): Child {
  const total = sum(pods);
  return table({
    caption: 'Pods by state',
    none: 'No node has a pod.',
    rows: Object.entries(pods).toSorted(([, one], [, other]) => other - one),
    key: ([state]) => state,
    columns: [
      { name: 'State', class: 'title', cell: ([state]) => badge(toneOf(state), state) },
      { name: 'Pods', class: 'number', cell: ([, number]) => count(number) },
      { name: 'Share', class: 'wide', cell: ([state, number]) => bar({ [state]: number }, total) },
    ],
  });
}

function nodeTable({ nodes }: Nodes): Child {
  const most = Math.max(1, ...nodes.map(({ pods }) => sum(pods)));
  return table({
    caption: 'Nodes',
    none: 'There is no node.',
    rows: nodes,
    key: ({ name }) => name,
    columns: [
      { name: 'Node', class: 'title', cell: ({ name }) => name },
      { name: 'State', cell: ({ phase }) => badge(phase === 'running' ? 'good' : 'bad', phase) },
      { name: 'Pods', class: 'number', cell: ({ pods }) => count(sum(pods)) },
      { name: 'By phase', class: 'wide', cell: ({ pods }) => bar(pods, most) },
    ],
  });
}

/** Shares of a whole, one beside the other; its title says the same in words. */
function bar(counts: Counts, whole: number): VNode {
  const parts = Object.entries(counts).filter(([, number]) => number > 0);
  const title = parts.map(([state, number]) => `${number} ${state}`).join(', ');
  const width = (number: number): string => ((100 * number) / Math.max(1, whole)).toFixed(2);
  let left = 0;
  return h(
    'svg',
    {
      class: 'bar',
      viewBox: '0 0 100 8',
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': title,
    },
    parts.map(([state, number]) => {
      const x = left.toFixed(2);
      left += Number(width(number));
      return h('rect', {
        key: state,
        class: toneOf(state),
        x,
        y: 0,
        width: width(number),
        height: 8,
      });
    }),
  );
}

function toneOf(state: string): Tone {
  if (state === 'Running' || state === 'available') return 'good';
  if (state === 'Succeeded' || state === 'Completed') return 'off';
  if (/BackOff|Err|Failed|Invalid/.test(state)) return 'bad';
  return state === 'Unknown' || state === 'Terminating' ? 'warn' : 'busy';
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, number) => total + number, 0);
}

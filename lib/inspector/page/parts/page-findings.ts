import type { InformerInspection } from '../../../cache/informer/observe/informer-inspection.ts';
import type { ControllerInspection } from '../../../controller/builder/controller-inspection.ts';
import type { QueueInspection } from '../../../controller/workqueue/queue-inspection.ts';
import type { InspectorSnapshot } from '../../contract/inspector-snapshot.ts';
import { count, cut, plural, span } from './page-format.ts';

/** Something that a person should look at. */
export interface Finding {
  readonly level: 'problem' | 'warning' | 'note';
  /** The part that the finding concerns. */
  readonly where: string;
  readonly text: string;
  /** The view that shows more. */
  readonly view: string;
}

type PartFinding = Omit<Finding, 'where' | 'view'>;

const LEVELS = ['problem', 'warning', 'note'];
const LONGEST = 300;
/** Bookmarks come about every minute. */
const SILENT_MS = 150_000;
const LAG_MS = 1_000;
const STALE_MS = 60_000;
const BEHIND = 1_000;
const LONG_WAIT_MS = 5_000;
const LONG_RUN_MS = 10_000;

/** The findings, the most severe first. */
export function findingsOf(snapshot: InspectorSnapshot): readonly Finding[] {
  const found: Finding[] = [];
  const add = (where: string, view: string, findings: readonly PartFinding[]): void => {
    for (const one of findings) found.push({ where, view, ...one, text: cut(one.text, LONGEST) });
  };
  for (const informer of snapshot.informers) {
    add(informer.name, 'informers', [
      ...stateOf(informer),
      ...flowOf(informer),
      ...checksOf(informer),
    ]);
  }
  for (const controller of snapshot.controllers) {
    add(controller.name, 'reconciles', phaseOf(controller));
    add(controller.name, 'queues', keysOf(controller.queue));
  }
  for (const queue of snapshot.queues) add(queue.name, 'queues', keysOf(queue));
  add('server', 'server', serverOf(snapshot));
  add('cluster', 'cluster', clusterOf(snapshot));
  return found.toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
}

/** `waiting`: nothing is wrong yet. */
export type InformerState = 'new' | 'ok' | 'waiting' | 'down' | 'stopped' | 'failed';

export function informerState(informer: InformerInspection): InformerState {
  const { phase, connected, synced, reflector } = informer;
  if (phase !== 'running') return phase;
  if (connected && synced) return 'ok';
  const reads =
    reflector === 'listing' || reflector === 'streaming-list' || reflector === 'watching';
  return reads && informer.waitingForServer === undefined ? 'waiting' : 'down';
}

function stateOf(informer: InformerInspection): PartFinding[] {
  const { lastError, waitingFor, waitingForServer, lastEventAgeMs = 0, listed } = informer;
  switch (informerState(informer)) {
    case 'failed':
      return [
        {
          level: 'problem',
          text: `It has stopped for good: ${waitingFor ?? lastError?.message ?? ''}`,
        },
      ];
    case 'new':
      return [{ level: 'warning', text: 'It has not been started: call start() or run().' }];
    case 'stopped':
      return [{ level: 'note', text: 'It has stopped.' }];
    case 'down': {
      const why = waitingForServer ?? lastError?.message;
      return [
        { level: 'problem', text: `No watch is open${why === undefined ? '.' : `: ${why}`}` },
      ];
    }
    case 'waiting': {
      const so = listed > 0 ? `: ${plural(listed, 'object')} so far` : '';
      const what = informer.synced ? 'It lists the collection again' : 'It reads its first list';
      return [{ level: 'note', text: `${what}${so}.` }];
    }
    case 'ok':
      if (lastEventAgeMs < SILENT_MS) return [];
      return [
        {
          level: 'warning',
          text: `Its watch is open, but brought no event and no bookmark for ${span(lastEventAgeMs)}. The connection may be dead; the option silenceProbeMs of the informer finds that out.`,
        },
      ];
  }
}

function flowOf({ lagMs, queued, handlers, relists }: InformerInspection): PartFinding[] {
  const findings: PartFinding[] = [];
  if (lagMs >= LAG_MS) {
    const text = `${plural(queued, 'change')} wait for the store, the oldest for ${span(lagMs)}.`;
    findings.push({ level: 'warning', text });
  }
  for (const { name, pending, failed, coalesced } of handlers) {
    if (pending >= BEHIND) {
      const merged = coalesced > 0 ? `; ${count(coalesced)} were merged` : '';
      const text = `The handler ${name} is ${plural(pending, 'event')} behind${merged}: its callbacks are slow.`;
      findings.push({ level: 'warning', text });
    }
    if (failed > 0) {
      findings.push({
        level: 'warning',
        text: `Callbacks of the handler ${name} threw ${plural(failed, 'time')}.`,
      });
    }
  }
  if (relists >= 3) {
    findings.push({
      level: 'note',
      text: `It has listed the collection again ${relists} times: history was lost.`,
    });
  }
  return findings;
}

/** The results of the options `stalenessIntervalMs` and `auditIntervalMs`. */
function checksOf({ staleness, lastAudit }: InformerInspection): PartFinding[] {
  const findings: PartFinding[] = [];
  if (staleness !== undefined && staleness.ms >= STALE_MS) {
    const { revisions, ms } = staleness;
    const text = `Its cache is ${plural(revisions, 'revision')} behind the server, and has been behind for ${span(ms)}.`;
    findings.push({ level: 'warning', text });
  }
  const { missing = 0, stale = 0, leftOver = 0, ageMs = 0 } = lastAudit ?? {};
  const missed = missing + stale + leftOver;
  if (missed > 0) {
    const text = `Its cache has missed changes of ${plural(missed, 'object')}, as an audit found ${span(ageMs)} ago; the log has their keys.`;
    findings.push({ level: 'problem', text });
  }
  return findings;
}

function phaseOf({ phase, sources }: ControllerInspection): PartFinding[] {
  if (phase === 'new') return [{ level: 'warning', text: 'It has not been started: call run().' }];
  if (phase === 'standby') return [{ level: 'note', text: 'Another replica does the work.' }];
  if (phase === 'paused') return [{ level: 'warning', text: 'It is paused: call resume().' }];
  if (phase === 'stopped') return [{ level: 'note', text: 'It has stopped.' }];
  if (phase !== 'syncing') return [];
  const waiting = sources.filter(({ synced }) => !synced);
  const reasons = waiting.map(({ resource, waitingFor }) => waitingFor ?? resource).join('; ');
  return [
    {
      level: 'warning',
      text: `No reconcile begins before its first lists are read. It waits for ${reasons}.`,
    },
  ];
}

function keysOf({ waiting, running, failing, delayed }: QueueInspection): PartFinding[] {
  const findings: PartFinding[] = [];
  const [latest] = failing.keys;
  if (latest !== undefined) {
    const next = delayed.keys.find(({ key }) => key === latest.key);
    const again = next === undefined ? '' : ` It runs again in ${span(next.inMs)}.`;
    const reason = latest.reason === undefined ? '' : `: ${latest.reason}`;
    const text = `${plural(failing.count, 'key fails', 'keys fail')}. The latest is ${latest.key}, ${plural(latest.failures, 'time')} in a row${reason}.${again}`;
    findings.push({ level: 'problem', text });
  }
  const longest = running.keys.toSorted((one, other) => other.runningMs - one.runningMs)[0];
  if (longest !== undefined && longest.runningMs >= LONG_RUN_MS) {
    findings.push({
      level: 'warning',
      text: `${longest.key} has been in work for ${span(longest.runningMs)}.`,
    });
  }
  const oldest = waiting.keys.toSorted(
    (one, other) => (other.waitedMs ?? 0) - (one.waitedMs ?? 0),
  )[0];
  if (oldest?.waitedMs !== undefined && oldest.waitedMs >= LONG_WAIT_MS) {
    const workers =
      running.count === 0
        ? 'nothing takes keys'
        : `${plural(running.count, 'key is', 'keys are')} in work`;
    const text = `${plural(waiting.count, 'key waits', 'keys wait')}, ${oldest.key} for ${span(oldest.waitedMs)}: ${workers}.`;
    findings.push({ level: 'warning', text });
  }
  return findings;
}

function serverOf({ server }: InspectorSnapshot): PartFinding[] {
  if (server === undefined) return [];
  const findings: PartFinding[] = [];
  for (const { resource, cache } of server.resources) {
    if (cache?.consistent === false) {
      findings.push({
        level: 'problem',
        text: `The watch cache of ${resource} differs from the storage.`,
      });
    }
  }
  if (server.faults > 0) {
    findings.push({
      level: 'note',
      text: `${plural(server.faults, 'fault is', 'faults are')} set on purpose, for tests.`,
    });
  }
  return findings;
}

/** States of pods that do not end by themselves. */
const STUCK = /BackOff|Err|Invalid/;

function clusterOf({ cluster }: InspectorSnapshot): PartFinding[] {
  const { nodes, rollouts = [], scheduler } = cluster ?? {};
  const found: PartFinding[] = [];
  for (const { key, state, message } of rollouts) {
    if (state === 'failed') found.push({ level: 'problem', text: `${key}: ${message ?? ''}` });
  }
  for (const { name, phase } of nodes?.nodes ?? []) {
    if (phase !== 'running') found.push({ level: 'warning', text: `${name} is ${phase}.` });
  }
  for (const [state, number] of Object.entries(nodes?.pods ?? {})) {
    if (STUCK.test(state))
      found.push({ level: 'warning', text: `${plural(number, 'pod')} ${state}.` });
  }
  const { unschedulable = 0 } = scheduler ?? {};
  if (unschedulable > 0) {
    const text = `${plural(unschedulable, 'pod')} that no node fits: the condition PodScheduled says why.`;
    found.push({ level: 'warning', text });
  }
  return found;
}

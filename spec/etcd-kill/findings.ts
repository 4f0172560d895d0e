import type { KubernetesObject } from '../../lib/meta/object.ts';
import {
  prefixEnd,
  type KeyValue,
  type KeyValueEvent,
  type Revision,
} from '../../lib/server/mvcc/contract/key-value-store.ts';
import type {
  HistoryRecorder,
  RecordedOperation,
  RecordedTxn,
} from '../../lib/conformance/history/history-recorder.ts';
import type { KeyValueHistory } from '../../lib/conformance/history/key-value-history.ts';
import { checkKeys } from '../../lib/conformance/history/register-history.ts';
import { checkRevisions } from '../../lib/conformance/history/revision-checker.ts';
import { validateWatch } from '../../lib/conformance/history/watch-validators.ts';
import type { Change } from '../path/support/observer.ts';
import type { AcknowledgedWrite, ApiFrontEnd } from './api-traffic.ts';

const CONFIG_MAPS = '/registry/configmaps/';
const CHECK_BUDGET_MS = 60_000;

export interface Evidence {
  readonly recorder: HistoryRecorder;
  readonly acknowledged: readonly AcknowledgedWrite[];
  readonly frontEnds: readonly ApiFrontEnd[];
  /** Everything the cluster holds at the end, and the revision. */
  readonly finalItems: readonly KeyValue[];
  readonly finalRevision: Revision;
  /** Clients whose running watches were awaited until the final revision. */
  readonly steady: ReadonlySet<string>;
}

/** The findings; each list has to be empty. */
export interface Findings {
  readonly acknowledgedWrites: number;
  readonly lostWrites: readonly string[];
  readonly operations: number;
  readonly unknownOutcomes: number;
  readonly histories: readonly string[];
  readonly watches: number;
  readonly watchEvents: number;
  readonly watchViolations: readonly string[];
  readonly divergedInformers: readonly string[];
  readonly disagreements: readonly string[];
}

export async function checkEvidence(evidence: Evidence): Promise<Findings> {
  const { recorder, finalItems } = evidence;
  const { operations, watches } = recorder;
  const observed = watches.flatMap(({ batches }) =>
    batches.flatMap(({ messages }) =>
      messages.flatMap((one) => (one.type === 'event' ? [one.event] : [])),
    ),
  );
  const revisions = checkRevisions({ operations, observed, budgetMs: CHECK_BUDGET_MS });
  const keys = checkKeys(operations, { budgetMs: CHECK_BUDGET_MS });
  const histories: string[] = [];
  if (revisions.verdict === 'illegal') {
    histories.push([`by revision: ${revisions.reason}`, ...revisions.window].join('\n    '));
  } else if (revisions.verdict === 'unknown') {
    histories.push(`by revision: ${revisions.reason}`);
  }
  if (keys.verdict !== 'linearizable') {
    histories.push([`by key: ${keys.verdict}`, ...keys.window].join('\n    '));
  }
  const history = revisions.verdict === 'linearizable' ? revisions.history : undefined;
  const { names, perServer } = await listEverywhere(evidence.frontEnds);
  return {
    acknowledgedWrites: operations.filter(isAnsweredWrite).length,
    lostWrites: [
      ...lostOperations(operations, observed, finalItems),
      ...(history === undefined ? [] : lostObjects(evidence.acknowledged, history)),
    ],
    operations: operations.length,
    unknownOutcomes: operations.filter(({ outcome }) => outcome.type === 'unknown').length,
    histories,
    watches: watches.length,
    watchEvents: observed.length,
    watchViolations: history === undefined ? [] : watchViolations(evidence, history),
    divergedInformers: divergedInformers(evidence.frontEnds, perServer, history),
    disagreements: disagreements(names, perServer, finalItems),
  };
}

/** Each acknowledged write is what its key holds, or was followed by a later change of that key. */
function lostOperations(
  operations: readonly RecordedOperation[],
  observed: readonly KeyValueEvent[],
  finalItems: readonly KeyValue[],
): string[] {
  const present = new Map(finalItems.map(({ key, modRevision }) => [key, modRevision]));
  const deleted = new Map<string, Revision>();
  const noteDelete = (key: string, revision: Revision): void => {
    if (revision > (deleted.get(key) ?? 0n)) deleted.set(key, revision);
  };
  for (const { type, kv } of observed) if (type === 'delete') noteDelete(kv.key, kv.modRevision);
  const puts: { readonly key: string; readonly revision: Revision }[] = [];
  for (const operation of operations) {
    if (!isAnsweredWrite(operation)) continue;
    const { succeeded, revision, responses } = operation.outcome.response;
    const branch = succeeded ? operation.request.success : (operation.request.failure ?? []);
    for (const [index, { type, key }] of branch.entries()) {
      const response = responses[index];
      if (type === 'put') puts.push({ key, revision });
      else if (response?.type === 'delete' && response.deleted > 0) noteDelete(key, revision);
    }
  }
  return puts
    .filter(({ key, revision }) => (present.get(key) ?? deleted.get(key) ?? 0n) < revision)
    .map(({ key, revision }) => `the write of ${key} at revision ${revision} is gone`);
}

interface AnsweredTxn extends RecordedTxn {
  readonly outcome: Extract<RecordedTxn['outcome'], { type: 'answered' }>;
}

function isAnsweredWrite(operation: RecordedOperation): operation is AnsweredTxn {
  if (operation.type !== 'txn' || operation.outcome.type !== 'answered') return false;
  return operation.outcome.response.responses.some(
    (one) => one.type === 'put' || (one.type === 'delete' && one.deleted > 0),
  );
}

/** An acknowledged write is a change that the cluster made at that very revision. */
function lostObjects(
  acknowledged: readonly AcknowledgedWrite[],
  history: KeyValueHistory,
): string[] {
  return acknowledged
    .filter(({ name, resourceVersion }) => {
      const revision = BigInt(resourceVersion);
      return history.at(`${CONFIG_MAPS}default/${name}`, revision)?.modRevision !== revision;
    })
    .map(({ name, resourceVersion, at }) => `${name}@${resourceVersion}, acknowledged by ${at}`);
}

function watchViolations(
  { recorder, steady, finalRevision }: Evidence,
  history: KeyValueHistory,
): string[] {
  const { compactions } = recorder;
  return recorder.watches.flatMap((recording) => {
    const awaited = steady.has(recording.client) && recording.end === undefined;
    const through = awaited ? finalRevision : undefined;
    return validateWatch(recording, history, { compactions, through }).map(
      ({ client, guarantee, message }) => `${client}: ${guarantee}: ${message}`,
    );
  });
}

type Versions = ReadonlyMap<string, string>;

interface Lists {
  readonly names: readonly string[];
  /** Two for each server: the most recent state, and what its cache shows. */
  readonly perServer: readonly Versions[];
}

async function listEverywhere(frontEnds: readonly ApiFrontEnd[]): Promise<Lists> {
  const names: string[] = [];
  const perServer: Versions[] = [];
  for (const { name, configMaps } of frontEnds) {
    for (const resourceVersion of [undefined, '0']) {
      names.push(`${name}, version ${resourceVersion ?? 'most recent'}`);
      perServer.push(versionsOf((await configMaps.list({ resourceVersion })).items));
    }
  }
  return { names, perServer };
}

function versionsOf(objects: readonly KubernetesObject[]): Versions {
  return new Map(
    objects.map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']),
  );
}

/** Each server lists the state that the cluster holds. */
function disagreements(
  names: readonly string[],
  perServer: readonly Versions[],
  finalItems: readonly KeyValue[],
): string[] {
  const prefix = `${CONFIG_MAPS}default/`;
  const end = prefixEnd(prefix);
  const truth = new Map(
    finalItems
      .filter(({ key }) => key >= prefix && key < end)
      .map(({ key, modRevision }) => [key.slice(prefix.length), String(modRevision)]),
  );
  return perServer.flatMap((versions, index) =>
    differences(truth, versions).map((difference) => `${names[index]}: ${difference}`),
  );
}

function divergedInformers(
  frontEnds: readonly ApiFrontEnd[],
  perServer: readonly Versions[],
  history: KeyValueHistory | undefined,
): string[] {
  return frontEnds.flatMap(({ name, informer, observer }, index) => {
    const cached = versionsOf([...informer.indexer.list()]);
    const listed = perServer[2 * index] ?? new Map<string, string>();
    const wrong = differences(listed, cached).map((one) => `informer on ${name}: ${one}`);
    // A relist may have merged several changes into one, but not made up any.
    const notified =
      history === undefined ? [] : observer.violations(changesOf(history), { exact: false });
    return [...wrong, ...notified];
  });
}

function differences(expected: Versions, actual: Versions): string[] {
  const names = new Set([...expected.keys(), ...actual.keys()]);
  return [...names]
    .filter((name) => expected.get(name) !== actual.get(name))
    .map((name) => `${name}@${actual.get(name) ?? 'missing'} instead of ${expected.get(name)}`);
}

function changesOf(history: KeyValueHistory): Change[] {
  const range = { key: CONFIG_MAPS, rangeEnd: prefixEnd(CONFIG_MAPS) };
  return history
    .events(range, history.firstRevision, history.lastRevision)
    .map(({ type, kv: { key, modRevision, createRevision } }) => ({
      type: type === 'delete' ? 'delete' : createRevision === modRevision ? 'add' : 'update',
      key: key.slice(CONFIG_MAPS.length),
      resourceVersion: String(modRevision),
    }));
}

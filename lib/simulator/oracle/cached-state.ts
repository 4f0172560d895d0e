import { InformerPart } from '../../cache/informer/observe/informer-inspection.ts';
import { NAMESPACE_INDEX } from '../../cache/store/indexers.ts';
import { QueuePart } from '../../controller/workqueue/queue-part.ts';
import { groupResource } from '../../meta/resource.ts';
import { parseRequestInfo, pathSegments } from '../../server/http/request-info.ts';
import type { Finding } from '../contract/finding.ts';
import { isBackgroundResource } from '../network/request-facts.ts';
import type { ClusterHistory } from '../record/cluster-history.ts';
import { ComparedCollection } from './answers/compared-collection.ts';

/** A key may be late by this. */
const LATE_MS = 1000;

/** Problems of the parts of a process that has been idle for long. */
export function partFindings(
  process: string,
  parts: Iterable<object>,
  history: ClusterHistory,
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const part of parts) {
    if (part instanceof InformerPart) findings.push(...cacheFindings(process, part, history));
    else if (part instanceof QueuePart) findings.push(...queueFindings(process, part));
  }
  return findings;
}

/** The cache of an informer has what the server has, and its index has what the cache has. */
function cacheFindings(
  process: string,
  { informer, source }: InformerPart,
  history: ClusterHistory,
): readonly Finding[] {
  const { name, phase, synced, namespaces, indexer } = informer;
  const key = source.supports?.sharing?.key;
  if (phase !== 'running' || !synced || key === undefined) return [];
  const collection = collectionOf(key, history);
  if (collection === undefined || isBackgroundResource(collection.resource)) return [];
  const expected = new Map<string, string>();
  for (const { ref, kv } of history.entries(collection.resource)) {
    if (namespaces?.includes(ref.namespace) === false || !collection.has(ref, kv)) continue;
    expected.set(ref.object, kv.modRevision.toString());
  }
  const problems: string[] = [];
  const keys = indexer.keys();
  for (const one of keys) {
    const { namespace = '', name: object = '', resourceVersion } = indexer.metadata(one) ?? {};
    const id = namespace === '' ? object : `${namespace}/${object}`;
    const should = expected.get(id);
    expected.delete(id);
    if (should === undefined) problems.push(`has ${id}, which the server has not`);
    else if (should !== resourceVersion)
      problems.push(`has ${id} at version ${resourceVersion}, and the server at ${should}`);
  }
  for (const id of expected.keys()) problems.push(`lacks ${id}`);
  const indexed = indexer
    .indexValues(NAMESPACE_INDEX)
    .flatMap((value) => indexer.indexKeys(NAMESPACE_INDEX, value));
  if (indexed.toSorted().join() !== keys.toSorted().join())
    problems.push('has other keys in its index by namespace');
  return problems.map((problem) => ({
    class: 'cache',
    subject: `${process}: ${name}`,
    message: `long after the last change its cache ${problem}`,
  }));
}

/** From the key that says what a source of a client reads. */
function collectionOf(key: string, history: ClusterHistory): ComparedCollection | undefined {
  const parts = JSON.parse(key) as readonly unknown[];
  const [, path, labelSelector, fieldSelector, shardSelector] = parts.map(String);
  if (path === undefined) return undefined;
  const info = parseRequestInfo('GET', pathSegments(path), false);
  const query = new URLSearchParams({
    labelSelector: labelSelector ?? '',
    fieldSelector: fieldSelector ?? '',
    shardSelector: shardSelector ?? '',
  });
  return ComparedCollection.of(groupResource(info), info.namespace, query, (state) =>
    history.objectOf(state),
  );
}

/** No key waits while a worker does, and none waits longer than its delay. */
function queueFindings(process: string, { queue, starves }: QueuePart): readonly Finding[] {
  const { waiting, delayed } = queue.inspect({ limit: 1 });
  const subject = `${process}: ${queue.name}`;
  const [late] = delayed.keys;
  if (late !== undefined && late.inMs < -LATE_MS)
    return [
      {
        class: 'queue',
        subject,
        message: `the time of the key ${String(late.key)} is over, and it is not handed out`,
      },
    ];
  const [first] = waiting.keys;
  if (first === undefined || !starves()) return [];
  return [
    {
      class: 'queue',
      subject,
      message: `the key ${String(first.key)} waits, and so does a worker`,
    },
  ];
}

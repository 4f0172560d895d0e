import { badRequest } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { recordsAt, textAt } from '../../meta/json-value.ts';

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/**
 * The container that a request is about: the named one, or the only one.
 * @throws {ApiError} 400.
 * @see pkg/registry/core/pod/strategy.go validateContainer @ 24a394e
 */
export function containerOf(pod: UnstructuredObject, asked: string): string {
  const podName = pod.metadata?.name ?? '';
  const names = LISTS.flatMap((list) => namesIn(pod, list));
  if (asked !== '') {
    if (names.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${podName}`);
  }
  const [only, ...others] = namesIn(pod, 'containers');
  const missing = `a container name must be specified for pod ${podName}`;
  if (only === undefined) throw badRequest(missing);
  if (others.length > 0) throw badRequest(`${missing}, choose one of: [${names.join(' ')}]`);
  return only;
}

function namesIn(pod: UnstructuredObject, list: string): string[] {
  return recordsAt(pod, 'spec', list).map((container) => textAt(container, 'name'));
}

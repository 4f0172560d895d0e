import type { Runtime } from '../../kernel/time/runtime.ts';
import { nextTask } from '../../kernel/time/wait.ts';
import type { InspectedInformer } from '../contract/inspected-parts.ts';
import { maskedObject } from './masked-object.ts';

/** Objects between two turns of the event loop; each is decoded and copied. */
const SLICE = 20;

export interface CacheDumpOptions {
  readonly runtime: Runtime;
  /** Whether the values of secrets are shown. */
  readonly unmasked: boolean;
}

/**
 * The caches as lines of JSON: for each informer a line that names it, and then one for each object. The objects are those of the moment
 * at which their turn comes, so a dump of a busy cache is not of one resource version.
 */
export async function* cacheDump(
  informers: readonly InspectedInformer[],
  { runtime, unmasked }: CacheDumpOptions,
): AsyncGenerator<string> {
  for (const informer of informers) {
    const { name, indexer } = informer;
    const { resourceVersion, size } = indexer;
    yield `${JSON.stringify({ informer: name, resourceVersion, objects: size, masked: !unmasked })}\n`;
    let lines = '';
    let count = 0;
    for (const key of indexer.keys()) {
      const object = indexer.get(key);
      if (object === undefined) continue;
      const shown = unmasked
        ? object
        : maskedObject(object, { secrets: holdsSecrets(name) }).object;
      lines += `${JSON.stringify({ key, object: shown })}\n`;
      count += 1;
      if (count % SLICE > 0) continue;
      yield lines;
      lines = '';
      await nextTask(runtime);
    }
    if (lines !== '') yield lines;
  }
}

/** By the name of an informer, `v1/secrets` or `v1/secrets in shop`: items of lists may lack their kind. */
export function holdsSecrets(informer: string): boolean {
  return /(?:^|[^\w.])secrets(?:$|[^\w.])/.test(informer);
}

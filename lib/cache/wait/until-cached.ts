import { ListwatchError } from '../../kernel/failure/errors.ts';
import { rejectUnknownOptions } from '../../kernel/options/options.ts';
import { withDeadline } from '../../kernel/time/wait.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { CacheCondition, UntilPresent } from './cache-condition.ts';
import { AwaitedCache } from './awaited-cache.ts';
import { InformerWait, type WaitableCache } from './informer-wait.ts';
import { AwaitedObject } from './awaited-object.ts';
import { checkedTimeout } from './until-options.ts';

const KNOWN: readonly (keyof UntilPresent<unknown>)[] = [
  'name',
  'namespace',
  'key',
  'is',
  'gone',
  'when',
  'timeoutMs',
  'signal',
];

/** Waits for a condition on what an informer has cached; see `until`. */
export async function untilCached<T extends KubernetesObject>(
  informer: WaitableCache<T>,
  condition: CacheCondition<T>,
): Promise<T | undefined> {
  checkCondition(condition);
  const timeoutMs = checkedTimeout(condition.timeoutMs);
  const { signal } = condition;
  signal?.throwIfAborted();
  const awaited =
    condition.when === undefined
      ? new AwaitedObject<T>(informer.name, condition)
      : new AwaitedCache<T>(informer, condition.when);
  const wait = new InformerWait<T>(informer, awaited);
  try {
    return await withDeadline(informer.runtime, wait.result, {
      timeoutMs,
      signal,
      describe: () => wait.describe(),
    });
  } finally {
    wait.end();
  }
}

function checkCondition(condition: CacheCondition<never>): void {
  const refuse = (rule: string): never => {
    throw new ListwatchError('INVALID_OPTION', `until: ${rule}`);
  };
  if (typeof condition !== 'object' || condition === null)
    return refuse('the condition must be an object, e.g. { name, is }');
  rejectUnknownOptions('until', condition, KNOWN);
  const { name, namespace, key, is, gone, when } = condition;
  const selections = [name, key, when].filter((one) => one !== undefined);
  if (selections.length !== 1) return refuse('say one of "name", "key" and "when"');
  for (const [option, text] of Object.entries({ name, key })) {
    if (text !== undefined && (typeof text !== 'string' || text === ''))
      return refuse(`option "${option}" must be a text that is not empty`);
  }
  for (const [option, call] of Object.entries({ is, when })) {
    if (call !== undefined && typeof call !== 'function')
      return refuse(`option "${option}" must be a function`);
  }
  if (namespace !== undefined && name === undefined)
    return refuse('option "namespace" goes with "name"');
  if (gone !== undefined && !gone) return refuse('option "gone" must be true');
  if ([is, gone, when].filter((one) => one !== undefined).length > 1)
    return refuse('say one of "is", "gone" and "when"');
}

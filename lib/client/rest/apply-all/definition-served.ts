import { Backoff } from '../../../kernel/time/backoff.ts';
import { deriveAbort } from '../../../kernel/time/abort.ts';
import { isListwatchError, ListwatchError } from '../../../kernel/failure/errors.ts';
import { sleep, withDeadline } from '../../../kernel/time/wait.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { AppliedResource, ApplyTarget } from './apply-target.ts';

const DELAY = { baseMs: 20, capMs: 1000 };

interface Definition {
  readonly spec?: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string | undefined;
    }[];
  };
}

interface WaitForDefinition {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Waits until a definition of a custom resource is established and discovery knows its versions. Resolves to the definition.
 * @throws {ListwatchError} code TIMEOUT; MANIFEST_INVALID when its names are taken by another definition.
 */
export async function definitionServed(
  { discovery, runtime }: ApplyTarget,
  definitions: AppliedResource,
  name: string,
  { timeoutMs, signal }: WaitForDefinition,
): Promise<UnstructuredObject> {
  const startMs = runtime.monotonicMs();
  const isDecided = (found: UnstructuredObject | undefined): boolean =>
    conditionOf(found, 'Established')?.status === 'True' ||
    conditionOf(found, 'NamesAccepted')?.status === 'False';
  const found = await definitions.wait(name, isDecided, { timeoutMs, signal });
  if (conditionOf(found, 'Established')?.status !== 'True') {
    const reason = conditionOf(found, 'NamesAccepted')?.message ?? 'its names are not accepted';
    throw new ListwatchError('MANIFEST_INVALID', `the server does not serve ${name}: ${reason}`);
  }
  const { group, names, versions } = (found as Definition).spec ?? {};
  const stop = deriveAbort(signal);
  const backoff = new Backoff(runtime, DELAY);
  const isKnown = async (apiVersion: string, kind: string): Promise<void> => {
    for (;;) {
      try {
        await discovery.find(apiVersion, kind, { signal: stop.signal });
        return;
      } catch (error) {
        if (!isListwatchError(error, 'RESOURCE_UNKNOWN')) throw error;
      }
      await sleep(runtime, backoff.step(), { signal: stop.signal });
    }
  };
  const allKnown = async (): Promise<void> => {
    for (const version of versions ?? []) {
      if (version.served) await isKnown(`${group}/${version.name}`, names?.kind ?? '');
    }
  };
  try {
    await withDeadline(runtime, allKnown(), {
      timeoutMs: Math.max(0, timeoutMs - (runtime.monotonicMs() - startMs)),
      signal,
      describe: () => `discovery to know the resources of ${name}, which is established`,
    });
  } finally {
    stop.abort();
  }
  return found as UnstructuredObject;
}

function conditionOf(
  definition: UnstructuredObject | undefined,
  type: string,
): { readonly status: string; readonly message?: string | undefined } | undefined {
  const { conditions } = (definition as Definition | undefined)?.status ?? {};
  return conditions?.find((one) => one.type === type);
}

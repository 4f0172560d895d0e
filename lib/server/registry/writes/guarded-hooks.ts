import { errorMessage } from '../../../kernel/failure/errors.ts';
import { guardedCall } from '../../../kernel/failure/guarded-call.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { groupResource } from '../../../meta/resource.ts';
import type { ResourceDescription, WriteResult } from '../contract/rest-storage.ts';
import type { FinishWrite, StoreHooks } from '../contract/store-hooks.ts';
import type { MutableObject } from '../rules/mutable-object.ts';

/** Its metadata are read only for a message: they may have to be decoded. */
type Named = Pick<WriteResult | MutableObject, 'metadata'>;

/**
 * The same hooks, but an error in one that runs after the write is logged. The object is stored by then, so a failed request would
 * report to the client the opposite of what has happened. An error in a `begin` hook still refuses the write.
 */
export function guardedHooks(
  hooks: StoreHooks,
  describe: ResourceDescription,
  logger: Logger,
): StoreHooks {
  const failed = (hook: string, written: Named, error: unknown): void => {
    const resource = groupResource(describe);
    logger.error('a hook failed after its write', {
      hook,
      resource,
      name: written.metadata.name,
      error: errorMessage(error),
    });
  };
  const guard = (hook: string, written: Named, call: () => unknown): void => {
    guardedCall(call, (error) => failed(hook, written, error));
  };
  /** A promise of the hook is awaited. */
  const guardLong = (
    hook: string,
    written: Named,
    call: () => void | Promise<void>,
  ): void | Promise<void> => {
    try {
      return call()?.catch((error: unknown) => failed(hook, written, error));
    } catch (error) {
      failed(hook, written, error);
    }
  };
  const guardFinish = (
    hook: string,
    object: MutableObject,
    finish: FinishWrite | undefined,
  ): FinishWrite => {
    return (success) => guardLong(`the end of ${hook}`, object, () => finish?.(success));
  };
  return {
    ...(hooks.authorize && { authorize: hooks.authorize.bind(hooks) }),
    ...(hooks.lookUp && { lookUp: hooks.lookUp.bind(hooks) }),
    ...(hooks.prepareCreate && {
      prepareCreate: async (object, dryRun) =>
        guardFinish('prepareCreate', object, await hooks.prepareCreate?.(object, dryRun)),
    }),
    ...(hooks.prepareUpdate && {
      prepareUpdate: async (object, existing, dryRun) =>
        guardFinish('prepareUpdate', object, await hooks.prepareUpdate?.(object, existing, dryRun)),
    }),
    ...(hooks.beginCreate && {
      beginCreate: async (object) =>
        guardFinish('beginCreate', object, await hooks.beginCreate?.(object)),
    }),
    ...(hooks.beginUpdate && {
      beginUpdate: async (object, existing) =>
        guardFinish('beginUpdate', object, await hooks.beginUpdate?.(object, existing)),
    }),
    ...(hooks.afterCreate && {
      afterCreate: (result) => {
        guard('afterCreate', result, () => hooks.afterCreate?.(result));
      },
    }),
    ...(hooks.afterUpdate && {
      afterUpdate: (result) => {
        guard('afterUpdate', result, () => hooks.afterUpdate?.(result));
      },
    }),
    ...(hooks.afterDelete && {
      afterDelete: (result) => guardLong('afterDelete', result, () => hooks.afterDelete?.(result)),
    }),
  };
}

import { isStrayPromise } from '../../kernel/guarded-call.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { DecodedView, type ObjectView } from '../../meta/object-view.ts';
import { FrozenView } from '../store/frozen-view.ts';

/** What happens to every object before it is stored. */
export type PrepareObject<T extends KubernetesObject> = (view: ObjectView<T>) => ObjectView<T>;

export interface PrepareObjectOptions<T extends KubernetesObject> {
  readonly transform: ((object: T) => T) | undefined;
  readonly freeze: boolean;
}

/** Undefined when objects are stored as they come. A transform makes every body be decoded. */
export function prepareObject<T extends KubernetesObject>({
  transform,
  freeze,
}: PrepareObjectOptions<T>): PrepareObject<T> | undefined {
  const settle: PrepareObject<T> = (view) => (freeze ? new FrozenView(view) : view);
  if (transform === undefined) return freeze ? settle : undefined;
  return ({ object, sizeBytes }) => {
    const transformed = transform(object);
    // The queue reports what is no object.
    return typeof transformed === 'object' && transformed !== null && !isStrayPromise(transformed)
      ? settle(new DecodedView(transformed, sizeBytes))
      : (transformed as never);
  };
}

import { isStrayPromise } from '../../kernel/failure/guarded-call.ts';
import type { JsonProjection } from '../../meta/json/json-projection.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { DecodedView, type ObjectView } from '../../meta/object-view.ts';
import { FrozenView } from '../store/frozen-view.ts';

/** The preparation of every object before it is stored. */
export type PrepareObject<T extends KubernetesObject> = (view: ObjectView<T>) => ObjectView<T>;

export interface PrepareObjectOptions<T extends KubernetesObject> {
  readonly projection: JsonProjection | undefined;
  readonly transform: ((object: T) => T) | undefined;
  readonly freeze: boolean;
}

/** Undefined if objects are stored as they arrive. With a transform every body, after projection, is decoded. */
export function prepareObject<T extends KubernetesObject>({
  projection,
  transform,
  freeze,
}: PrepareObjectOptions<T>): PrepareObject<T> | undefined {
  const project: PrepareObject<T> = (view) => projection?.view(view) ?? view;
  const settle: PrepareObject<T> = (view) => (freeze ? new FrozenView(view) : view);
  if (transform === undefined) {
    return projection !== undefined || freeze ? (view) => settle(project(view)) : undefined;
  }
  return (view) => {
    const { object, sizeBytes } = project(view);
    const transformed = transform(object);
    // The queue reports values that are not objects.
    return typeof transformed === 'object' && transformed !== null && !isStrayPromise(transformed)
      ? settle(new DecodedView(transformed, sizeBytes))
      : (transformed as never);
  };
}

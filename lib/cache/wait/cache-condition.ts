import type { StoreReader } from '../store/store-reader.ts';
import type { UntilOptions } from './until-options.ts';

/** Selects an object: by its name, in one namespace or in any, or by its key in the cache. */
export type ObjectSelection =
  | {
      readonly name: string;
      /** Left out: any namespace, and objects without a namespace. */
      readonly namespace?: string | undefined;
      readonly key?: undefined;
    }
  | {
      /** As handlers get it, e.g. `shop/web-0`. */
      readonly key: string;
      readonly name?: undefined;
      readonly namespace?: undefined;
    };

interface UntilObject extends UntilOptions {
  readonly when?: undefined;
}

/** Waits until an object exists and satisfies a condition. */
export type UntilPresent<T> = ObjectSelection &
  UntilObject & {
    /**
     * The condition on the object. It is called for every state of the object that the informer sees, and not while the object
     * is absent. It must be synchronous.
     * @defaultValue the object has to exist
     */
    readonly is?: ((object: T) => boolean | undefined) | undefined;
    readonly gone?: undefined;
  };

/** As `UntilPresent`, with a condition that narrows the type of the object. */
export type UntilNarrowed<T, S extends T> = ObjectSelection &
  UntilObject & {
    readonly is: (object: T) => object is S;
    readonly gone?: undefined;
  };

/** Waits until an object does not exist. */
export type UntilGone = ObjectSelection &
  UntilObject & {
    readonly gone: true;
    readonly is?: undefined;
  };

/** Waits until a condition on the whole cache is true. */
export interface UntilCached<T> extends UntilOptions {
  /** Called with the whole first list, and again after changes; once for several changes if there are many. It must be synchronous. */
  readonly when: (cache: StoreReader<T>) => boolean | undefined;
  readonly name?: undefined;
  readonly namespace?: undefined;
  readonly key?: undefined;
  readonly is?: undefined;
  readonly gone?: undefined;
}

export type CacheCondition<T> = UntilPresent<T> | UntilGone | UntilCached<T>;

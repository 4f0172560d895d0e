import type { StoreReader } from '../store/store-reader.ts';
import type { UntilOptions } from './until-options.ts';

/** Which object: by its name, in one namespace or in any, or by the key under which the cache has it. */
export type ObjectSelection =
  | {
      readonly name: string;
      /** Left out: whichever, also for objects that have none. */
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

/** Until an object is there, and as it should be. */
export type UntilPresent<T> = ObjectSelection &
  UntilObject & {
    /**
     * The condition on the object; called for every state of it that the informer sees, and never while it is absent. It must
     * be synchronous.
     * @defaultValue it has to exist
     */
    readonly is?: ((object: T) => boolean | undefined) | undefined;
    readonly gone?: undefined;
  };

/** As `UntilPresent`, with a condition that says what type the object is of then. */
export type UntilNarrowed<T, S extends T> = ObjectSelection &
  UntilObject & {
    readonly is: (object: T) => object is S;
    readonly gone?: undefined;
  };

/** Until an object is not there, or not any more. */
export type UntilGone = ObjectSelection &
  UntilObject & {
    readonly gone: true;
    readonly is?: undefined;
  };

/** Until something is true of the cache as a whole. */
export interface UntilCached<T> extends UntilOptions {
  /** Asked about the whole first list, and again after changes; not after each, when there are many. It must be synchronous. */
  readonly when: (cache: StoreReader<T>) => boolean | undefined;
  readonly name?: undefined;
  readonly namespace?: undefined;
  readonly key?: undefined;
  readonly is?: undefined;
  readonly gone?: undefined;
}

export type CacheCondition<T> = UntilPresent<T> | UntilGone | UntilCached<T>;

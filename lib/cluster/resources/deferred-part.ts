import type { ObjectMeta } from '../../meta/object.ts';
import type { ClusterPart } from './cluster-parts.ts';
import type { ResourceMonitors } from './resource-monitors.ts';

export interface DeferredPartOptions {
  readonly monitors: Pick<ResourceMonitors, 'addHandler'>;
  /** The full names of resources, e.g. `deployments.apps`: the first object of one of them begins the work. */
  readonly resources: readonly string[];
  /** Whether an object concerns it. @defaultValue each does */
  readonly concerns?: ((metadata: ObjectMeta) => boolean) | undefined;
  /** Makes the part when it is needed. */
  readonly make: () => ClusterPart;
}

/**
 * A part of a cluster that begins its work when the first object is there that concerns it, so that a cluster without such objects pays
 * for no watch and no cache of it. Once begun, it works until its disposal.
 */
export class DeferredPart implements ClusterPart {
  readonly #make: () => ClusterPart;
  #part: ClusterPart | undefined;
  #isClosed = false;

  /** To be made before the monitors start. */
  constructor({ monitors, resources, concerns = () => true, make }: DeferredPartOptions) {
    this.#make = make;
    monitors.addHandler({
      resources,
      present: (_resource, metadata) => {
        if (this.#part === undefined && concerns(metadata)) this.#begin();
      },
      gone: () => {},
    });
  }

  /** Whether the work has begun. */
  get isAwake(): boolean {
    return this.#part !== undefined;
  }

  start(): void {}

  pending(): string | undefined {
    return this.#part?.pending?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#part?.[Symbol.asyncDispose]();
  }

  #begin(): void {
    if (this.#isClosed) return;
    this.#part = this.#make();
    this.#part.start();
  }
}

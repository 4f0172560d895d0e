import type { Stored } from '../../../meta/stored.ts';
import type { Pod, PodSpec } from '../../../types/built-in/core-v1-kinds.ts';

/** A pod as the API server gives it. */
export type LifePod = Stored<Pod> & { readonly spec: PodSpec };

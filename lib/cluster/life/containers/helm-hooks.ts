import type { Pod } from '../../../types/built-in/core-v1-kinds.ts';
import type { ContainerBehaviour } from './container-behaviour.ts';

/**
 * The behaviour of a container in a pod that is a hook or a test of Helm, which waits for the end of the pod; undefined for every other
 * pod. It ends well, and its log says why.
 */
export function helmHook({ metadata, spec }: Pod): ContainerBehaviour | undefined {
  const isHook = metadata?.annotations?.['helm.sh/hook'] !== undefined;
  if (!isHook || spec?.restartPolicy === 'Always') return undefined;
  return { runsForMs: 0, output: ['a model of a container: its program was not run'] };
}

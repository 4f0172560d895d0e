import type { PodSpec, Volume } from '../../../types/built-in/core-v1-kinds.ts';

/** An object without which a pod, or a container of it, does not start. */
export interface PodNeed {
  readonly resource: 'configmaps' | 'secrets' | 'persistentvolumeclaims';
  readonly name: string;
  /** A key that it must have. */
  readonly key?: string | undefined;
  /** The container whose environment names it; undefined: a volume does. */
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
}

interface ObjectName {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
}

/** Every namespace has it, unless nothing publishes it. */
const ROOT_CERTIFICATES = 'kube-root-ca.crt';

/** The objects that a pod needs, without those that are optional. */
export function podNeeds(podName: string, spec: PodSpec): readonly PodNeed[] {
  const needs: PodNeed[] = [];
  for (const volume of spec.volumes ?? []) needs.push(...volumeNeeds(podName, volume));
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const add = (
      resource: PodNeed['resource'],
      source: (ObjectName & { readonly key?: string | undefined }) | undefined,
    ): void => {
      if (!isNeeded(source)) return;
      const { name, key } = source;
      needs.push({ resource, name, key, container: container.name });
    };
    for (const { configMapRef, secretRef } of container.envFrom ?? []) {
      add('configmaps', configMapRef);
      add('secrets', secretRef);
    }
    for (const { valueFrom } of container.env ?? []) {
      add('configmaps', valueFrom?.configMapKeyRef);
      add('secrets', valueFrom?.secretKeyRef);
    }
  }
  return needs;
}

function volumeNeeds(podName: string, volume: Volume): readonly PodNeed[] {
  const { configMap, secret, projected, persistentVolumeClaim, ephemeral } = volume;
  const of = (resource: PodNeed['resource'], source: ObjectName | undefined): PodNeed[] =>
    isNeeded(source) ? [{ resource, name: source.name, volume: volume.name }] : [];
  const claim =
    ephemeral === undefined ? persistentVolumeClaim?.claimName : `${podName}-${volume.name}`;
  return [
    ...of('configmaps', configMap),
    ...of('secrets', secret && { name: secret.secretName, optional: secret.optional }),
    ...of('persistentvolumeclaims', { name: claim }),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...of('configmaps', source.configMap),
      ...of('secrets', source.secret),
    ]),
  ];
}

function isNeeded<Source extends ObjectName>(
  source: Source | undefined,
): source is Source & { readonly name: string } {
  const { name = '', optional = false } = source ?? {};
  return name !== '' && !optional && name !== ROOT_CERTIFICATES;
}

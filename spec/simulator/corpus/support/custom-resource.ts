import type { KubernetesObject } from '../../../../lib/meta/object.ts';

export interface CustomResourceOptions {
  /** E.g. `zookeeper.pravega.io/v1beta1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  /** Whether the status is written through a subresource. @defaultValue true */
  readonly status?: boolean | undefined;
}

/** The definition of a namespaced custom resource that takes any fields. */
export function customResource(options: CustomResourceOptions): KubernetesObject {
  const { apiVersion, kind, plural, status = true } = options;
  const [group = '', version = ''] = apiVersion.split('/');
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(status ? { subresources: { status: {} } } : {}),
          schema: { openAPIV3Schema },
        },
      ],
    },
  } as KubernetesObject;
}

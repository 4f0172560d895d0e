import type { AdmissionPlugIn, PlugInParts } from '../../server/registry/contract/plug-in.ts';
import { ClaimResize } from './claim-resize.ts';
import { CLAIMS, DefaultClass, INGRESSES, PODS } from './default-class.ts';
import { annotatedDefault, FollowedClasses, lowestFirst, newestFirst } from './followed-classes.ts';
import { LimitRanger } from './limit-ranger.ts';
import { PodDefaults } from './pod-defaults.ts';
import { ResourceQuotas } from './resource-quota.ts';
import { ServiceAccountAdmission } from './service-account-admission.ts';
import { StorageObjectInUseProtection } from './storage-object-in-use-protection.ts';

/**
 * The plug-ins of admission, in kube-apiserver's order as far as requests can show it. The webhooks see what the plug-ins before them have
 * set. Quotas come last: they count what is written.
 * @see kubernetes pkg/kubeapiserver/options/plugins.go AllOrderedPlugins @ v1.36.3
 */
export function builtInPlugIns(
  parts: PlugInParts,
  hooksAndWebhooks: readonly AdmissionPlugIn[],
): readonly AdmissionPlugIn[] {
  const storageClasses = new FollowedClasses(parts, {
    group: 'storage.k8s.io',
    resource: 'storageclasses',
    isDefault: annotatedDefault(
      'storageclass.kubernetes.io/is-default-class',
      'storageclass.beta.kubernetes.io/is-default-class',
    ),
    order: newestFirst,
  });
  const ingressClasses = new FollowedClasses(parts, {
    group: 'networking.k8s.io',
    resource: 'ingressclasses',
    isDefault: annotatedDefault('ingressclass.kubernetes.io/is-default-class'),
    order: newestFirst,
  });
  const priorityClasses = new FollowedClasses(parts, {
    group: 'scheduling.k8s.io',
    resource: 'priorityclasses',
    isDefault: (object) => object['globalDefault'] === true,
    order: lowestFirst,
  });
  return [
    new LimitRanger(parts),
    ...(parts.serviceAccounts ? [new ServiceAccountAdmission(parts)] : []),
    new DefaultClass(PODS, priorityClasses),
    new DefaultClass(CLAIMS, storageClasses),
    new ClaimResize(storageClasses),
    new DefaultClass(INGRESSES, ingressClasses),
    new StorageObjectInUseProtection(),
    new PodDefaults(parts),
    ...hooksAndWebhooks,
    new ResourceQuotas(parts),
  ];
}

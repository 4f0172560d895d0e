import type { UnstructuredObject } from '../../../meta/object.ts';

/**
 * Versions of built-in kinds that a storage may have and that are not served here, by the version that is, which has the same fields.
 * kube-apiserver 1.36 itself writes policies of mutating admission as v1beta1; an older one has left the others.
 */
const SERVED: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'admissionregistration.k8s.io',
    [
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ],
  ],
  ['networking.k8s.io', ['IPAddress', 'ServiceCIDR']],
  ['storage.k8s.io', ['VolumeAttributesClass']],
]);

const OLD = '/v1beta1';

/** The version in which an object that is stored in this one is served; the same one for most. */
export function servedVersion(apiVersion: string, kind: string): string {
  if (!apiVersion.endsWith(OLD)) return apiVersion;
  const group = apiVersion.slice(0, -OLD.length);
  return SERVED.get(group)?.includes(kind) === true ? `${group}/v1` : apiVersion;
}

/** An object from the storage in the version in which it is served. */
export function inServedVersion(object: UnstructuredObject): UnstructuredObject {
  const { apiVersion = '', kind = '' } = object;
  const served = servedVersion(apiVersion, kind);
  return served === apiVersion ? object : { ...object, apiVersion: served };
}

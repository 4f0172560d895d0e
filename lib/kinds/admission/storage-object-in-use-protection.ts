import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import type { AdmissionPlugIn } from '../../server/registry/contract/plug-in.ts';

interface ProtectedResource {
  readonly group: string;
  readonly finalizer: string;
}

/** By plural. */
const PROTECTED: ReadonlyMap<string, ProtectedResource> = new Map([
  ['persistentvolumeclaims', { group: '', finalizer: 'kubernetes.io/pvc-protection' }],
  ['persistentvolumes', { group: '', finalizer: 'kubernetes.io/pv-protection' }],
  [
    'volumeattributesclasses',
    { group: 'storage.k8s.io', finalizer: 'kubernetes.io/vac-protection' },
  ],
]);

/**
 * Gives new claims, volumes and classes of volume attributes the finalizer that keeps them while they are used. A controller of the cluster
 * removes it.
 * @see plugin/pkg/admission/storage/storageobjectinuseprotection @ v1.36.3
 */
export class StorageObjectInUseProtection implements AdmissionPlugIn {
  readonly name = 'StorageObjectInUseProtection';

  wants({ group, resource, subresource, operation }: AdmissionScope): boolean {
    if (operation !== 'CREATE' || subresource !== '') return false;
    return PROTECTED.get(resource)?.group === group;
  }

  mutate(request: AdmissionRequest): void {
    const { object, target } = request;
    const finalizer = PROTECTED.get(target.resource)?.finalizer;
    if (object === undefined || finalizer === undefined) return;
    const { finalizers = [] } = object.metadata ?? {};
    if (finalizers.includes(finalizer)) return;
    const metadata = { ...object.metadata, finalizers: [...finalizers, finalizer] };
    request.object = { ...object, metadata };
  }
}

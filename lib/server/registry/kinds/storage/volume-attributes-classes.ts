import type { KindRules } from '../contract/kind-rules.ts';

const PROTECTION = 'kubernetes.io/vac-protection';

/** A class stays while volumes use it. @see kubernetes plugin/pkg/admission/storage/storageobjectinuseprotection @ 1.36.3 */
export const volumeAttributesClasses: KindRules = {
  group: 'storage.k8s.io',
  resource: 'volumeattributesclasses',
  strategy: {
    prepareForCreate({ metadata }) {
      const { finalizers = [] } = metadata;
      if (!finalizers.includes(PROTECTION)) metadata.finalizers = [...finalizers, PROTECTION];
    },
  },
};

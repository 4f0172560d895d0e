import { recordAt } from '../../meta/json-value.ts';
import type { Publication } from './published-object.ts';

/** The name of the account of pods that name none. */
export const DEFAULT_ACCOUNT = 'default';
/** The config map that pods mount to trust the server. */
export const ROOT_CERTIFICATE_MAP = 'kube-root-ca.crt';
const CERTIFICATE_KEY = 'ca.crt';

/** The service account of pods that name none. */
export const defaultAccount: Publication = {
  apiVersion: 'v1',
  resource: 'serviceaccounts',
  name: DEFAULT_ACCOUNT,
  object: () => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: DEFAULT_ACCOUNT },
  }),
  repair: () => undefined,
};

/** The certificate authority of the server. */
export function rootCertificates(authority: string): Publication {
  const data = { [CERTIFICATE_KEY]: authority };
  return {
    apiVersion: 'v1',
    resource: 'configmaps',
    name: ROOT_CERTIFICATE_MAP,
    object: () => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: ROOT_CERTIFICATE_MAP,
        annotations: { 'kubernetes.io/description': DESCRIPTION },
      },
      data,
    }),
    repair: (existing) => {
      const present = recordAt(existing, 'data') ?? {};
      const others = Object.keys(present).filter((key) => key !== CERTIFICATE_KEY);
      if (others.length === 0 && present[CERTIFICATE_KEY] === authority) return undefined;
      return { data: { ...Object.fromEntries(others.map((key) => [key, null])), ...data } };
    },
  };
}

/** As every cluster has it. @see kubernetes pkg/controller/certificates/rootcacertpublisher @ v1.36.3 */
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

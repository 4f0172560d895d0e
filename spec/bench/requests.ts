import type { ApiRequest } from '../../lib/server/http/api-request.ts';
import type { UnstructuredObject } from '../../lib/meta/object.ts';

const NEVER = new AbortController().signal;
/** Makes an object of about 1 KB. */
const TEXT = 'x'.repeat(800);

export function configMap(name: string): UnstructuredObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { app: 'bench' } },
    data: { text: TEXT },
  };
}

export function requestOf(
  method: string,
  url: string,
  body?: object,
  signal: AbortSignal = NEVER,
): ApiRequest {
  return {
    method,
    url,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
    signal,
  };
}

/** A pod as a cluster has it, of about 3.9 KB. */
export function pod(index: number): UnstructuredObject & {
  readonly metadata: { readonly name: string; readonly namespace: string };
} {
  const suffix = ((index * 2_654_435_761) % 2 ** 32).toString(36);
  const app = `app-${index % 100}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${app}-${suffix}-${index}`,
      namespace: `ns-${index % 50}`,
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      creationTimestamp: '2030-01-02T03:04:05Z',
      labels: { app, 'pod-template-hash': suffix },
      annotations: { 'example.com/config': `${suffix}${TEXT.repeat(3)}` },
    },
    spec: {
      nodeName: `node-${index % 500}`,
      serviceAccountName: 'default',
      containers: Array.from({ length: 3 }, (_, container) => ({
        name: `container-${container}`,
        image: `registry.example.com/${app}/container-${container}:v1.${index % 20}`,
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        volumeMounts: [{ name: 'config', mountPath: '/etc/config', readOnly: true }],
      })),
      volumes: [{ name: 'config', configMap: { name: app, defaultMode: 420 } }],
    },
    status: {
      phase: 'Running',
      podIP: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: '2030-01-02T03:04:05Z',
      })),
    },
  };
}

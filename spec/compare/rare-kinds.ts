import { clusterKind, kind, type Kind } from './kind.ts';

/** Concerns nothing that is served, so that other scenarios do not notice. */
const nothing = {
  apiGroups: ['nothing.example'],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['things'],
};
const webhooks = [
  {
    name: 'hook.demo.example',
    clientConfig: { url: 'https://192.0.2.9/hook' },
    rules: [nothing],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  },
];
const admission = 'admissionregistration.k8s.io/v1';
const resource = 'resource.k8s.io/v1';
const storage = 'storage.k8s.io/v1';
const flow = 'flowcontrol.apiserver.k8s.io/v1';
const claim = { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'demo' } }] } };
/** Of a throw-away key: `/CN=demo`. */
const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISU1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RVpHVnRiekJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQklLNlJVSk9uT2NJbnp6NTBCL1dBQ2ZvblpiNGxiTUZsbDVWYStXZThORTkzWkxyZ2YzVkFXUGxISm9SCmpUZFNyUFVHLzZDaEx2MTNTdVFJUGlSWllydWdBREFLQmdncWhrak9QUVFEQWdOSEFEQkVBaUJRSmIwaEhsejUKWmhPSExoV3JaV1QrSEJTeHVDcmY0UzRRdjUwYk1ESWs2UUlnYnp4NmlNR3FCZVFST3IwZjRwd3dHdHpFUEo4bgpoU3JOZ2tMYlhRQUFKSEk9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

/** Kinds that few clients write: admission, devices, requests for certificates, the parts of storage and of flow control. */
export const rareKinds: readonly Kind[] = [
  clusterKind(admission, 'ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', {
    webhooks,
  }),
  clusterKind(admission, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', {
    webhooks,
  }),
  clusterKind(admission, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', {
    spec: { policyName: 'none', validationActions: ['Audit'] },
  }),
  clusterKind(admission, 'MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings', {
    spec: { policyName: 'none' },
  }),
  clusterKind('certificates.k8s.io/v1', 'CertificateSigningRequest', 'certificatesigningrequests', {
    spec: { request: REQUEST, signerName: 'demo.example/signer', usages: ['client auth'] },
  }),
  clusterKind(flow, 'PriorityLevelConfiguration', 'prioritylevelconfigurations', {
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } },
    },
  }),
  clusterKind(resource, 'DeviceClass', 'deviceclasses', {
    spec: { selectors: [{ cel: { expression: "device.driver == 'demo.example'" } }] },
  }),
  kind(resource, 'ResourceClaim', 'resourceclaims', { spec: claim }),
  kind(resource, 'ResourceClaimTemplate', 'resourceclaimtemplates', { spec: { spec: claim } }),
  clusterKind(resource, 'ResourceSlice', 'resourceslices', {
    spec: {
      driver: 'demo.example',
      nodeName: 'n1',
      pool: { name: 'pool', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'device-1' }],
    },
  }),
  clusterKind(storage, 'CSINode', 'csinodes', {
    spec: { drivers: [{ name: 'demo.example', nodeID: 'n1', topologyKeys: ['zone'] }] },
  }),
  clusterKind(storage, 'VolumeAttachment', 'volumeattachments', {
    spec: { attacher: 'demo.example', nodeName: 'n1', source: { persistentVolumeName: 'v1' } },
  }),
  clusterKind(storage, 'VolumeAttributesClass', 'volumeattributesclasses', {
    driverName: 'demo.example',
    parameters: { iops: '100' },
  }),
  kind('autoscaling/v1', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'demo' },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 60,
    },
  }),
];

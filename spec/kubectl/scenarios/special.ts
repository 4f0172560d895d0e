import { scenario, type Scenario } from '../scenario.ts';
import { DEFINITION, MAP, WIDGET } from './manifests.ts';

const REQUEST = `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: { name: "{ns}-NAME" }
spec:
  request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HMENBUUF3Q3pFSk1BY0dBMVVFQXd3QU1Ga3dFd1lIS29aSXpqMENBUVlJS29aSXpqMERBUWNEUWdBRQo=
  signerName: example.com/signer
  usages: [client auth]
`;

const BINDING = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader }
rules: [{ apiGroups: [""], resources: [pods], verbs: [get, list] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: reader }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }
subjects: [{ kind: User, name: jane, apiGroup: rbac.authorization.k8s.io }]
`;

/** Commands about access, custom resources and the rest. */
export const special: readonly Scenario[] = [
  scenario(
    'access',
    { 'binding.yaml': BINDING, 'more.yaml': BINDING.replace('[get, list]', '[get, list, watch]') },
    `
    auth can-i get pods
    auth can-i get pods --as=jane
    auth can-i '*' '*'
    auth can-i get nope
    auth can-i get /metrics --as=jane
    auth can-i --list --as=jane
    auth can-i get pods --subresource=log -q
    auth can-i
    auth whoami
    auth whoami --as=jane -o yaml
    auth reconcile -f binding.yaml
    auth reconcile -f binding.yaml
    auth reconcile -f more.yaml
    auth reconcile -f more.yaml --dry-run=server
    get role reader -o jsonpath={.rules[0].verbs}
    wait role/reader --for=jsonpath='{.metadata.name}'=reader --timeout=5s
    get cm --as=jane
    get nodes --as=jane
    create cm x --as=jane
    delete cm x --as=jane
    get cm --as=admin --as-group=system:masters -o name
    get cm --token=nonsense
    get cm --username=a --password=b
    `,
  ),
  scenario(
    'certificates',
    {
      'a.yaml': REQUEST.replace('NAME', 'a'),
      'bad.yaml': REQUEST.replace('NAME', 'bad').replace(/request: .*/, 'request: bm9uc2Vuc2U='),
    },
    `
    create -f bad.yaml
    create -f a.yaml
    get csr {ns}-a
    certificate approve {ns}-a
    certificate deny {ns}-a
    certificate approve {ns}-none
    get csr {ns}-none
    `,
  ),
  scenario(
    'custom resources',
    {
      'definition.yaml': DEFINITION,
      'widget.yaml': WIDGET,
      'large.yaml': WIDGET.replace('size: 3', 'size: 5'),
      'bad-size.yaml': WIDGET.replace('size: 3', 'size: 0'),
      'bad-color.yaml': WIDGET.replace('size: 3', 'size: 3\n  color: blue'),
      'bad-type.yaml': WIDGET.replace('size: 3', 'size: many'),
      'surplus.yaml': WIDGET.replace('size: 3', 'size: 3\n  surplus: 1'),
      'none.yaml': WIDGET.replace('spec:\n  size: 3', 'spec: {}'),
    },
    `
    create -f widget.yaml
    create -f definition.yaml
    wait crd/widgets.{ns}.example.com --for=condition=Established --timeout=30s
    get crd widgets.{ns}.example.com
    api-resources --api-group={ns}.example.com
    api-resources --api-group={ns}.example.com -o wide
    get widgets.{ns}.example.com
    create -f widget.yaml
    create -f widget.yaml
    get {ns}w
    get widgets.{ns}.example.com -o wide
    get widgets.{ns}.example.com one -o yaml
    get {ns}all
    describe widgets.{ns}.example.com one
    apply -f large.yaml
    apply -f large.yaml --server-side
    apply -f bad-size.yaml
    apply -f bad-color.yaml
    apply -f bad-type.yaml
    apply -f surplus.yaml
    apply -f surplus.yaml --validate=false
    apply -f none.yaml
    patch widgets.{ns}.example.com one --type=merge -p '{"spec":{"color":"green"}}'
    patch widgets.{ns}.example.com one -p '{"spec":{"color":"green"}}'
    patch widgets.{ns}.example.com one --subresource=status --type=merge -p '{"status":{"size":2}}'
    scale widgets.{ns}.example.com one --replicas=7
    get widgets.{ns}.example.com one -o jsonpath='{.spec.size} {.status.size} {.metadata.generation}'
    label widgets.{ns}.example.com one app=x
    annotate widgets.{ns}.example.com one note=x
    explain widgets.{ns}.example.com.spec
    explain widgets.{ns}.example.com.spec.size
    get widgets.{ns}.example.com -l app=x --show-labels
    get widgets.v9.{ns}.example.com
    delete widgets.{ns}.example.com one
    delete crd widgets.{ns}.example.com
    get widgets.{ns}.example.com
    `,
  ),
  scenario(
    'storage and network',
    {
      'objects.yaml': `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: disk }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: "{ns}-pv", labels: { of: "{ns}" } }
spec: { capacity: { storage: 1Gi }, accessModes: [ReadWriteOnce], hostPath: { path: /data } }
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: "{ns}-fast", labels: { of: "{ns}" } }
provisioner: example.com/disk
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: closed }
spec: { podSelector: {}, policyTypes: [Ingress] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: slice, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
endpoints: [{ addresses: [192.0.2.7] }]
ports: [{ name: http, port: 80 }]
---
apiVersion: v1
kind: LimitRange
metadata: { name: limits }
spec: { limits: [{ type: Container, max: { memory: 1Gi } }] }
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: { name: lead }
spec: { holderIdentity: one, leaseDurationSeconds: 15 }
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: { name: "{ns}-ic", labels: { of: "{ns}" } }
spec: { controller: example.com/ingress }
`,
    },
    `
    apply -f objects.yaml
    apply -f objects.yaml
    get pvc,netpol,endpointslices,limits,leases
    get pv,sc,ingressclasses -l of={ns}
    get pvc disk -o yaml
    get pv {ns}-pv -o wide
    get sc {ns}-fast -o yaml
    get lease lead -o yaml
    get endpointslice slice
    get netpol closed -o yaml
    describe pvc disk
    describe pv {ns}-pv
    describe sc {ns}-fast
    describe netpol closed
    describe limits limits
    describe lease lead
    describe endpointslice slice
    describe ingressclass {ns}-ic
    delete -f objects.yaml --wait=false
    `,
  ),
  scenario(
    'namespaces and events',
    {
      'event.yaml': `apiVersion: v1
kind: Event
metadata: { name: begun }
involvedObject: { kind: ConfigMap, name: blue, namespace: "{ns}", apiVersion: v1 }
reason: Begun
message: it began
type: Normal
source: { component: demo }
firstTimestamp: "2024-05-01T10:00:00Z"
lastTimestamp: "2024-05-01T10:00:00Z"
count: 2
`,
      'map.yaml': MAP,
    },
    `
    create -f map.yaml -f event.yaml
    get ns {ns}
    get ns {ns} -o yaml
    get ns none
    label ns {ns} team=a
    get ns -l team=a,kubernetes.io/metadata.name={ns} --show-labels
    get events
    get ev begun -o yaml
    get events.events.k8s.io
    get events --field-selector reason=Begun
    get events --field-selector involvedObject.name=none
    events
    events --for=cm/blue
    events --types=Warning
    describe cm blue
    describe ns {ns}
    create quota q --hard=configmaps=5
    describe ns {ns}
    delete ns none
    delete ns default --dry-run=server
    delete ns kube-system --dry-run=client
    `,
  ),
];

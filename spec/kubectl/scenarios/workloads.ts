import { scenario, type Scenario } from '../scenario.ts';
import { DEPLOYMENT, POD } from './manifests.ts';

const revision = (number: number, image: string): string => `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-${number}
  labels: { app: web, pod-template-hash: h${number} }
  annotations: { deployment.kubernetes.io/revision: "${number}", kubernetes.io/change-cause: "change ${number}" }
  ownerReferences: [{ apiVersion: apps/v1, kind: Deployment, name: web, uid: "{{uid}}", controller: true }]
spec:
  replicas: 0
  selector: { matchLabels: { app: web, pod-template-hash: h${number} } }
  template:
    metadata: { labels: { app: web, pod-template-hash: h${number} } }
    spec: { containers: [{ name: web, image: "${image}", ports: [{ containerPort: 80 }] }] }
`;

/** Commands about workloads, nodes and pods. */
export const workloads: readonly Scenario[] = [
  scenario(
    'scale',
    { 'web.yaml': DEPLOYMENT },
    `
    create -f web.yaml
    create job once --image=busybox -- true
    scale deploy web --replicas=3
    scale deploy web --replicas=3 --current-replicas=9
    scale --replicas=1 -f web.yaml
    scale deploy web --replicas=2 --current-replicas=1
    scale deploy none --replicas=1
    scale deploy web --replicas=-1
    scale deploy web
    scale job once --replicas=1
    scale cm none --replicas=1
    scale deploy --all --replicas=0 --dry-run=server
    get deploy web -o jsonpath={.spec.replicas}
    get deploy web --subresource=scale
    get deploy web --subresource=scale -o yaml
    get deploy web --subresource=nonsense
    autoscale deployment web --min=1 --max=5 --cpu-percent=80
    autoscale deployment web --max=5
    autoscale deployment web --name=second --max=3 --dry-run=server -o yaml
    autoscale deployment none --max=2
    autoscale deployment web --name=third --min=5 --max=2
    get hpa
    describe hpa web
    get hpa.v1.autoscaling web -o jsonpath={.spec.targetCPUUtilizationPercentage}
    `,
  ),
  scenario(
    'rollout',
    {
      'web.yaml': DEPLOYMENT,
      'first.yaml': revision(1, 'registry.example/web:0'),
      'second.yaml': revision(2, 'registry.example/web:1'),
    },
    `
    create -f web.yaml
    rollout history deploy web
    rollout undo deploy web
    @uid = get deploy web -o jsonpath={.metadata.uid}
    create -f first.yaml -f second.yaml
    get rs
    rollout history deploy web
    rollout history deploy web --revision=1
    rollout history deploy web --revision=9
    rollout undo deploy web --dry-run=server
    rollout undo deploy web --to-revision=1
    get deploy web -o jsonpath={.spec.template.spec.containers[0].image}
    rollout undo deploy web --to-revision=9
    rollout pause deploy web
    rollout pause deploy web
    get deploy web -o jsonpath={.spec.paused}
    rollout restart deploy web
    rollout resume deploy web
    rollout resume deploy web
    rollout restart deploy web
    rollout restart deploy none
    rollout restart cm web
    rollout status deploy web --timeout=1s
    rollout status deploy web --watch=false
    rollout status deploy none --timeout=1s
    `,
  ),
  scenario(
    'set',
    { 'web.yaml': DEPLOYMENT, 'pod.yaml': POD },
    `
    create -f web.yaml -f pod.yaml
    create serviceaccount robot
    create configmap settings --from-literal=COLOR=blue
    create rolebinding b --clusterrole=view --user=one
    create service clusterip web --tcp=80
    set image deploy/web web=registry.example/web:2
    set image deploy/web none=x
    set image deploy web '*=registry.example/web:3'
    set image pod/web web=registry.example/web:9
    set env deploy/web COLOR=red
    set env deploy/web --list
    set env deploy/web COLOR-
    set env deploy/web --from=configmap/settings --prefix=P_
    set resources deploy web --limits=cpu=200m,memory=512Mi --requests=cpu=100m
    set resources deploy web --limits=cpu=much
    set serviceaccount deploy web robot
    set selector service web app=other
    set subject rolebinding b --user=two
    set image deploy/none a=b
    set image deploy/web web=x --dry-run=server
    set image -f web.yaml web=local --local -o jsonpath={.spec.template.spec.containers[0].image}
    get deploy web -o yaml
    get rolebinding b -o wide
    `,
  ),
  scenario(
    'nodes',
    {
      'node.yaml':
        'apiVersion: v1\nkind: Node\nmetadata: { name: "{ns}-n1", labels: { kubernetes.io/hostname: n1 } }\n',
      'pod.yaml': POD.replace('spec:', 'spec:\n  nodeName: "{ns}-n1"'),
    },
    `
    create -f node.yaml
    get node {ns}-n1
    get node {ns}-n1 -o wide
    cordon {ns}-n1
    cordon {ns}-n1
    get node {ns}-n1 -o jsonpath={.spec}
    uncordon {ns}-n1
    taint node {ns}-n1 key=value:NoSchedule
    taint node {ns}-n1 key=value:NoSchedule
    taint node {ns}-n1 key=other:NoSchedule --overwrite
    taint node {ns}-n1 key:NoSchedule-
    taint node {ns}-n1 key:Nonsense
    label node {ns}-n1 node-role.kubernetes.io/worker=
    get node {ns}-n1 --no-headers
    drain {ns}-n1
    create -f pod.yaml
    drain {ns}-n1
    drain {ns}-n1 --force --dry-run=server
    drain {ns}-n1 --force --grace-period=0
    get pod web
    drain none
    describe node {ns}-n1
    top node {ns}-n1
    delete node {ns}-n1
    `,
  ),
  scenario(
    'pods without a node',
    {
      'pod.yaml': POD,
      'assigned.yaml': POD.replace('name: web', 'name: there').replace(
        'spec:',
        'spec:\n  nodeName: none',
      ),
    },
    `
    create -f pod.yaml -f assigned.yaml
    logs web
    logs web -c none
    logs none
    logs there
    exec web -- true
    exec none -- true
    exec there -- true
    attach web
    port-forward pod/web 18080:80
    port-forward pod/none 18080:80
    cp web:/etc/hosts hosts
    debug web --image=busybox --container=debugger
    get pod web -o jsonpath={.spec.ephemeralContainers[*].name}
    debug web --image=busybox --copy-to=copy --container=d
    debug none --image=busybox
    get pods
    top pod web
    events
    events --for=pod/web
    get events
    logs deploy/none
    logs -l app=web
    `,
  ),
];

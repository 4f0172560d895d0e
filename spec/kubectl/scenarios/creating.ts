import { scenario, type Scenario } from '../scenario.ts';
import { DEPLOYMENT, MAP, MAPS, SERVICE } from './manifests.ts';

const KUSTOMIZATION = `resources: [map.yaml, web.yaml]
namePrefix: pre-
commonAnnotations: { note: kustomized }
configMapGenerator:
- name: made
  literals: [a=1]
images:
- name: registry.example/web
  newTag: "2"
`;

/** Commands that create. */
export const creating: readonly Scenario[] = [
  scenario(
    'create from files',
    {
      'maps.yaml': MAPS,
      'many/one.yaml': MAP.replace('blue', 'one'),
      'many/two.yaml': MAP.replace('blue', 'two'),
      'list.json':
        '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"l1"}},{"apiVersion":"v1","kind":"Secret","metadata":{"name":"l2"}}]}',
      'generated.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { generateName: gen- }\n',
      'empty.yaml': '',
      'broken.yaml': 'a: b: c\n',
      'unknown-kind.yaml': 'apiVersion: example.com/v1\nkind: Nope\nmetadata: { name: x }\n',
      'no-kind.yaml': 'apiVersion: v1\nmetadata: { name: x }\n',
      'no-name.yaml': 'apiVersion: v1\nkind: ConfigMap\n',
      'bad-name.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: Bad_Name }\n',
      'bad-field.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: surplus }\ncolour: red\n',
      'bad-type.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: typed }\ndata: { a: 1 }\n',
      'elsewhere.yaml': MAP.replace('name: blue', 'name: blue\n  namespace: default'),
    },
    `
    create -f maps.yaml
    create -f maps.yaml
    create -f many
    create -f list.json
    create -f generated.yaml
    create -f - < many/one.yaml
    create -f empty.yaml
    create -f broken.yaml
    create -f unknown-kind.yaml
    create -f no-kind.yaml
    create -f no-name.yaml
    create -f bad-name.yaml
    create -f bad-field.yaml
    create -f bad-field.yaml --validate=false
    create -f bad-field.yaml --validate=warn
    create -f bad-type.yaml
    create -f elsewhere.yaml -n {ns}
    create -f none.yaml
    create -f maps.yaml -n {ns}-none
    create -f maps.yaml --dry-run=client
    create -f maps.yaml --dry-run=server
    create
    create nonsense
    get cm -o name -l '!kubernetes.io/none' --field-selector metadata.name!=kube-root-ca.crt
    `,
  ),
  scenario(
    'create kinds',
    { 'word.txt': 'secret', 'env.txt': 'A=1\nB=2\n' },
    `
    create configmap lit --from-literal=a=1 --from-literal=b=2
    create configmap file --from-file=word.txt --from-file=named=word.txt
    create configmap env --from-env-file=env.txt
    create configmap lit --from-literal=a=1
    create secret generic lit --from-literal=a=1 --type=example.com/own
    create secret docker-registry pull --docker-username=u --docker-password=p --docker-email=e@example.com
    create secret tls none --cert=none.crt --key=none.key
    create serviceaccount robot
    create deployment web --image=registry.example/web:1 --replicas=2
    create deployment many --image=a --image=b
    create service clusterip web --tcp=80:8080
    create service nodeport port --tcp=80
    create service loadbalancer lb --tcp=80
    create service externalname ext --external-name=example.com
    create service clusterip head --clusterip=None
    create job once --image=busybox -- true
    create cronjob often --image=busybox --schedule='*/5 * * * *' -- true
    create job manual --from=cronjob/often
    create cronjob never --image=busybox --schedule=nonsense
    create role reader --verb=get --resource=pods --resource-name=a
    create role odd --verb=fly --resource=pods
    create rolebinding reader --role=reader --serviceaccount={ns}:robot
    create clusterrole {ns}-reader --verb=get,list --resource=nodes
    create clusterrolebinding {ns}-reader --clusterrole={ns}-reader --group=readers
    create quota small --hard=pods=5,services=2 --scopes=BestEffort
    create pdb web --selector=app=web --min-available=1
    create pdb both --selector=app=web --min-available=1 --max-unavailable=1
    create ingress front --rule=example.com/path*=web:80,tls=cert --class=nginx
    create ingress back --default-backend=web:80
    create priorityclass {ns}-high --value=1000 --description=important
    create namespace {ns}-b
    create namespace Bad_Name
    create token robot
    create token none
    get cm,secret,sa,deploy,job,cronjob,role,rolebinding,quota,pdb,ingress
    get clusterrole {ns}-reader -o yaml
    get priorityclass {ns}-high
    get svc
    `,
  ),
  scenario(
    'create on trial',
    { 'word.txt': 'secret' },
    `
    create configmap a --from-literal=a=1 --dry-run=client -o yaml
    create configmap a --from-literal=a=1 --dry-run=server -o yaml
    create secret generic a --from-file=word.txt --dry-run=client -o json
    create secret generic a --from-literal=a=1 --dry-run=server
    create deployment a --image=nginx:1 --port=80 --dry-run=client -o yaml
    create deployment a --image=nginx:1 --port=80 --dry-run=server -o yaml
    create job a --image=busybox --dry-run=server -o yaml -- true
    create cronjob a --image=busybox --schedule='0 0 * * *' --dry-run=server -o yaml
    create service clusterip a --tcp=80 --dry-run=server -o yaml
    create service nodeport a --tcp=80 --dry-run=server -o yaml
    create role a --verb=get --resource=pods,deployments.apps --dry-run=server -o yaml
    create rolebinding a --clusterrole=view --user=u --dry-run=server -o yaml
    create clusterrole {ns}-a --verb=get --non-resource-url=/metrics --dry-run=server -o yaml
    create clusterrolebinding {ns}-a --clusterrole=view --user=u --dry-run=server -o name
    create quota a --hard=cpu=1 --dry-run=server -o yaml
    create pdb a --selector=app=a --max-unavailable=50% --dry-run=server -o yaml
    create ingress a --rule=/=a:80 --dry-run=server -o yaml
    create priorityclass {ns}-a --value=1 --dry-run=server -o yaml
    create namespace {ns}-a --dry-run=server -o yaml
    create serviceaccount a --dry-run=server -o yaml
    run a --image=nginx:1 --dry-run=client -o yaml
    run a --image=nginx:1 --dry-run=server -o yaml
    get cm a
    `,
  ),
  scenario(
    'apply',
    {
      'map.yaml': MAP,
      'maps.yaml': MAPS,
      'changed.yaml': MAP.replace('color: blue', 'color: navy\n  other: x'),
      'web.yaml': DEPLOYMENT,
      'web-2.yaml': DEPLOYMENT.replace('web:1', 'web:2').replace('replicas: 2', 'replicas: 3'),
      'service.yaml': SERVICE,
      'immutable.yaml': DEPLOYMENT.replaceAll('{ app: web }', '{ app: other }'),
      'kustomization/kustomization.yaml': KUSTOMIZATION,
      'kustomization/map.yaml': MAP,
      'kustomization/web.yaml': DEPLOYMENT,
    },
    `
    apply -f map.yaml
    apply -f map.yaml
    apply view-last-applied cm blue
    apply view-last-applied -f map.yaml -o json
    diff -f map.yaml
    diff -f changed.yaml
    apply -f changed.yaml --dry-run=client
    apply -f changed.yaml --dry-run=server
    apply -f changed.yaml
    get cm blue -o yaml
    apply -f map.yaml -o jsonpath={.data}
    apply -f web.yaml -f service.yaml
    apply -f web-2.yaml
    get deploy web -o jsonpath='{.spec.replicas} {.spec.template.spec.containers[0].image} {.metadata.generation}'
    apply -f immutable.yaml
    apply -f web.yaml --force
    create -f maps.yaml
    apply -f maps.yaml
    apply set-last-applied -f map.yaml
    apply edit-last-applied cm none
    apply -f maps.yaml --prune -l app=demo
    apply -k kustomization
    apply -k kustomization
    kustomize kustomization
    diff -k kustomization
    delete -k kustomization
    apply -f none.yaml
    apply
    apply -f map.yaml --validate=false -o name
    `,
  ),
  scenario(
    'apply on the server',
    {
      'map.yaml': MAP,
      'changed.yaml': MAP.replace('color: blue', 'color: navy'),
      'less.yaml': MAP.replace('data:\n  color: blue\n', ''),
      'web.yaml': DEPLOYMENT,
      'web-2.yaml': DEPLOYMENT.replace('web:1', 'web:2'),
      'bad-field.yaml': `${MAP}colour: red\n`,
    },
    `
    apply --server-side -f map.yaml
    apply --server-side -f map.yaml
    get cm blue -o yaml --show-managed-fields
    apply --server-side -f changed.yaml --field-manager=other
    apply --server-side -f changed.yaml --field-manager=other --force-conflicts
    get cm blue -o jsonpath={.data.color}
    apply --server-side -f less.yaml
    get cm blue -o jsonpath={.data}
    apply --server-side -f web.yaml
    apply --server-side -f web-2.yaml --dry-run=server
    apply --server-side -f web-2.yaml
    scale deploy web --replicas=5
    apply --server-side -f web.yaml
    diff --server-side -f web-2.yaml
    apply --server-side -f bad-field.yaml
    apply --server-side --dry-run=client -f map.yaml
    apply -f changed.yaml
    get cm blue -o jsonpath='{range .metadata.managedFields[*]}{.manager} {.operation}{"\\n"}{end}'
    `,
  ),
  scenario(
    'run and expose',
    { 'web.yaml': DEPLOYMENT },
    `
    run web --image=nginx:1 --port=80 --labels=app=web --env=A=b
    run web --image=nginx:1
    run cmd --image=busybox --restart=Never --command -- sleep 5
    run bad_name --image=nginx
    run noimage
    get pods
    expose pod web --port=80
    expose pod web --port=80
    expose pod web --name=other --port=8080 --target-port=http --type=NodePort
    expose pod cmd
    get svc -o wide
    create -f web.yaml
    expose deployment web --name=web-2 --dry-run=client -o yaml
    expose deployment web --name=web-2
    expose deployment none --port=80
    expose cm web --port=80
    expose service web --name=web-3 --port=81
    get ep -l run=none
    delete pod,svc web
    `,
  ),
];

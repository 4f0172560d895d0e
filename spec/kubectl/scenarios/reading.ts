import { scenario, type Scenario } from '../scenario.ts';
import { DEPLOYMENT, MAPS, POD, SERVICE } from './manifests.ts';

/** Commands that read. */
export const reading: readonly Scenario[] = [
  scenario(
    'outputs',
    { 'maps.yaml': MAPS, 'columns.txt': 'NAME COLOR\nmetadata.name data.color\n' },
    `
    create -f maps.yaml
    get cm
    get configmaps blue
    get configmap/blue cm/green
    get cm -o wide
    get cm -o name
    get cm -o yaml
    get cm blue -o yaml
    get cm blue -o json
    get cm -o json
    get cm blue -o jsonpath={.data.color}
    get cm -o jsonpath='{range .items[*]}{.metadata.name}={.data.color}{"\\n"}{end}'
    get cm blue -o jsonpath={.data.nope}
    get cm blue -o go-template='{{.metadata.name}} {{.data.color}}'
    get cm -o custom-columns=NAME:.metadata.name,COLOR:.data.color,NONE:.data.none
    get cm -o custom-columns-file=columns.txt
    get cm --no-headers
    get cm --show-labels
    get cm --show-kind
    get cm -L app,tier
    get cm -l app=demo
    get cm -l tier=front,app!=other
    get cm -l 'app in (demo, other),!tier'
    get cm -l app=nope
    get cm -l 'app in'
    get cm --field-selector metadata.name=green
    get cm --field-selector data.color=blue
    get cm --sort-by=.data.color
    get cm --sort-by=.metadata.creationTimestamp -o name
    get cm --chunk-size=1
    get cm --server-print=false
    get cm blue --show-managed-fields -o yaml
    get cm none
    get cm blue none
    get cm none --ignore-not-found
    get -f maps.yaml
    get cm -o nonsense
    get
    get nonsense
    get cm blue -l app=demo
    get cm -A --field-selector metadata.namespace={ns}
    get cm,secrets
    get cm/blue secrets
    `,
  ),
  scenario(
    'kinds in tables',
    { 'pod.yaml': POD, 'web.yaml': DEPLOYMENT, 'service.yaml': SERVICE },
    `
    get pods
    get all
    create -f pod.yaml -f web.yaml -f service.yaml
    get pods
    get pods -o wide
    get pod web -o jsonpath={.spec.containers[0].image}
    get deployments,services
    get deploy -o wide
    get svc -o wide
    get all
    get all -o name
    get pods --field-selector status.phase=Pending
    get pods --field-selector spec.nodeName=
    get po,svc -l app=web
    get deployment.apps
    get deployment.v1.apps/web
    get deployments.v9.apps
    get pod web -o yaml
    get service kubernetes -n default -o jsonpath={.spec.ports[0].port}
    get pods -n {ns}-none
    `,
  ),
  scenario(
    'describe',
    { 'pod.yaml': POD, 'web.yaml': DEPLOYMENT, 'service.yaml': SERVICE, 'maps.yaml': MAPS },
    `
    create -f pod.yaml -f web.yaml -f service.yaml -f maps.yaml
    create secret generic hidden --from-literal=word=secret
    create serviceaccount robot
    create quota small --hard=pods=5
    create role reader --verb=get,list --resource=pods
    create rolebinding reader --role=reader --user=jane
    create job once --image=busybox -- true
    create cronjob often --image=busybox --schedule='*/5 * * * *' -- true
    create ingress front --rule=example.com/*=web:80
    describe pod web
    describe deployment web
    describe service web
    describe cm
    describe cm blue
    describe -l app=demo cm
    describe secret hidden
    describe sa robot
    describe quota small
    describe role reader
    describe rolebinding reader
    describe job once
    describe cronjob often
    describe ingress front
    describe ns {ns}
    describe pod none
    describe -f service.yaml
    describe cm --show-events=false
    describe clusterrole view
    `,
  ),
  scenario(
    'watch',
    { 'maps.yaml': MAPS },
    `
    create -f maps.yaml
    LINES=3,5 get cm --watch
    LINES=2,4 get cm --output-watch-events --watch -o name
    LINES=1,2 get cm blue --watch -o jsonpath='{.data.color}{"\\n"}'
    patch cm blue --type=merge -p '{"data":{"color":"navy"}}'
    delete cm green
    get --raw '/api/v1/namespaces/{ns}/configmaps?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dblue'
    get --raw '/api/v1/namespaces/{ns}/configmaps?watch=true&timeoutSeconds=1&resourceVersion=abc'
    `,
  ),
  scenario(
    'raw',
    { 'map.json': '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"raw"}}' },
    `
    get --raw /version
    get --raw /healthz
    get --raw /livez?verbose
    get --raw /readyz/ping
    get --raw /api
    get --raw /apis/apps
    get --raw /apis/batch/v1
    get --raw /api/v1/namespaces/{ns}/configmaps
    get --raw /nope
    get --raw /apis/nope.example/v1/things
    create --raw /api/v1/namespaces/{ns}/configmaps -f map.json
    get --raw /api/v1/namespaces/{ns}/configmaps/raw
    replace --raw /api/v1/namespaces/{ns}/configmaps/raw -f map.json
    delete --raw /api/v1/namespaces/{ns}/configmaps/raw
    get --raw /api/v1/namespaces/{ns}/configmaps/raw
    get --raw /openapi/v3/nope
    get --raw /.well-known/openid-configuration
    `,
  ),
  scenario(
    'discovery',
    {},
    `
    api-versions
    api-resources --api-group=apps
    api-resources --api-group=batch -o wide
    api-resources --api-group=rbac.authorization.k8s.io --namespaced=false
    api-resources --api-group=networking.k8s.io --verbs=list,get -o name
    api-resources --api-group=autoscaling
    api-resources --api-group=policy -o wide
    api-resources --api-group= --namespaced=true
    api-resources --api-group= -o wide
    api-resources --categories=all --namespaced=true -o name
    api-resources --api-group=nope.example
    api-resources --verbs=nope
    api-resources --sort-by=kind --api-group=storage.k8s.io
    api-resources --no-headers --api-group=discovery.k8s.io
    version
    version -o yaml
    cluster-info
    config view --minify -o jsonpath={.contexts[0].context.namespace}
    `,
  ),
  scenario(
    'explain',
    {},
    `
    explain pods
    explain pod.spec
    explain pod.spec.containers.image
    explain deployment.spec.strategy
    explain deploy.spec.template.spec.containers.ports.containerPort
    explain configmaps
    explain configmaps --recursive
    explain cm.data
    explain services.spec.type
    explain job.spec.backoffLimit
    explain ingress.spec.rules
    explain hpa --api-version=autoscaling/v2
    explain hpa.spec --api-version=autoscaling/v1
    explain leases.spec
    explain roles --recursive
    explain crd.spec.versions.schema
    explain events
    explain pods.nope
    explain nope
    explain pdb.spec.minAvailable
    explain node.status
    explain configmaps --output=plaintext-openapiv2
    `,
  ),
];

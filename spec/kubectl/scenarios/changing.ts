import { scenario, type Scenario } from '../scenario.ts';
import { DEPLOYMENT, MAP, MAPS, POD } from './manifests.ts';

/** Commands that change and delete. */
export const changing: readonly Scenario[] = [
  scenario(
    'edit',
    { 'map.yaml': MAP, 'web.yaml': DEPLOYMENT },
    `
    create -f map.yaml -f web.yaml --save-config
    KUBE_EDITOR='sed -i s/blue$/navy/' edit cm blue
    get cm blue -o jsonpath={.data.color}
    KUBE_EDITOR=true edit cm blue
    KUBE_EDITOR='sed -i /replicas:/s/2/3/' edit deploy web
    KUBE_EDITOR='sed -i /name:/s/blue/other/' edit cm blue
    KUBE_EDITOR='sed -i /color:/s/navy/red/' edit cm blue -o yaml
    KUBE_EDITOR=true edit cm none
    KUBE_EDITOR=false edit cm blue
    KUBE_EDITOR='sed -i /color:/s/red/teal/' edit -f map.yaml
    EDITOR='sed -i /replicas:/s/3/4/' edit deploy web --output-patch
    get cm -o jsonpath={.items[*].data.color}
    `,
  ),
  scenario(
    'patch',
    { 'maps.yaml': MAPS, 'web.yaml': DEPLOYMENT, 'patch.yaml': 'data: { filed: "yes" }\n' },
    `
    create -f maps.yaml -f web.yaml
    patch cm blue -p '{"data":{"color":"navy"}}'
    patch cm blue -p '{"data":{"color":"navy"}}'
    patch cm blue --type=merge -p '{"data":{"color":null,"new":"x"}}'
    patch cm blue --type=json -p '[{"op":"add","path":"/data/more","value":"1"}]'
    patch cm blue --type=json -p '[{"op":"remove","path":"/data/none"}]'
    patch cm blue --type=json -p '[{"op":"test","path":"/data/more","value":"2"}]'
    patch cm blue --type=json -p '[{"op":"replace","path":"/data/more","value":1}]'
    patch cm blue --type=merge -p '{"metadata":{"name":"other"}}'
    patch cm blue --type=merge -p 'data: {yaml: "1"}'
    patch cm blue --type=merge -p '{'
    patch cm blue --type=nonsense -p '{}'
    patch cm none -p '{"data":{}}'
    patch cm blue green --type=merge -p '{"data":{"both":"x"}}'
    patch cm blue --patch-file=patch.yaml
    patch -f maps.yaml -p '{"metadata":{"annotations":{"note":"x"}}}'
    patch cm blue -p '{"data":{"color":"dry"}}' --dry-run=server -o jsonpath={.data.color}
    patch cm blue -p '{"data":{"color":"dry"}}' --dry-run=client -o jsonpath={.data.color}
    patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s:1"}]}}}}'
    patch deploy web --type=merge -p '{"spec":{"replicas":-1}}'
    patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}' -o jsonpath={.spec.template.spec.containers[*].name}
    patch deploy web --subresource=scale --type=merge -p '{"spec":{"replicas":4}}'
    patch deploy web --subresource=status --type=merge -p '{"status":{"replicas":4}}'
    get deploy web -o jsonpath='{.spec.replicas} {.status.replicas}'
    get cm blue -o yaml
    `,
  ),
  scenario(
    'replace',
    {
      'map.yaml': MAP,
      'changed.yaml': MAP.replace('color: blue', 'color: navy'),
      'stale.yaml': MAP.replace('name: blue', 'name: blue\n  resourceVersion: "1"'),
      'none.yaml': MAP.replace('name: blue', 'name: none'),
      'pod.yaml': POD,
      'pod-2.yaml': POD.replace('cpu: 100m', 'cpu: 200m'),
      'pod-image.yaml': POD.replace('web:1', 'web:2'),
    },
    `
    create -f map.yaml -f pod.yaml
    replace -f changed.yaml
    replace -f changed.yaml --dry-run=server -o jsonpath={.data.color}
    replace -f stale.yaml
    replace -f none.yaml
    replace -f - < map.yaml
    replace -f pod-2.yaml
    replace -f pod-image.yaml
    replace --force -f pod-2.yaml
    get pod web -o jsonpath={.spec.containers[0].resources.requests.cpu}
    replace --force -f none.yaml
    replace -f map.yaml -o yaml
    replace
    `,
  ),
  scenario(
    'delete',
    { 'maps.yaml': MAPS, 'pod.yaml': POD, 'web.yaml': DEPLOYMENT },
    `
    create -f maps.yaml -f pod.yaml -f web.yaml
    create job once --image=busybox -- true
    create configmap a
    create configmap b
    create configmap held
    delete cm a --dry-run=client
    delete cm a --dry-run=server
    get cm a
    delete cm a
    delete cm a
    delete cm a --ignore-not-found
    delete cm/b -o name
    delete cm blue none
    delete -f maps.yaml
    delete -f maps.yaml --ignore-not-found
    delete pod web --grace-period=5 --wait=false
    create -f pod.yaml
    delete pod web --now
    create -f pod.yaml
    delete pod web --grace-period=0 --force
    delete pod web --grace-period=0
    patch cm held --type=merge -p '{"metadata":{"finalizers":["example.com/hold"]}}'
    delete cm held --timeout=1s
    delete cm held --wait=false
    get cm held -o jsonpath='{.metadata.finalizers} {.metadata.deletionGracePeriodSeconds}'
    patch cm held --type=merge -p '{"metadata":{"finalizers":null}}'
    get cm held
    delete deploy web --cascade=orphan --wait=false
    delete job once --cascade=foreground --wait=false
    get job once -o jsonpath={.metadata.finalizers}
    delete job once --cascade=nonsense
    create configmap c --from-literal=a=1
    label cm c app=demo
    delete cm -l app=demo
    delete cm -l app=demo
    delete cm --all --field-selector=metadata.name=none
    delete cm
    delete cm --all x
    delete nonsense x
    delete all -l app=none
    `,
  ),
  scenario(
    'labels and annotations',
    { 'maps.yaml': MAPS },
    `
    create -f maps.yaml
    label cm blue size=small
    label cm blue size=small
    label cm blue size=large
    label cm blue size=large --overwrite
    label cm blue size-
    label cm blue none-
    label cm --all kept=yes
    label cm -l app=demo seen=1 --dry-run=server
    label cm blue 'bad key=x'
    label cm blue app=-bad-
    label cm none a=b
    label cm blue --list
    label cm blue other=x --resource-version=1
    label -f maps.yaml from=file
    annotate cm blue note=first
    annotate cm blue note=second
    annotate cm blue note=second --overwrite
    annotate cm blue note-
    annotate cm blue 'Bad//=x'
    annotate cm --all all=yes -o name
    annotate cm blue --list
    annotate cm none a=b
    get cm --show-labels
    get cm blue -o jsonpath={.metadata.annotations}
    `,
  ),
  scenario(
    'diff and wait',
    { 'map.yaml': MAP, 'new.yaml': MAP.replace('name: blue', 'name: new'), 'pod.yaml': POD },
    `
    create -f map.yaml -f pod.yaml
    diff -f map.yaml
    diff -f new.yaml
    wait cm/blue --for=jsonpath='{.data.color}'=blue --timeout=5s
    wait cm/blue --for=jsonpath='{.data.color}'=red --timeout=1s
    wait pod/web --for=condition=Ready --timeout=1s
    wait pod/web --for=jsonpath='{.status.phase}'=Pending --timeout=5s
    wait pod/none --for=delete --timeout=1s
    wait pod/web --for=delete --timeout=1s
    wait pod/none --for=condition=Ready --timeout=1s
    wait --for=create cm/blue --timeout=5s
    wait pod -l app=none --for=condition=Ready --timeout=1s
    patch pod web --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
    wait pod/web --for=condition=Ready --timeout=5s
    wait pod/web --for=condition=Ready=false --timeout=1s
    wait pod/web --for=nonsense
    wait pod/web
    `,
  ),
];

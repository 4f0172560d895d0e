import type { KnownBug } from './known-bug.ts';
import { clusterApi10655 } from './bugs/conflict/cluster-api-10655.ts';
import { prometheusOperator8028 } from './bugs/conflict/prometheus-operator-8028.ts';
import { tigeraOperator4492 } from './bugs/conflict/tigera-operator-4492.ts';
import { tidbOperator6532 } from './bugs/create-after-delete/tidb-operator-6532.ts';
import { casskop370 } from './bugs/intermediate/casskop-370.ts';
import { kubernetes120649 } from './bugs/intermediate/kubernetes-120649.ts';
import { nifikop49 } from './bugs/intermediate/nifikop-49.ts';
import { psmdb578 } from './bugs/intermediate/psmdb-578.ts';
import { rabbitmq782 } from './bugs/intermediate/rabbitmq-782.ts';
import { strimzi8401 } from './bugs/intermediate/strimzi-8401.ts';
import { xtradb896 } from './bugs/intermediate/xtradb-896.ts';
import { cilium42920 } from './bugs/leader/cilium-42920.ts';
import { kyverno5984 } from './bugs/leader/kyverno-5984.ts';
import { argoWorkflows4583 } from './bugs/lost-response/argo-workflows-4583.ts';
import { certManager4956 } from './bugs/lost-response/cert-manager-4956.ts';
import { externalProvisioner311 } from './bugs/lost-response/external-provisioner-311.ts';
import { kubernetes67662 } from './bugs/lost-response/kubernetes-67662.ts';
import { cassandraOperator400 } from './bugs/order/cassandra-operator-400.ts';
import { kubernetes42639 } from './bugs/order/kubernetes-42639.ts';
import { cassandraOperator407 } from './bugs/stale/cassandra-operator-407.ts';
import { casskop321 } from './bugs/stale/casskop-321.ts';
import { cloudOnK8s5249 } from './bugs/stale/cloud-on-k8s-5249.ts';
import { k0smotron1534 } from './bugs/stale/k0smotron-1534.ts';
import { rabbitmq648 } from './bugs/stale/rabbitmq-648.ts';
import { rabbitmq653 } from './bugs/stale/rabbitmq-653.ts';
import { yugabyte35 } from './bugs/stale/yugabyte-35.ts';
import { zookeeper312 } from './bugs/stale/zookeeper-312.ts';
import { zookeeper314 } from './bugs/stale/zookeeper-314.ts';
import { cassandraOperator398 } from './bugs/unobserved/cassandra-operator-398.ts';
import { libraryGo2178 } from './bugs/unobserved/library-go-2178.ts';

/** Published bugs of controllers, by pattern. */
export const knownBugs: readonly KnownBug[] = [
  clusterApi10655,
  prometheusOperator8028,
  tigeraOperator4492,
  tidbOperator6532,
  casskop370,
  kubernetes120649,
  nifikop49,
  psmdb578,
  rabbitmq782,
  strimzi8401,
  xtradb896,
  cilium42920,
  kyverno5984,
  argoWorkflows4583,
  certManager4956,
  externalProvisioner311,
  kubernetes67662,
  cassandraOperator400,
  kubernetes42639,
  cassandraOperator407,
  casskop321,
  cloudOnK8s5249,
  k0smotron1534,
  rabbitmq648,
  rabbitmq653,
  yugabyte35,
  zookeeper312,
  zookeeper314,
  cassandraOperator398,
  libraryGo2178,
];

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { builtInTypes } from '../../../lib/meta/types/built-in-types.ts';
import type { FieldFacts, MessageType } from '../../../lib/meta/types/message-type.ts';
import { generateTypeFiles, missingModule } from '../../tables/type-files.ts';

const types = builtInTypes();

function field(path: string): Partial<FieldFacts> {
  const [message = '', name = ''] = path.split(/\.(?=[^.]+$)/);
  const found = types.get(message).byName.get(name);
  if (found === undefined) throw new Error(`there is no ${path}`);
  return found;
}

describe('builtInTypes', () => {
  it('knows the kinds of all stable groups', () => {
    for (const [apiVersion, kinds] of Object.entries({
      v1: 'Pod PodList Secret ComponentStatus Binding List Status DeleteOptions WatchEvent APIResourceList',
      'admissionregistration.k8s.io/v1': 'ValidatingAdmissionPolicy MutatingWebhookConfiguration',
      'apiextensions.k8s.io/v1': 'CustomResourceDefinition CustomResourceDefinitionList',
      'apiregistration.k8s.io/v1': 'APIService',
      'apidiscovery.k8s.io/v2': 'APIGroupDiscoveryList',
      'apps/v1': 'Deployment ReplicaSet StatefulSet DaemonSet ControllerRevision DeleteOptions',
      'authentication.k8s.io/v1': 'TokenReview TokenRequest SelfSubjectReview',
      'authorization.k8s.io/v1': 'SubjectAccessReview LocalSubjectAccessReview',
      'autoscaling/v1': 'HorizontalPodAutoscaler Scale',
      'autoscaling/v2': 'HorizontalPodAutoscaler',
      'batch/v1': 'Job CronJob',
      'certificates.k8s.io/v1': 'CertificateSigningRequest',
      'coordination.k8s.io/v1': 'Lease',
      'discovery.k8s.io/v1': 'EndpointSlice',
      'events.k8s.io/v1': 'Event',
      'flowcontrol.apiserver.k8s.io/v1': 'FlowSchema PriorityLevelConfiguration',
      'meta.k8s.io/v1': 'PartialObjectMetadata PartialObjectMetadataList',
      'networking.k8s.io/v1': 'Ingress IngressClass NetworkPolicy IPAddress ServiceCIDR',
      'node.k8s.io/v1': 'RuntimeClass',
      'policy/v1': 'PodDisruptionBudget Eviction',
      'rbac.authorization.k8s.io/v1': 'Role ClusterRoleBinding',
      'resource.k8s.io/v1': 'ResourceClaim ResourceSlice DeviceClass',
      'scheduling.k8s.io/v1': 'PriorityClass',
      'storage.k8s.io/v1': 'StorageClass CSIStorageCapacity VolumeAttributesClass',
    })) {
      for (const kind of kinds.split(' ')) {
        expect(types.kind(apiVersion, kind)?.isKind, `${apiVersion} ${kind}`).to.equal(true);
      }
    }
  });

  it('takes no part of an object for a kind, and no kind of another group or version', () => {
    for (const [apiVersion, kind] of [
      ['v1', 'Container'],
      ['apps/v1', 'Pod'],
      ['apps/v2', 'Deployment'],
      ['', 'v1/Pod'],
      ['v1', '__proto__'],
    ] as const) {
      expect(types.kind(apiVersion, kind), `${apiVersion} ${kind}`).to.equal(undefined);
    }
  });

  it('refers to nothing that is not there', () => {
    let fields = 0;
    for (const name of types.names()) {
      for (const { message } of types.get(name).fields) fields += message === undefined ? 0 : 1;
    }
    expect(fields).to.be.greaterThan(800);
  });

  it('begins every object with metadata', () => {
    const objects = [...types.names()].map((name) => types.get(name)).filter(isObject);
    expect(objects.length).to.be.greaterThan(60);
    for (const { name, fields } of objects) {
      expect(fields[0], name).to.include({ name: 'metadata', number: 1, type: 'meta.ObjectMeta' });
    }
  });

  it('says of fields what the Go source says', () => {
    expect(field('core.PodSpec.containers')).to.deep.include({
      number: 2,
      type: 'core.Container',
      shape: 'list',
      presence: 'always',
      required: true,
      mergeType: 'map',
      listKeys: ['name'],
      patchStrategies: ['merge'],
      patchMergeKey: 'name',
    });
    expect(field('core.PodSpec.volumes')).to.deep.include({
      presence: 'nonzero',
      required: false,
      patchStrategies: ['merge', 'retainKeys'],
    });
    expect(field('core.ServiceSpec.ports')).to.deep.include({
      listKeys: ['port', 'protocol'],
      patchMergeKey: 'port',
    });
    expect(field('core.ServicePort.protocol').declaredDefault).to.equal('TCP');
    expect(field('core.AzureDiskVolumeSource.cachingMode').declaredDefault).to.equal('ReadWrite');
    expect(field('core.PodSpec.terminationGracePeriodSeconds')).to.include({ presence: 'sent' });
    expect(field('core.ServicePort.targetPort')).to.include({
      type: 'IntOrString',
      presence: 'always',
      required: false,
    });
    expect(field('apps.DeploymentSpec.selector')).to.include({
      type: 'meta.LabelSelector',
      presence: 'nullable',
      required: true,
    });
    expect(types.get('meta.LabelSelector').mergeType).to.equal('atomic');
    expect(field('meta.ObjectMeta.creationTimestamp')).to.include({
      type: 'Time',
      presence: 'nonzero',
    });
    expect(field('meta.ObjectMeta.finalizers')).to.deep.include({
      mergeType: 'set',
      patchStrategies: ['merge'],
    });
    expect(field('core.Secret.data')).to.include({ type: 'bytes', shape: 'map' });
    expect(field('core.ResourceRequirements.limits')).to.include({
      type: 'Quantity',
      shape: 'map',
    });
    expect(field('apps.ControllerRevision.data').type).to.equal('RawExtension');
    expect(field('meta.APIResource.verbs').type).to.equal('Strings');
    expect(field('authentication.UserInfo.extra')).to.include({ type: 'Strings', shape: 'map' });
    expect(field('extensions.JSONSchemaProps.maximum').type).to.equal('double');
    expect(field('core.ConfigMapKeySelector.name')).to.include({ number: 1, type: 'string' });
    expect(types.get('extensions.JSONSchemaPropsOrBool').isUnion).to.equal(true);
    expect(types.get('core.PodSpec').openApiName).to.equal('io.k8s.api.core.v1.PodSpec');
  });

  it('is what the generator writes from the Go modules', function () {
    const modules = process.env['GOMODCACHE'] ?? join(homedir(), 'go/pkg/mod');
    const missing = missingModule(modules);
    if (missing !== undefined) {
      console.log(`      skipped: there is no ${missing} to generate from`);
      this.skip();
    }
    const folder = resolve(import.meta.dirname, '../../../lib/meta/types/tables');
    for (const { file, text } of generateTypeFiles(modules)) {
      expect(readFileSync(join(folder, file), 'utf8') === text, file).to.equal(true);
    }
  });
});

function isObject({ isKind, byName }: MessageType): boolean {
  return isKind && byName.get('metadata')?.type === 'meta.ObjectMeta';
}

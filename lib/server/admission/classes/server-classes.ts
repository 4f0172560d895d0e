import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { AdmissionPlugIn } from '../contract/plug-in.ts';
import type { FollowedObjects } from '../followed/followed-objects.ts';
import { ClaimResize } from './claim-resize.ts';
import { CLAIMS, DefaultClass, INGRESSES, PODS } from './default-class.ts';
import {
  annotatedDefault,
  FollowedClasses,
  lowestFirst,
  newestFirst,
  type ClassFacts,
} from './followed-classes.ts';

export interface ServerClassesParts {
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** The classes that admission follows, and the plug-ins that work with them, in kube-apiserver's order. */
export class ServerClasses {
  /** By group and plural. */
  readonly sets: readonly (readonly [name: string, set: FollowedObjects<ClassFacts>])[];
  readonly plugIns: readonly AdmissionPlugIn[];

  constructor(parts: ServerClassesParts) {
    const storage = new FollowedClasses({
      ...parts,
      resource: 'storageclasses',
      isDefault: annotatedDefault(
        'storageclass.kubernetes.io/is-default-class',
        'storageclass.beta.kubernetes.io/is-default-class',
      ),
      order: newestFirst,
    });
    const ingress = new FollowedClasses({
      ...parts,
      resource: 'ingressclasses',
      isDefault: annotatedDefault('ingressclass.kubernetes.io/is-default-class'),
      order: newestFirst,
    });
    const priority = new FollowedClasses({
      ...parts,
      resource: 'priorityclasses',
      isDefault: (object) => object['globalDefault'] === true,
      order: lowestFirst,
    });
    this.sets = [
      ['storage.k8s.io/storageclasses', storage.objects],
      ['networking.k8s.io/ingressclasses', ingress.objects],
      ['scheduling.k8s.io/priorityclasses', priority.objects],
    ];
    this.plugIns = [
      new DefaultClass(PODS, priority),
      new DefaultClass(CLAIMS, storage),
      new ClaimResize(storage),
      new DefaultClass(INGRESSES, ingress),
    ];
  }
}

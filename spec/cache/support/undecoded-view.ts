import { IdentifiedView, type ObjectView } from '../../../lib/meta/object-view.ts';
import type { KubernetesObject, ObjectMeta } from '../../../lib/meta/object.ts';

export interface Identity {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** The decoded parts of all views that share it. */
export class DecodeCounts {
  metadata = 0;
  objects = 0;
}

/** A view that knows its identity, and counts and refuses all further reads. */
export class UndecodedView extends IdentifiedView implements ObjectView {
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly #counts: DecodeCounts;

  constructor(identity: Identity, counts: DecodeCounts = new DecodeCounts()) {
    super();
    this.name = identity.name;
    this.namespace = identity.namespace;
    this.uid = identity.uid;
    this.resourceVersion = identity.resourceVersion;
    this.#counts = counts;
  }

  get metadata(): ObjectMeta {
    this.#counts.metadata += 1;
    throw new Error(`the metadata of ${String(this.name)} was decoded`);
  }

  get object(): KubernetesObject {
    this.#counts.objects += 1;
    throw new Error(`the object ${String(this.name)} was decoded`);
  }
}

import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import { IdentifiedView, identityOf, type ObjectView } from '../../meta/object-view.ts';
import { deepFreeze } from '../../kernel/data/deep-freeze.ts';

/**
 * A view whose object is frozen when it is decoded, for development: a handler that modifies an object fails with a `TypeError`
 * on the line that modifies it. Objects that are not read are not frozen, and cost nothing.
 */
export class FrozenView<T extends KubernetesObject>
  extends IdentifiedView
  implements ObjectView<T>
{
  /** The view that decodes the object. */
  readonly view: ObjectView<T>;

  constructor(view: ObjectView<T>) {
    super();
    this.view = view;
  }

  get name(): string | undefined {
    return identityOf(this.view).name;
  }

  get namespace(): string | undefined {
    return identityOf(this.view).namespace;
  }

  get uid(): string | undefined {
    return identityOf(this.view).uid;
  }

  get resourceVersion(): string | undefined {
    return identityOf(this.view).resourceVersion;
  }

  get metadata(): ObjectMeta {
    return deepFreeze(this.view.metadata);
  }

  get object(): T {
    return deepFreeze(this.view.object);
  }

  get sizeBytes(): number | undefined {
    return this.view.sizeBytes;
  }
}

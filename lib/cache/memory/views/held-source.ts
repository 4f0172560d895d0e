import type { ByteSource, ViewCodec } from '../../../meta/json/json-view.ts';
import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import type { KeptView } from './kept-view.ts';

/** The source of views that hold their decoded objects; it has no bytes. */
export class HeldSource implements ByteSource, ViewCodec {
  readonly bytes: Buffer = Buffer.alloc(0);

  get codec(): ViewCodec {
    return this;
  }

  /** The view holds its object from now on; its bytes are no longer needed. */
  take(view: KeptView, object: KubernetesObject): void {
    view.hold(object);
    view.moveTo(this, 0);
    view.forgetIdentity();
  }

  json(view: KeptView): Buffer {
    return Buffer.from(JSON.stringify(this.object(view)));
  }

  object({ held }: KeptView): KubernetesObject {
    return held ?? {};
  }

  metadata(view: KeptView): ObjectMeta {
    return this.object(view).metadata ?? {};
  }

  uid(view: KeptView): string | undefined {
    return this.metadata(view).uid;
  }

  resourceVersion(view: KeptView): string | undefined {
    return this.metadata(view).resourceVersion;
  }
}

/** Views that have left their caches, and were decoded then. */
export const releasedHeld: HeldSource = new HeldSource();

import type { ReceivedObjects } from '../../../lib/cache/reflector/contract/received-objects.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';

/** A cache whose state a spec says. */
export class FakeCache implements ReceivedObjects {
  readonly ended: AbortController = new AbortController();
  readonly stopped: AbortSignal = this.ended.signal;
  readonly objects: Map<string, ObjectView> = new Map();
  resourceVersion = '';
  backlog = 0;
  /** It has what was listed. */
  hasAll = true;

  has(): boolean {
    return this.hasAll;
  }

  get(key: string): ObjectView | undefined {
    return this.objects.get(key);
  }

  list(): readonly ObjectView[] {
    return [...this.objects.values()];
  }

  keys(): string[] {
    return [...this.objects.keys()];
  }

  pin(): Disposable {
    return { [Symbol.dispose]: () => {} };
  }

  deferReleases(): undefined {
    return undefined;
  }

  readonly knownValueOf = (): undefined => undefined;
}

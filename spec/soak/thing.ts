import type { KubernetesObject, ObjectMeta } from '../../lib/meta/object.ts';
import type { ObjectView } from '../../lib/meta/object-view.ts';
import type { WatchEvent } from '../../lib/meta/watch-event.ts';

/** The property of an object at which a callback of the user fails. */
export type Flaw = 'transform' | 'index';

/** The object of the soak: a config map. `serial` is of the write, and no two writes share one. */
export interface Thing extends KubernetesObject {
  readonly metadata: ObjectMeta;
  readonly data: { readonly serial: string; readonly flaw?: Flaw; readonly tags: string };
}

export type View = ObjectView<Thing>;
export type ThingEvent = WatchEvent<View>;

/** The content of a write; uid and resource version are the server's. */
export interface Draft {
  readonly key: string;
  readonly serial: string;
  readonly selected: boolean;
  readonly flaw: Flaw | undefined;
  /** Values of the multi-valued index, separated by spaces. */
  readonly tags: string;
}

/** The selection of informers with a selector. */
export const SELECTOR = 'app=web';

export function thingOf(
  { key, serial, selected, flaw, tags }: Draft,
  uid: string | undefined,
  resourceVersion: string | undefined,
): Thing {
  const [namespace = '', name = ''] = key.split('/');
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace,
      name,
      labels: { app: selected ? 'web' : 'other', tier: serial.endsWith('1') ? 'front' : 'back' },
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    data: { serial, tags, ...(flaw === undefined ? {} : { flaw }) },
  };
}

export function isSelected({ metadata }: Thing): boolean {
  return metadata.labels?.['app'] === 'web';
}

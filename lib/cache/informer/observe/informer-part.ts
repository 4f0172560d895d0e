import type { ObjectMeta } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { ListerWatcher } from '../../reflector/contract/lister-watcher.ts';
import type { InformerPhase } from './informer-inspection.ts';

/** An informer, as far as a tool compares it with its server. */
export interface ComparedInformer {
  readonly name: string;
  readonly phase: InformerPhase;
  readonly synced: boolean;
  readonly namespaces: readonly string[] | undefined;
  readonly indexer: {
    keys(): string[];
    metadata(key: string): ObjectMeta | undefined;
    indexValues(index: string): string[];
    indexKeys(index: string, value: string): string[];
  };
}

/** The part that an informer announces; see `Runtime.onPart`. */
export class InformerPart {
  readonly informer: ComparedInformer;
  readonly source: Pick<ListerWatcher<ObjectView>, 'supports'>;

  constructor(informer: ComparedInformer, source: InformerPart['source']) {
    this.informer = informer;
    this.source = source;
  }
}

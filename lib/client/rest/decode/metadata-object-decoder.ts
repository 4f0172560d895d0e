import { JsonView, type ByteSource } from '../../../meta/json/json-view.ts';
import { DecodedView, type ObjectView } from '../../../meta/object-view.ts';
import {
  partialObjectMetadata,
  type PartialObjectMetadata,
} from '../../../meta/partial-object-metadata.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import type { ListDecoder } from './list-decoder.ts';
import { JsonObjectDecoder, type ObjectDecoder } from './object-decoder.ts';

/**
 * Requests and keeps only metadata. A server without support for this sends whole objects; their bodies are dropped at once.
 */
export class MetadataObjectDecoder implements ObjectDecoder<PartialObjectMetadata> {
  readonly accept: { readonly list: string; readonly watch: string } = {
    list: acceptOf('PartialObjectMetadataList'),
    watch: acceptOf('PartialObjectMetadata'),
  };
  readonly #whole: ObjectDecoder<KubernetesObject>;

  constructor(whole: ObjectDecoder<KubernetesObject> = new JsonObjectDecoder()) {
    this.#whole = whole;
  }

  decodeEvent(
    source: ByteSource,
    start?: number,
    end?: number,
  ): WatchEvent<ObjectView<PartialObjectMetadata>> {
    const event = this.#whole.decodeEvent(source, start, end);
    return event.type === 'BOOKMARK' ? event : { type: event.type, object: bare(event.object) };
  }

  beginList(): ListDecoder<PartialObjectMetadata> {
    const whole = this.#whole.beginList();
    return {
      push: (piece) => whole.push(piece),
      takeItems: () => whole.takeItems().map(bare),
      end: () => {
        const page = whole.end();
        return { ...page, items: page.items.map(bare) };
      },
    };
  }
}

function bare(view: ObjectView): ObjectView<PartialObjectMetadata> {
  const { object } = view;
  const metadataOnly = partialObjectMetadata(object);
  if (metadataOnly !== object) return new DecodedView(metadataOnly);
  if (view instanceof JsonView) view.hold(undefined);
  return view as ObjectView<PartialObjectMetadata>;
}

/** Whole objects are accepted too; without this, a server would answer 406. */
function acceptOf(kind: string): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
}

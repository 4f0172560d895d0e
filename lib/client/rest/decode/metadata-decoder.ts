import { JsonView } from '../../../meta/json/json-view.ts';
import { DecodedView, type ObjectView } from '../../../meta/object-view.ts';
import {
  partialObjectMetadata,
  type PartialObjectMetadata,
} from '../../../meta/partial-object-metadata.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { ChangedDecoder } from './changed-decoder.ts';
import { JsonObjectDecoder, type ObjectDecoder } from './object-decoder.ts';

/** Requests and keeps only metadata. A server without support for this sends whole objects; their bodies are dropped at once. */
export function metadataDecoder(
  whole: ObjectDecoder<KubernetesObject> = new JsonObjectDecoder(),
): ObjectDecoder<PartialObjectMetadata> {
  return new ChangedDecoder<KubernetesObject, PartialObjectMetadata>(whole, ACCEPT, bare);
}

const ACCEPT = {
  list: acceptOf('PartialObjectMetadataList'),
  watch: acceptOf('PartialObjectMetadata'),
};

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

import { JsonView } from '../../../lib/meta/json/json-view.ts';
import { ObjectScanner } from '../../../lib/meta/json/object-scanner.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';

const scanner = new ObjectScanner();

/** A view of an object as the network brings it: in the middle of other bytes. */
export function viewOf(object: object): JsonView<UnstructuredObject> {
  return viewOfText(JSON.stringify(object));
}

export function viewOfText(text: string): JsonView<UnstructuredObject> {
  const bytes = Buffer.from(`{"type":"ADDED","object":${text}}`);
  if (!scanner.scanEvent(bytes, 0, bytes.length)) throw new Error('the object is not plain');
  return new JsonView({ bytes }, scanner.objectStart, scanner.objectEnd, scanner, undefined);
}

/** A pod; `bulk` makes it longer. */
export function podOf(index: number, version = 1, bulk = 100): UnstructuredObject {
  return {
    kind: 'Pod',
    metadata: {
      name: `pod-${index}`,
      namespace: `ns-${index % 7}`,
      uid: `00000000-0000-4000-a000-${String(index).padStart(12, '0')}`,
      resourceVersion: String(version),
      labels: { app: `app-${index % 3}`, note: 'Größe ✓' },
    },
    spec: { nodeName: `node-${index % 100}`, text: 'x'.repeat(bulk) },
  };
}

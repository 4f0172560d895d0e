import { CUSTOM_DEFINITION } from '../../../../applies/custom-kind.ts';
import { differences } from '../../../../compare/aspects.ts';
import { DEFINITIONS } from '../../gadgets.ts';
import type { FuzzRequest } from '../draw-request.ts';
import type { FuzzAnswer, RequestSource } from '../fuzz-course.ts';
import { WriteDraw } from './draw-write.ts';

/** Of a namespace; not a subresource. */
const WHOLE_OBJECT = /^\/.+\/namespaces\/[^/]+\/[^/]+\/[^/]+$/;
/** The chance that what was written is read, and an apply repeated. */
const CHECKED = 0.15;

/**
 * Patches, applies and other writes, and definitions with drawn schemas. At times an object is read after it was written: it is what
 * the answer showed; and an apply is sent twice more: it comes to
 * an end.
 */
export const writeRequests: RequestSource = async (draw, ask) => {
  const headers = { 'content-type': 'application/json' };
  const body = Buffer.from(JSON.stringify(CUSTOM_DEFINITION));
  await ask({ method: 'POST', url: DEFINITIONS, headers, body });
  const writes = new WriteDraw(draw);
  const problemOf = async (
    request: FuzzRequest,
    { response, text }: FuzzAnswer,
  ): Promise<string | undefined> => {
    const [path = '', query = ''] = request.url.split('?');
    const isWritten = request.method === 'PATCH' && response.status <= 201;
    if (!isWritten || !WHOLE_OBJECT.test(path) || query.includes('dryRun')) return undefined;
    if (!draw.chance(CHECKED)) return undefined;
    const read = await ask({ method: 'GET', url: path, headers: {}, body: Buffer.alloc(0) });
    // The patch has removed its last finalizer.
    const isGone = text.includes('"deletionTimestamp"');
    if (read.text !== text && !isGone) {
      return `the answer is not what is stored: ${differenceOf(text, read.text)}`;
    }
    if (request.headers['content-type'] !== 'application/apply-patch+yaml') return undefined;
    if (isGone) return undefined;
    // An empty object takes two: the first only removes its members, as at kube-apiserver.
    const { text: second } = await ask(request);
    const { text: third } = await ask(request);
    if (third === second) return undefined;
    return `the same apply changes the object again and again: ${differenceOf(second, third)}`;
  };
  return { next: () => writes.next(), problemOf };
};

function differenceOf(one: string, other: string): string {
  return differences(JSON.parse(one), JSON.parse(other), 10).join('\n  ');
}

import { countOf, countText, sizeText, timeText } from '../../terminal/shown-text.ts';
import { failedOutcome } from '../contract/failed-outcome.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { collectionPath } from './collection-path.ts';

/** As informers ask. */
const PAGE_OBJECTS = 500;

/** 10 000 objects show how fast the server is. */
const MOST_PAGES = 20;

interface Measured {
  objects: number;
  pages: number;
  bytes: number;
  tookMs: number;
  /** Objects that were not read. Undefined: the server does not say how many. */
  remaining: number | undefined;
  complete: boolean;
  resourceVersion: string | undefined;
}

/** Lists a resource page by page, at most 20 pages, and measures it. */
export function listResourceStep(name: string): Step {
  return {
    id: `list/${name}`,
    title: `list ${name}`,
    needs: [`permission/${name}`],
    async run(context: DoctorContext): Promise<Outcome> {
      const measured = newMeasure();
      try {
        await readPages(context, name, measured);
      } catch (error) {
        if (context.signal.aborted) throw error;
        return { ...failedOutcome(error), data: { ...measured } };
      }
      return outcomeOf(measured);
    },
  };
}

function newMeasure(): Measured {
  return {
    objects: 0,
    pages: 0,
    bytes: 0,
    tookMs: 0,
    remaining: undefined,
    complete: false,
    resourceVersion: undefined,
  };
}

async function readPages(
  { findings, options, signal }: DoctorContext,
  name: string,
  measured: Measured,
): Promise<void> {
  const path = `${collectionPath(findings.served(name), options.namespace)}?limit=${PAGE_OBJECTS}`;
  let next = '';
  while (measured.pages < MOST_PAGES) {
    const { error, json, bytes, tookMs } = await findings.opened.answer({
      path: next === '' ? path : `${path}&continue=${encodeURIComponent(next)}`,
      signal,
    });
    if (error !== undefined) throw error;
    const metadata = (json['metadata'] ?? {}) as Readonly<Record<string, unknown>>;
    const items = Array.isArray(json['items']) ? json['items'] : [];
    measured.objects += items.length;
    measured.pages += 1;
    measured.bytes += bytes;
    measured.tookMs += tookMs;
    const { remainingItemCount, resourceVersion } = metadata;
    measured.remaining = typeof remainingItemCount === 'number' ? remainingItemCount : undefined;
    if (typeof resourceVersion === 'string') measured.resourceVersion = resourceVersion;
    next = typeof metadata['continue'] === 'string' ? metadata['continue'] : '';
    if (next === '') {
      measured.complete = true;
      return;
    }
  }
}

function outcomeOf(measured: Measured): Outcome {
  const { objects, pages, bytes, tookMs, complete, remaining, resourceVersion } = measured;
  const bytesPerSecond = tookMs > 0 ? Math.round((bytes / tookMs) * 1000) : 0;
  const data = {
    objects,
    pages,
    bytes,
    tookMs,
    bytesPerSecond,
    complete,
    remaining,
    resourceVersion,
  };
  if (resourceVersion === undefined) {
    return {
      status: 'failed',
      code: 'MALFORMED_RESPONSE',
      detail: 'the list has no resourceVersion, so no watch can continue from it',
      remedy: 'check the API service that serves this resource: informers cannot use it',
      data,
    };
  }
  const what = countOf(objects, 'object');
  const rest = remaining === undefined ? 'more remain' : `${countText(remaining)} more remain`;
  const detail = `${what} in ${countOf(pages, 'page')}, ${sizeText(bytes)} in ${timeText(tookMs)}, ${sizeText(bytesPerSecond)}/s`;
  return { status: 'ok', detail: complete ? detail : `${detail}; ${rest}`, data };
}

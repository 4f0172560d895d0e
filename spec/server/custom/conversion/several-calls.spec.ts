import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { nextTask } from '../../../../lib/kernel/time/wait.ts';
import { recordAt, recordsAt, textAt, type JsonRecord } from '../../../../lib/meta/json-value.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { WebhookConverter } from '../../../../lib/server/custom/conversion/webhook-converter.ts';
import type {
  WebhookCaller,
  WebhookCallOptions,
} from '../../../../lib/server/webhooks/webhook-caller.ts';

const DEFINITION = {
  spec: {
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: 'https://localhost/' }, conversionReviewVersions: ['v1'] },
    },
  },
};

interface Call {
  readonly names: readonly string[];
  readonly signal: AbortSignal | undefined;
  answer(): void;
  fail(error: Error): void;
}

/** A webhook that answers when the spec says so. */
class Webhook {
  readonly calls: Call[] = [];
  readonly converter: WebhookConverter;

  constructor(runtime: VirtualRuntime) {
    const caller: Pick<WebhookCaller, 'open'> = {
      open: () => ({ post: (body, options) => this.#post(body, options), close: () => {} }),
    };
    this.converter = new WebhookConverter(DEFINITION, caller, runtime);
  }

  #post(body: unknown, { signal }: WebhookCallOptions): Promise<JsonRecord> {
    const request = recordAt(body, 'request');
    const objects = recordsAt(request, 'objects');
    const apiVersion = textAt(request, 'desiredAPIVersion');
    const convertedObjects = objects.map((object) => ({ ...object, apiVersion }));
    const response = { uid: textAt(request, 'uid'), result: { status: 'Success' } };
    const review = {
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      response: { ...response, convertedObjects },
    };
    const names = objects.map((object) => textAt(object, 'metadata', 'name'));
    return new Promise((resolve, fail) => {
      this.calls.push({ names, signal, answer: () => resolve(review), fail });
    });
  }
}

/** Objects of v1; every seventh has the wanted version already. */
function hosts(count: number): UnstructuredObject[] {
  return Array.from({ length: count }, (_, at) => ({
    apiVersion: at % 7 === 3 ? 'example.io/v2' : 'example.io/v1',
    kind: 'Host',
    metadata: { name: `host-${at}`, uid: `uid-${at}` },
  }));
}

async function withWebhook(
  run: (webhook: Webhook, settle: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    const settle = async (): Promise<void> => {
      for (let turn = 0; turn < 5; turn += 1) await nextTask(runtime);
    };
    await run(new Webhook(runtime), settle);
  });
}

describe('the conversion of a long list', () => {
  it('makes up to four calls of 500 objects at once, and keeps the order', async () => {
    await withWebhook(async ({ converter, calls }, settle) => {
      const objects = hosts(3500);
      const result = converter.convert(objects, 'example.io/v2');
      await settle();
      expect(calls.map(({ names }) => names.length)).to.deep.equal([500, 500, 500, 500]);
      // The later calls are answered first, and each answer makes room for one call.
      calls[3]?.answer();
      await settle();
      expect(calls.length).to.equal(5);
      calls[2]?.answer();
      await settle();
      expect(calls.length).to.equal(6);
      for (const place of [5, 4, 1, 0]) calls[place]?.answer();
      const converted = await result;
      expect(calls.length).to.equal(6);
      expect(converted.map(({ metadata }) => metadata?.name)).to.deep.equal(
        objects.map(({ metadata }) => metadata?.name),
      );
      expect(new Set(converted.map(({ apiVersion }) => apiVersion))).to.deep.equal(
        new Set(['example.io/v2']),
      );
      // An object of the wanted version is not asked for.
      expect(converted[3]).to.equal(objects[3]);
      expect(calls.flatMap(({ names }) => names)).to.not.include('host-3');
    });
  });

  it('makes one call for a short list, and none for objects of the version', async () => {
    await withWebhook(async ({ converter, calls }, settle) => {
      const result = converter.convert(hosts(400), 'example.io/v2');
      await settle();
      calls[0]?.answer();
      expect((await result).length).to.equal(400);
      expect(calls.length).to.equal(1);
      const asTheyAre = hosts(10).filter(({ apiVersion }) => apiVersion === 'example.io/v2');
      expect(await converter.convert(asTheyAre, 'example.io/v2')).to.deep.equal(asTheyAre);
      expect(calls.length).to.equal(1);
    });
  });

  it('ends its other calls when one fails, and makes no further one', async () => {
    await withWebhook(async ({ converter, calls }, settle) => {
      const result = converter.convert(hosts(7000), 'example.io/v2');
      await settle();
      calls[1]?.fail(new Error('no answer'));
      const failure: unknown = await result.catch((error: unknown) => error);
      expect(String(failure)).to.equal('Error: no answer');
      expect(calls.map(({ signal }) => signal?.aborted)).to.deep.equal([true, true, true, true]);
      calls[0]?.answer();
      await settle();
      expect(calls.length).to.equal(4);
    });
  });

  it('ends its calls when its request is aborted', async () => {
    await withWebhook(async ({ converter, calls }, settle) => {
      const abort = new AbortController();
      const result = converter.convert(hosts(7000), 'example.io/v2', abort.signal);
      await settle();
      abort.abort(new Error('the client has left'));
      expect(calls.every(({ signal }) => signal?.aborted === true)).to.equal(true);
      for (const call of calls) call.fail(new Error('the client has left'));
      const failure: unknown = await result.catch((error: unknown) => error);
      expect(String(failure)).to.equal('Error: the client has left');
    });
  });
});

import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { InspectorSnapshot } from '../../../lib/inspector/contract/inspector-snapshot.ts';
import { SnapshotFeed } from '../../../lib/inspector/port/snapshot-feed.ts';

/** The response of a browser that reads at once, or not at all. */
class Response extends Writable {
  status = 0;
  readonly sent: string[] = [];
  reads: boolean;
  #waiting: (() => void) | undefined;

  constructor(reads: boolean) {
    super({ highWaterMark: 16_384 });
    this.reads = reads;
  }

  writeHead(status: number): void {
    this.status = status;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.sent.push(chunk.toString());
    if (this.reads) done();
    else this.#waiting = done;
  }

  resume(): void {
    this.reads = true;
    this.#waiting?.();
  }
}

const asResponse = (response: Response): ServerResponse => response as unknown as ServerResponse;

function feedOf(runtime: VirtualRuntime, text = '') {
  let reads = 0;
  const feed = new SnapshotFeed({
    runtime,
    logger: silentLogger,
    intervalMs: 500,
    read: async () => {
      reads += 1;
      return { title: text, atMs: runtime.wallMs() } as InspectorSnapshot;
    },
  });
  return { feed, reads: () => reads };
}

describe('SnapshotFeed', () => {
  it('reads nothing and has no timer while no page is connected', async () => {
    const runtime = new VirtualRuntime();
    const { feed, reads } = feedOf(runtime);
    await runtime.advance(60_000);
    expect(reads()).to.equal(0);
    const page = new Response(true);
    await feed.connect(asResponse(page));
    await runtime.advance(10_000);
    expect(reads()).to.equal(21);
    page.destroy();
    await runtime.advance(1);
    const before = reads();
    await runtime.advance(60_000);
    expect(reads()).to.equal(before);
    expect(feed.pages).to.equal(0);
  });

  it('sends one snapshot to all pages, twice a second at most', async () => {
    const runtime = new VirtualRuntime();
    const { feed, reads } = feedOf(runtime);
    const pages = [new Response(true), new Response(true)];
    for (const page of pages) await feed.connect(asResponse(page));
    const before = reads();
    await runtime.advance(5000);
    expect(reads() - before).to.be.within(9, 10);
    expect(pages[0]!.sent[0]).to.match(
      /^retry: 2000\ndata: \{"snapshot":\{.*\},"dropped":0\}\n\n$/,
    );
    feed.close();
  });

  it('drops updates for a browser that does not read, and reports how many', async () => {
    const runtime = new VirtualRuntime();
    const { feed, reads } = feedOf(runtime, 'x'.repeat(100_000));
    const slow = new Response(false);
    await feed.connect(asResponse(slow));
    await runtime.advance(50_000);
    expect(slow.sent).to.have.length(1);
    expect(slow.writableLength).to.be.lessThan(101_000);
    expect(reads(), 'nothing is read for slow browsers alone').to.equal(1);
    slow.resume();
    await runtime.advance(1000);
    expect(slow.sent[1]).to.match(/"dropped":(?:99|100)\}\n\n$/);
    feed.close();
  });

  it('disconnects a browser that has read nothing for a minute, and goes on with the others', async () => {
    const runtime = new VirtualRuntime();
    const { feed } = feedOf(runtime);
    const [slow, quick] = [new Response(false), new Response(true)];
    await feed.connect(asResponse(slow));
    await feed.connect(asResponse(quick));
    await runtime.advance(50_000);
    expect(slow.writableLength, 'one update waits for it').to.be.lessThan(200);
    await runtime.advance(20_000);
    expect(slow.destroyed).to.equal(true);
    expect(quick.sent.length).to.be.greaterThan(130);
    expect(feed.pages).to.equal(1);
    feed.close();
  });

  it('refuses more than 20 pages', async () => {
    const runtime = new VirtualRuntime();
    const { feed } = feedOf(runtime);
    const pages = Array.from({ length: 21 }, () => new Response(true));
    for (const page of pages) await feed.connect(asResponse(page));
    expect(pages.map(({ status }) => status).filter((status) => status === 200)).to.have.length(20);
    expect(pages[20]).to.include({ status: 503 });
    expect(pages[20]!.sent).to.deep.equal(['20 pages are open.\n']);
    feed.close();
  });
});

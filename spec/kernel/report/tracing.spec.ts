import { expect } from 'chai';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { Span, Tracer } from '../../../lib/kernel/report/tracer.ts';
import { Tracing } from '../../../lib/kernel/report/tracing.ts';

const SPAN: Span = {
  spanContext: () => ({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 }),
  isRecording: () => false,
  setAttributes: () => {},
  setStatus: () => {},
  recordException: () => {},
  end: () => {},
};

describe('Tracing', () => {
  it('calls the work once, also with a tracer that calls back later', async () => {
    const later: (() => unknown)[] = [];
    const tracer = {
      startSpan: () => SPAN,
      startActiveSpan: (_name, _options, work) => later.push(() => work(SPAN)),
    } as Tracer;
    let calls = 0;
    await new Tracing(tracer, silentLogger).within('run', {}, async () => {
      calls += 1;
    });
    for (const call of later) call();
    expect(calls).to.equal(1);
  });
});

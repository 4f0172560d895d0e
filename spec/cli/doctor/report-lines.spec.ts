import { expect } from 'chai';
import type { Step, StepResult } from '../../../lib/cli/doctor/contract/step.ts';
import { ReportLines } from '../../../lib/cli/doctor/report-lines.ts';
import { Style } from '../../../lib/cli/terminal/style.ts';
import { CapturedOutput } from '../support/captured-host.ts';

const UTF8 = { LANG: 'C.UTF-8', NO_COLOR: '1' };

function step(id: string, title: string): Step {
  return { id, title, needs: [], run: () => ({ status: 'ok', detail: '' }) };
}

const STEPS = [step('tls', 'TLS'), step('list/pods', 'list pods')];

function result(fields: Partial<StepResult>): StepResult {
  return { id: 'tls', title: 'TLS', durationMs: 12.3, status: 'ok', detail: 'fine', ...fields };
}

function linesOn(
  output: CapturedOutput,
  env: Record<string, string>,
  verbose = false,
): ReportLines {
  return new ReportLines({ output, style: new Style(output, env), steps: STEPS, verbose });
}

describe('ReportLines', () => {
  it('prints one line a step in columns, with the remedy on the next line', () => {
    const output = new CapturedOutput(true);
    const lines = linesOn(output, { ...UTF8, TERM: 'dumb' });
    for (const one of STEPS) lines.began(one);
    lines.ended(result({}));
    lines.ended(
      result({ title: 'list pods', status: 'failed', detail: 'broken', remedy: 'mend it' }),
    );
    expect(output.text).to.equal(
      '✓ TLS        fine [12 ms]\n✗ list pods  broken [12 ms]\n             -> mend it\n',
    );
  });

  it('prints a single skipped step with its reason and without a time', () => {
    const output = new CapturedOutput(true);
    const lines = linesOn(output, { ...UTF8, TERM: 'dumb' });
    lines.ended(result({ status: 'skipped', detail: 'it needs "TLS"', durationMs: 0 }));
    lines.ended(result({}));
    expect(output.lines[0]).to.equal('– TLS        skipped: it needs "TLS"');
  });

  it('prints one line for all steps that one failure skips', () => {
    const output = new CapturedOutput(true);
    const lines = linesOn(output, { ...UTF8, TERM: 'dumb' });
    const skipped = (title: string, because: string): void => {
      lines.ended(result({ title, status: 'skipped', detail: `it needs "${because}"` }));
    };
    lines.ended(result({ status: 'failed', detail: 'broken' }));
    skipped('version', 'TLS');
    skipped('clock', 'TLS');
    skipped('list pods', 'the right');
    lines.ended(result({ title: 'clock' }));
    skipped('version', 'TLS');
    skipped('features', 'TLS');
    lines.summary([], false);
    expect(output.lines).to.deep.equal([
      '✗ TLS        broken [12 ms]',
      '– 2 steps    skipped: they need "TLS": version, clock',
      '– list pods  skipped: it needs "the right"',
      '✓ clock      fine [12 ms]',
      '– 2 steps    skipped: they need "TLS": version, features',
      'all is well',
    ]);
  });

  it('shows a step while it runs on a terminal, and replaces the line when it ends', () => {
    const output = new CapturedOutput(true);
    const lines = linesOn(output, UTF8);
    lines.began(STEPS[0] as Step);
    expect(output.text).to.equal('… TLS');
    lines.ended(result({}));
    expect(output.text).to.equal('… TLS\r\u001b[K✓ TLS        fine [12 ms]\n');
  });

  it('writes skipped steps before the line of the step that runs next', () => {
    const output = new CapturedOutput(true);
    const lines = linesOn(output, UTF8);
    for (const title of ['version', 'clock'])
      lines.ended(result({ title, status: 'skipped', detail: 'it needs "TLS"' }));
    lines.began(STEPS[1] as Step);
    lines.ended(result({ title: 'list pods' }));
    expect(output.text).to.equal(
      '– 2 steps    skipped: they need "TLS": version, clock\n… list pods\r\u001b[K✓ list pods  fine [12 ms]\n',
    );
  });

  it('has plain words and plain characters only in a file', () => {
    const output = new CapturedOutput(false);
    const lines = linesOn(output, UTF8);
    lines.began(STEPS[0] as Step);
    lines.ended(result({ detail: 'a long text …', remedy: 'mend it' }));
    lines.summary([result({})], false);
    expect(output.text).to.equal(
      'ok   TLS        a long text ... [12 ms]\n                -> mend it\n\nall is well\n',
    );
    // oxlint-disable-next-line no-control-regex
    expect(output.text).to.match(/^[\x0a\x20-\x7e]*$/);
  });

  it('prints the data of a step when asked to', () => {
    const output = new CapturedOutput(true);
    const lines = linesOn(output, { ...UTF8, TERM: 'dumb' }, true);
    lines.ended(result({ data: { protocol: 'TLSv1.3', names: ['a'], serverName: undefined } }));
    expect(output.lines.slice(1)).to.deep.equal([
      '             protocol: "TLSv1.3"',
      '             names: ["a"]',
    ]);
  });

  it('ends with one line: what failed, what to look at, or that all is well', () => {
    const summary = (results: readonly StepResult[], interrupted = false): string => {
      const output = new CapturedOutput(true);
      linesOn(output, UTF8).summary(results, interrupted);
      return output.text.trim();
    };
    const warning = result({ title: 'clock', status: 'warning' });
    const failed = result({ status: 'failed' });
    expect(summary([result({}), result({ status: 'skipped' })])).to.equal('all is well');
    expect(summary([result({}), warning])).to.equal('works, with warnings: clock');
    expect(summary([failed, warning])).to.equal('failed: TLS');
    expect(summary([failed], true)).to.equal('interrupted');
  });
});

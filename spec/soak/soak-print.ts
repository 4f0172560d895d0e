import type { SoakTotals } from './soak-report.ts';

/** A line that is kept up to date on a terminal, and repeated now and then elsewhere. */
export class ProgressLine {
  readonly #startMs = performance.now();
  readonly #total: number;
  readonly #terminal: boolean = process.stdout.isTTY;
  #printedMs = performance.now();

  constructor(total: number) {
    this.#total = total;
  }

  update({ seeds, events, failures }: SoakTotals): void {
    const nowMs = performance.now();
    if (nowMs - this.#printedMs < (this.#terminal ? 250 : 10_000)) return;
    this.#printedMs = nowMs;
    const perSecond = seeds / ((nowMs - this.#startMs) / 1000);
    const leftSeconds = Math.ceil((this.#total - seeds) / perSecond);
    const failed = failures.length === 0 ? '' : `, ${failures.length} FAILED`;
    const line = `${seeds} of ${this.#total} seeds, ${perSecond.toFixed(1)}/s, ${millions(events)} events checked, ${leftSeconds} s left${failed}`;
    process.stdout.write(this.#terminal ? `\r\u001b[K${line}` : `${line}\n`);
  }

  end(): void {
    if (this.#terminal) process.stdout.write('\r\u001b[K');
  }
}

export function printTotals(totals: SoakTotals, wallSeconds: number): string {
  const { bySource, faults } = totals;
  const faultLines = Object.entries(faults)
    .toSorted(([, left], [, right]) => right - left)
    .map(([kind, count]) => `  ${kind.padEnd(16)} ${grouped(count)}`);
  const injected = Object.values(faults).reduce((sum, count) => sum + count, 0);
  return [
    `seeds            ${grouped(totals.seeds)} (${bySource.model} model, ${bySource.storage} storage, ${bySource.http} http) in ${wallSeconds.toFixed(0)} s`,
    `operations       ${grouped(totals.operations)}`,
    `events checked   ${grouped(totals.events)}, sent to ${grouped(totals.handlers)} handlers; ${grouped(totals.merged)} more were merged`,
    `looks at caches  ${grouped(totals.looks)}`,
    `lists, watches   ${grouped(totals.lists)} (${grouped(totals.relists)} relists), ${grouped(totals.watches)}; at most ${totals.peakRequests} requests a second`,
    `virtual hours    ${grouped(Math.round(totals.virtualHours))}`,
    `faults           ${grouped(injected)}`,
    ...faultLines,
    `failures         ${totals.failures.length}`,
    `inconclusive     ${totals.inconclusive.length}`,
  ].join('\n');
}

function millions(count: number): string {
  return `${(count / 1e6).toFixed(2)} M`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US').replaceAll(',', ' ');
}

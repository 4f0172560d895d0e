import { drawScenario } from './scenario.ts';
import { runScenario } from './soak-run.ts';
import { addReport, noTotals } from './soak-report.ts';
const [from, count, without = '', trace] = process.argv.slice(2);
const totals = noTotals();
const t0 = process.cpuUsage();
for (let seed = Number(from); seed < Number(from) + Number(count); seed += 1) {
  const c0 = process.cpuUsage();
  const s = drawScenario(seed, new Set(without.split(',').filter(Boolean)) as never);
  const r = await runScenario(s, { traced: trace === 'trace' });
  const c = process.cpuUsage(c0);
  addReport(totals, r);
  if (r.failures.length || c.user + c.system > 1e6)
    console.log(
      seed,
      r.source,
      s.order,
      ((c.user + c.system) / 1e6).toFixed(2) + 's',
      r.events,
      r.failures.slice(0, 2).map((x) => x.slice(0, 400)),
    );
  if (trace === 'trace') console.log(r.trace.join('\n'));
}
const c = process.cpuUsage(t0);
console.log({
  ...totals,
  failures: totals.failures.length,
  cpuPerSeed: (c.user + c.system) / 1e6 / Number(count),
  perSeed: totals.events / Number(count),
});

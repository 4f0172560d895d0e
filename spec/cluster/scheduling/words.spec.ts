import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { SchedulingWorld } from './scheduling-world.ts';
import { SCENARIOS, ScenarioWriter, scenarioWords, type ScenarioWords } from './word-scenarios.ts';

const file = new URL('./recorded-words.json', import.meta.url);
const RECORDED: Readonly<Record<string, ScenarioWords>> = JSON.parse(readFileSync(file, 'utf8'));

describe('the words about pods are those of kube-scheduler 1.37.2 when', () => {
  for (const [name, write] of Object.entries(SCENARIOS)) {
    it(name, async () => {
      await SchedulingWorld.run(async ({ world }) => {
        await write(new ScenarioWriter(world.client, (ms) => world.sleep(ms)));
        await world.sleep(3000);
        expect(await scenarioWords(world.client)).to.deep.equal(RECORDED[name]);
      });
    });
  }
});

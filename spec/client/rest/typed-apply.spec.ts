import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { compilePrograms } from '../../types/definitions/compile-programs.ts';

/** Beside the packages that the programs import. */
const SCRATCH = join(resolve(import.meta.dirname, '../../..'), '.tmp', 'typed-apply');

const applying = (part: string): string => `
import { connect } from 'listwatch';

const client = await connect();
const deployments = client.resource('apps/v1', 'deployments', { namespace: 'shop' });
await deployments.apply(${part});
`;

const TYPE = "apiVersion: 'apps/v1', kind: 'Deployment'";

describe('the type of what is applied', function () {
  // Only a hang reaches this.
  this.timeout(600_000);

  after(() => {
    rmSync(SCRATCH, { recursive: true, force: true });
  });

  it('takes any part of the object with its type and name, and no field that the kind lacks', async () => {
    const named = `${TYPE}, metadata: { name: 'web' }`;
    const found = await compilePrograms(SCRATCH, {
      'part.ts': applying(`{ ${named}, spec: { replicas: 2 } }`),
      'deep.ts': applying(
        `{ ${named}, spec: { template: { spec: { containers: [{ name: 'app', image: 'web:1' }] } } } }`,
      ),
      'misspelled.ts': applying(`{ ${named}, spec: { replica: 2 } }`),
      'wrong-type.ts': applying(`{ ${named}, spec: { replicas: '2' } }`),
      'without-name.ts': applying(`{ ${TYPE}, metadata: {}, spec: { replicas: 2 } }`),
      'without-kind.ts': applying(
        `{ apiVersion: 'apps/v1', metadata: { name: 'web' }, spec: { replicas: 2 } }`,
      ),
    });
    const files = found.flatMap((line) => /([\w-]+\.ts)\(\d+,\d+\): error/.exec(line)?.[1] ?? []);
    expect([...new Set(files)].toSorted()).to.deep.equal([
      'misspelled.ts',
      'without-kind.ts',
      'without-name.ts',
      'wrong-type.ts',
    ]);
  });
});

import { expect } from 'chai';
import { credentialKinds } from './kinds/credential-kinds.ts';
import { embeddedRow } from './support/embedded-matrix.ts';
import { matrixTable, problemsOf, type MatrixRow } from './support/matrix-row.ts';

const ROTATIONS = Number(process.env['LISTWATCH_ROTATIONS'] ?? '5');

describe('an informer over HTTPS, with every kind of credential', () => {
  const rows: MatrixRow[] = [];

  for (const kind of credentialKinds) {
    it(`${kind.name}: ${ROTATIONS} rotations without a relist, a missed or a repeated event`, async () => {
      const row = await embeddedRow(kind, ROTATIONS);
      rows.push(row);
      expect(problemsOf(row)).to.deep.equal([]);
    });
  }

  after(() => {
    for (const line of matrixTable(rows)) console.log(`      ${line}`);
  });
});

import { expect } from 'chai';
import { isWhole } from '../../support/share.ts';
import { credentialKinds } from './kinds/credential-kinds.ts';
import { embeddedRow, embeddedTokenRow } from './support/embedded-matrix.ts';
import { matrixTable, problemsOf, type MatrixRow } from './support/matrix-row.ts';

const ROTATIONS = Number(process.env['LISTWATCH_ROTATIONS'] ?? (isWhole ? '3' : '1'));
/** Of each row; at most one 401 a rotation too. */
const FACTS = 'no relist, no missed and no repeated event, one connection for 100 calls';

describe('an informer over HTTPS, with every kind of credential', () => {
  const rows: MatrixRow[] = [];

  it(`token of the embedded server: ${FACTS}`, async () => {
    const row = await embeddedTokenRow(ROTATIONS);
    rows.push(row);
    expect(problemsOf(row)).to.deep.equal([]);
  });

  for (const kind of credentialKinds) {
    it(`${kind.name}: ${FACTS}`, async () => {
      const row = await embeddedRow(kind, ROTATIONS);
      rows.push(row);
      expect(problemsOf(row)).to.deep.equal([]);
    });
  }

  after(() => {
    for (const line of matrixTable(rows)) console.log(`      ${line}`);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { builtInVersions } from '../../../lib/meta/surface/built-in-surface.ts';
import { NEWEST_MINOR } from '../../../lib/meta/releases/kubernetes-releases.ts';
import { builtInTypes } from '../../../lib/meta/types/built-in-types.ts';
import { moduleVersion } from '../../tables/recorded-minor.ts';
import { missingModule, readTypeEnums } from '../../tables/type-files.ts';
import type { SectionEnums } from '../../tables/kinds/read-enums.ts';
import { KindsWriter, type KindsFile } from '../../tables/kinds/write-kinds.ts';
import { writtenEnums } from '../../tables/kinds/written-enums.ts';

const FOLDER = resolve(import.meta.dirname, '../../../lib/types/built-in');

const filesWith = (enums: ReadonlyMap<string, SectionEnums>): KindsFile[] =>
  new KindsWriter({
    table: builtInTypes(),
    versions: builtInVersions(),
    enums,
    source: `k8s.io/api ${moduleVersion(NEWEST_MINOR)}`,
  }).files();

const written = (): KindsFile[] =>
  filesWith(new Map()).map((one) => ({
    ...one,
    text: readFileSync(join(FOLDER, one.file), 'utf8'),
  }));

function expectWritten(files: readonly KindsFile[]): void {
  for (const { file, text } of files) {
    const lines = readFileSync(join(FOLDER, file), 'utf8').split('\n');
    const expected = text.split('\n');
    const at = expected.findIndex((line, index) => line !== lines[index]);
    const where = `lib/types/built-in/${file}, line ${at + 1}: run "npm run generate -- tables" to make it again`;
    if (at >= 0) expect(lines[at], where).to.equal(expected[at]);
    expect(lines.length, where).to.equal(expected.length);
  }
}

describe('types of the built-in kinds', () => {
  it('are what the tables of the server say, file by file and line by line', () => {
    expectWritten(filesWith(writtenEnums(builtInTypes(), written())));
  });

  it('have no file beside those that are made from the tables', () => {
    const files = filesWith(new Map()).map(({ file }) => file);
    expect(readdirSync(FOLDER).toSorted()).to.deep.equal(files.toSorted());
  });

  it('have the enums of the Go source', function () {
    const modules = join(homedir(), 'go/pkg/mod');
    const missing = missingModule(modules);
    if (missing !== undefined) {
      console.log(`      skipped: there is no ${missing} to read enums from`);
      this.skip();
    }
    expectWritten(filesWith(readTypeEnums(modules)));
  });

  it('have enums where the API has them, closed and open ones', () => {
    const enums = writtenEnums(builtInTypes(), written());
    expect(enums.get('core')?.fields.get('PodSpec.restartPolicy')).to.equal('RestartPolicy');
    const named = new Map([...(enums.get('core')?.types ?? [])].map((one) => [one.name, one]));
    expect(named.get('RestartPolicy')).to.include({ open: false });
    expect(named.get('RestartPolicy')?.values).to.have.members(['Always', 'Never', 'OnFailure']);
    expect(named.get('PodConditionType')).to.include({ open: true });
  });
});

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { INCOMPLETE } from '../../../../lib/meta/json/json-scanner.ts';
import { FastScanner, scannerKind } from '../../../../lib/meta/json/wasm/fast-scanner.ts';
import { WasmScanner } from '../../../../lib/meta/json/wasm/wasm-scanner.ts';

const event = (object: string): Buffer => Buffer.from(`{"type":"ADDED","object":${object}}`);
const POD =
  '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"c","resourceVersion":"7","managedFields":[{}]},"spec":{"x":[1,2]}}';

function nested(levels: number): string {
  return `{"metadata":{"name":"deep"},"spec":${'['.repeat(levels)}${']'.repeat(levels)}}`;
}

describe('FastScanner', () => {
  it('scans with WebAssembly where there is one', () => {
    expect(scannerKind()).to.equal('webassembly');
    const scanner = new FastScanner();
    const bytes = event(POD);
    expect(scanner.scanEvent(bytes, 0, bytes.length)).to.equal(true);
    expect(scanner.scan).to.be.instanceOf(WasmScanner);
    expect(scanner.scan).to.include({
      plain: true,
      eventType: 'ADDED',
      hasKind: true,
      hasApiVersion: true,
      name: 'a',
      namespace: 'b',
      uid: 'c',
      resourceVersion: '7',
    });
    const { objectStart, objectEnd, longestStart, longestEnd } = scanner.scan;
    expect(bytes.toString('latin1', objectStart, objectEnd)).to.equal(POD);
    expect(bytes.toString('latin1', longestStart, longestEnd)).to.equal('{"x":[1,2]}');
  });

  it('scans with JavaScript in a process whose WebAssembly has no SIMD', () => {
    const file = join(import.meta.dirname, '../../../../lib/meta/json/wasm/fast-scanner.ts');
    const program = `
      WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError('no SIMD'); } };
      const { FastScanner, scannerKind } = await import(${JSON.stringify(file)});
      const bytes = Buffer.from(${JSON.stringify(event(POD).toString())});
      const scanner = new FastScanner();
      console.log(scannerKind(), scanner.scanEvent(bytes, 0, bytes.length), scanner.scan.name);`;
    const flags = ['--import', 'tsx', '--input-type=module', '--eval', program];
    const output = execFileSync(process.execPath, flags, { encoding: 'utf8' });
    expect(output.trim()).to.equal('javascript true a');
  });

  it('leaves what is too deep or too large to JavaScript', () => {
    const scanner = new FastScanner();
    const large = `{"metadata":{"name":"large"},"data":"${'x'.repeat(2 << 20)}"}`;
    for (const object of [nested(100), nested(2000), large]) {
      const bytes = event(object);
      expect(scanner.scanEvent(bytes, 0, bytes.length)).to.equal(true);
      expect(bytes.toString('latin1', scanner.scan.objectStart, scanner.scan.objectEnd)).to.equal(
        object,
      );
      scanner.load(Buffer.from(object), 0, object.length);
      expect(scanner.scanObject(0)).to.equal(object.length);
    }
  });

  it('finds objects where they end in loaded bytes, wherever these begin', () => {
    const scanner = new FastScanner();
    const text = `  ${POD},${POD.slice(0, 40)}`;
    const bytes = Buffer.from(text);
    scanner.load(bytes, 2, bytes.length);
    expect(scanner.scanObject(2)).to.equal(2 + POD.length);
    expect(scanner.scan.name).to.equal('a');
    expect(scanner.scanObject(3 + POD.length)).to.equal(INCOMPLETE);
  });

  it('does not read what was loaded before', () => {
    const scanner = new FastScanner();
    const longer = event(POD);
    scanner.scanEvent(longer, 0, longer.length);
    for (let end = 0; end < longer.length; end += 1) {
      expect(scanner.scanEvent(longer, 0, end), `${end} bytes`).to.equal(false);
    }
  });
});

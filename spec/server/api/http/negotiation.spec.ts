import { expect } from 'chai';
import { negotiate, parseAccept, type Scope } from '../../../../lib/server/api/http/negotiation.ts';

function chosen(accept: string | undefined, scope: Scope = 'object'): string {
  try {
    const { mediaType, as = '-', metaVersion } = negotiate(accept, scope);
    return `${mediaType} ${as} ${metaVersion}`;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const JSON_ANSWER = 'application/json - v1';

describe('content negotiation', () => {
  it('answers in JSON when nothing or everything is accepted', () => {
    for (const accept of [undefined, '', '*/*', 'application/*', 'application/json']) {
      expect(chosen(accept), String(accept)).to.equal(JSON_ANSWER);
    }
  });

  it('understands what kubectl sends', () => {
    const kubectl = `${TABLE},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`;
    expect(chosen(kubectl, 'list')).to.equal('application/json Table v1');
    expect(chosen('application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'watch')).to.equal(
      'application/json Table v1beta1',
    );
  });

  it('prefers the higher quality, then the earlier place', () => {
    expect(chosen('application/json;q=0.5,application/yaml')).to.equal('application/yaml - v1');
    expect(chosen('application/json,application/yaml')).to.equal(JSON_ANSWER);
    expect(chosen('application/yaml;q=0,application/json;q=0.1')).to.equal(JSON_ANSWER);
  });

  it('falls back past what it cannot produce', () => {
    expect(chosen('application/vnd.kubernetes.protobuf,application/json')).to.equal(JSON_ANSWER);
    expect(chosen('application/json;as=Gadget;v=v1;g=meta.k8s.io,application/json')).to.equal(
      JSON_ANSWER,
    );
    expect(chosen('application/json;as=Table;v=v7;g=meta.k8s.io,application/yaml')).to.equal(
      'application/yaml - v1',
    );
  });

  it('refuses when nothing that is accepted can be produced', () => {
    expect(chosen('application/vnd.kubernetes.protobuf')).to.equal('NOT_ACCEPTABLE');
    expect(chosen('text/html')).to.equal('NOT_ACCEPTABLE');
    expect(chosen('application/yaml', 'watch')).to.equal('NOT_ACCEPTABLE');
    expect(chosen('application/json;as=Table;v=v1;g=example.io')).to.equal('NOT_ACCEPTABLE');
  });

  it('pairs the metadata shapes with what is answered', () => {
    const shape = (as: string): string => `application/json;as=${as};v=v1;g=meta.k8s.io`;
    const [one, many] = [shape('PartialObjectMetadata'), shape('PartialObjectMetadataList')];
    expect(chosen(one, 'object')).to.contain('PartialObjectMetadata ');
    expect(chosen(one, 'watch')).to.contain('PartialObjectMetadata ');
    expect(chosen(many, 'list')).to.contain('PartialObjectMetadataList');
    expect(chosen(one, 'list')).to.equal('NOT_ACCEPTABLE');
    expect(chosen(many, 'object')).to.equal('NOT_ACCEPTABLE');
    expect(chosen(many, 'watch')).to.equal('NOT_ACCEPTABLE');
  });

  it('reads no more alternatives than a client has reason to send', () => {
    const header = Array.from({ length: 100_000 }, () => 'a/b').join(',');
    expect(parseAccept(header)).to.have.length(64);
  });
});
